// The only part of the DOM audit that touches the page: one walk over the
// tree, shadow trees that are open included.

import { startsDevTool } from "../dev-elements";
import type { Elements } from "../fault";
import type { AuditPageInput } from "../input";
import type { Slice } from "../slice";
import { whereOf } from "../where";
import type { DomFacts, NestingFact, PointerFact, SharedId, SizeFact } from "./facts";
import { holdsOthers, LIST_ROLES, LISTS, misplacedIn, OBSOLETE, UNCOUNTED } from "./nesting";
import type { Kind } from "./nesting";
import { ATTRIBUTE_MAX_CHARS, CHILDREN_MAX, DATA_URI_MAX_CHARS, LIST_CHILDREN_MAX, SCRIPT_MAX_CHARS, STYLE_MAX_CHARS } from "./thresholds";

const XHTML = "http://www.w3.org/1999/xhtml";

export async function gather(input: AuditPageInput, elements: Elements, slice: Slice): Promise<DomFacts> {
  const walk = new Walk(elements, slice);
  await walk.tree(document, [document.documentElement], 0, []);
  return {
    where: whereOf(input, location.href),
    elements: walk.count,
    quirks: document.compatMode === "BackCompat",
    deepest: walk.deepest === undefined ? undefined : { ref: elements.add(walk.deepest), size: walk.depth, name: walk.deepest.localName },
    wide: walk.wide,
    sharedIds: walk.sharedIds,
    obsolete: walk.obsolete,
    nested: walk.nested,
    nameless: walk.nameless,
    brokenFragments: walk.brokenFragments,
    brokenLabels: walk.brokenLabels,
    tabOrder: walk.tabOrder,
    autofocus: walk.autofocus,
    bigAttributes: walk.bigAttributes,
    bigDataUris: walk.bigDataUris,
    bigScripts: walk.bigScripts,
    emptySources: walk.emptySources,
  };
}

/** A step down the tree: the element, its level, and the ancestors that matter for nesting. */
interface Step {
  readonly element: Element;
  readonly level: number;
  readonly above: readonly Kind[];
}

class Walk {
  count = 0;
  depth = 0;
  deepest: Element | undefined;
  readonly wide: SizeFact[] = [];
  readonly sharedIds: SharedId[] = [];
  readonly obsolete: SizeFact[] = [];
  readonly nested: NestingFact[] = [];
  readonly nameless: number[] = [];
  readonly brokenFragments: PointerFact[] = [];
  readonly brokenLabels: PointerFact[] = [];
  readonly tabOrder: number[] = [];
  readonly autofocus: number[] = [];
  readonly bigAttributes: SizeFact[] = [];
  readonly bigDataUris: SizeFact[] = [];
  readonly bigScripts: SizeFact[] = [];
  readonly emptySources: number[] = [];
  private readonly elements: Elements;
  private readonly slice: Slice;

  constructor(elements: Elements, slice: Slice) {
    this.elements = elements;
    this.slice = slice;
  }

