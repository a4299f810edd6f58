// Where keys are looked for: what anybody who opens the page can read without
// a further request. External scripts are not fetched.

import { isDevTool } from "../dev-elements";
import type { Elements } from "../fault";
import type { Slice } from "../slice";
import type { SecretFact } from "./facts";
import { findSecrets } from "./secrets";
import { SECRET_SCRIPT_CHARS, SECRET_TOTAL_CHARS, SECRETS_MAX } from "./thresholds";

/** How much text is searched at once; keys are short, so pieces overlap a little. */
const PIECE = 64 * 1024;
const OVERLAP = 2 * 1024;

export async function gatherSecrets(elements: Elements, slice: Slice): Promise<SecretFact[]> {
  const search = new Search(slice);
  for (const script of document.querySelectorAll("script:not([src])")) {
    if (!isDevTool(script)) await search.text(script.textContent ?? "", "script", "", () => elements.add(script));
  }
  for (const element of document.querySelectorAll("meta[content], input[type=hidden][value], [data-key], [data-api-key], [data-token], [data-config]")) {
    const text = [...element.attributes].map((attribute) => attribute.value).join("\n");
    await search.text(text, "attribute", "", () => elements.add(element));
  }
  const comments = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT);
  while (comments.nextNode()) await search.text(comments.currentNode.nodeValue ?? "", "comment", "", () => undefined);
  for (const where of ["localStorage", "sessionStorage"] as const) {
    for (const [key, value] of stored(where)) await search.text(value, where, key, () => undefined);
  }
  return search.found;
}

class Search {
  readonly found: SecretFact[] = [];
  private readonly slice: Slice;
  private readonly known = new Set<string>();
  private left = SECRET_TOTAL_CHARS;

  constructor(slice: Slice) {
    this.slice = slice;
  }

  async text(text: string, where: SecretFact["where"], key: string, ref: () => number | undefined): Promise<void> {
    const end = Math.min(text.length, SECRET_SCRIPT_CHARS, this.left);
    this.left -= end;
    for (let at = 0; at < end; at += PIECE) {
      if (this.slice.due()) await this.slice.rest();
      for (const secret of findSecrets(text.slice(at, Math.min(end, at + PIECE + OVERLAP)))) {
        if (this.known.has(secret.text) || this.found.length >= SECRETS_MAX) continue;
        this.known.add(secret.text);
        const at = ref();
        this.found.push({ kind: secret.kind, start: secret.text.slice(0, 4), where, key, ...(at === undefined ? {} : { ref: at }) });
      }
    }
  }
}

/** What a storage holds; a page without one, or that forbids it, holds nothing. */
function stored(name: "localStorage" | "sessionStorage"): (readonly [string, string])[] {
  try {
    const storage = window[name];
    const out: (readonly [string, string])[] = [];
    for (let index = 0; index < storage.length; index++) {
      const key = storage.key(index);
      if (key !== null) out.push([key, storage.getItem(key) ?? ""]);
    }
    return out;
  } catch {
    return [];
  }
}