  /** Walks one tree; ids are unique within it and not beyond. */
  async tree(root: Document | ShadowRoot, starts: readonly Element[], level: number, above: readonly Kind[]): Promise<void> {
    const ids = new Map<string, Element[]>();
    const stack: Step[] = [];
    for (const element of starts) stack.unshift({ element, level, above });
    for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
      if (this.slice.due()) await this.slice.rest();
      const { element } = step;
      if (startsDevTool(element)) continue;
      const kind = kindOf(element);
      this.look(element, kind, step, root);
      // Not element.id: in a form that is a field of that name.
      const id = element.getAttribute("id") ?? "";
      if (id !== "") remember(ids, id, element);
      const inner = holdsOthers(kind) ? [...step.above, kind] : step.above;
      for (let child = element.lastElementChild; child !== null; child = child.previousElementSibling) {
        stack.push({ element: child, level: step.level + 1, above: inner });
      }
      if (element.shadowRoot !== null) await this.tree(element.shadowRoot, [...element.shadowRoot.children], step.level + 1, inner);
    }
    for (const [id, sharing] of ids) {
      if (sharing.length > 1) this.sharedIds.push({ id, refs: sharing.map((element) => this.elements.add(element)), drawn: sharing.every((element) => element.namespaceURI !== XHTML) });
    }
  }

  private look(element: Element, kind: Kind, step: Step, root: Document | ShadowRoot): void {
    this.count++;
    if (step.level > this.depth) {
      this.depth = step.level;
      this.deepest = element;
    }
    this.children(element, kind.name);
    this.attributes(element);
    if (element.namespaceURI !== XHTML) return;
    if (OBSOLETE.has(kind.name)) this.obsolete.push(this.sized(element, 1, kind.name));
    const outer = misplacedIn(kind, element.parentElement?.localName ?? "", step.above);
    if (outer !== undefined) this.nested.push({ ref: this.elements.add(element), inner: kind.name, outer });
    this.pointers(element, kind, root);
    if (kind.name === "script" && !element.hasAttribute("src")) {
      const size = (element.textContent ?? "").length;
      if (size > SCRIPT_MAX_CHARS) this.bigScripts.push(this.sized(element, size, "script"));
    }
  }

  private sized(element: Element, size: number, name: string): SizeFact {
    return { ref: this.elements.add(element), size, name };
  }

  private children(element: Element, name: string): void {
    const size = element.childElementCount;
    if (size <= CHILDREN_MAX || UNCOUNTED.has(name) || element.namespaceURI !== XHTML) return;
    const list = LISTS.has(name) || LIST_ROLES.has(element.getAttribute("role") ?? "");
    if (list && size <= LIST_CHILDREN_MAX) return;
    // Coloured code is one span for each word.
    if (element.closest("pre, code") !== null) return;
    this.wide.push(this.sized(element, size, name));
  }

  private attributes(element: Element): void {
    for (const { name, value } of element.attributes) {
      if (name === "tabindex" && Number(value) > 0) this.tabOrder.push(this.elements.add(element));
      else if (name === "autofocus") this.autofocus.push(this.elements.add(element));
      else if (name === "src" && value.trim() === "" && /^(?:img|script|iframe|embed|source|audio|video)$/.test(element.localName)) this.emptySources.push(this.elements.add(element));
      if (value.length <= STYLE_MAX_CHARS) continue;
      if (value.startsWith("data:")) {
        if (value.length > DATA_URI_MAX_CHARS) this.bigDataUris.push(this.sized(element, value.length, `<${element.localName}>`));
      } else if (value.length > (name === "style" ? STYLE_MAX_CHARS : ATTRIBUTE_MAX_CHARS)) {
        this.bigAttributes.push(this.sized(element, value.length, name));
      }
    }
  }

  private pointers(element: Element, kind: Kind, root: Document | ShadowRoot): void {
    if (kind.name === "a" && kind.detail.startsWith("#") && element.getAttribute("role") !== "tab") {
      const id = kind.detail.slice(1);
      if (!isPlace(id, root)) this.brokenFragments.push({ ref: this.elements.add(element), id });
    }
    if (element instanceof HTMLLabelElement && element.htmlFor !== "" && root.getElementById(element.htmlFor) === null) {
      this.brokenLabels.push({ ref: this.elements.add(element), id: element.htmlFor });
    }
    if (isNameless(element)) this.nameless.push(this.elements.add(element));
  }
}

function kindOf(element: Element): Kind {
  const name = element.localName;
  if (name === "a") return { name, detail: (element.getAttribute("href") ?? "").trim() };
  if (name === "input") return { name, detail: (element.getAttribute("type") ?? "").toLowerCase() };
  return { name, detail: "" };
}

function remember(ids: Map<string, Element[]>, id: string, element: Element): void {
  const known = ids.get(id);
  if (known === undefined) ids.set(id, [element]);
  else known.push(element);
}

/** Whether a fragment leads somewhere: to an element, to the top, or to a route that a script reads. */
function isPlace(fragment: string, root: Document | ShadowRoot): boolean {
  if (fragment === "" || fragment.toLowerCase() === "top" || /^[!/?]|:~:|=/.test(fragment)) return true;
  // With a base the link leads to another page.
  if (document.querySelector("base[href]") !== null) return true;
  return [fragment, decoded(fragment)].some(
    (id) => root.getElementById(id) !== null || document.getElementById(id) !== null || document.getElementsByName(id).length > 0,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A field whose value is lost when its form is sent. A form without an address is sent by a script, which may read it by other means. */
function isNameless(element: Element): boolean {
  if (!(element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement)) return false;
  if (element.name !== "" || element.disabled || /^(?:submit|button|reset|image)$/.test(element.type)) return false;
  const action = element.form?.getAttribute("action")?.trim() ?? "";
  return action !== "" && !/^(?:#|javascript:)/i.test(action);
}
