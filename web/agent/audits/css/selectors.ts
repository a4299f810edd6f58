// Selectors as text: what is left of one when the states of the moment are
// taken out, what it needs, how strong it is. Pure.

/** States that come and go, and parts that are not elements. What is left says which element the rule is for. */
const STATES =
  /(?<!\\)(?:::[\w-]+(?:\([^()]*\))?|:(?:hover|active|focus|focus-visible|focus-within|visited|link|any-link|target|checked|indeterminate|default|disabled|enabled|read-only|read-write|placeholder-shown|autofill|valid|invalid|user-valid|user-invalid|in-range|out-of-range|required|optional|open|popover-open|modal|fullscreen|playing|paused|before|after|first-line|first-letter|-(?:webkit|moz|ms|o)-[\w-]+(?:\([^()]*\))?)(?![\w-]))/gi;

/** The selector without states; undefined when nothing certain is left. */
export function withoutStates(selector: string): string | undefined {
  const bare = selector
    .replace(STATES, "")
    // `:not()` of a state that went away, then of nothing.
    .replace(/:(?:not|is|where|has)\(\s*,*\s*\)/gi, "");
  const parts = splitList(bare).map((part) => {
    const text = part.trim();
    if (text === "") return "*";
    return text.replace(/([>+~])\s*(?=[>+~]|$)/g, "$1 *").replace(/^([>+~])/, "* $1");
  });
  return parts.length === 0 ? undefined : parts.join(",");
}

/** The parts of a selector list; commas inside brackets separate nothing. */
export function splitList(selector: string): string[] {
  const out: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < selector.length; at++) {
    const char = selector[at];
    if (char === "\\") at++;
    else if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (char === "," && depth === 0) {
      out.push(selector.slice(from, at));
      from = at + 1;
    }
  }
  out.push(selector.slice(from));
  return out;
}

/** Characters that were escaped stand here, out of the way of everything that reads selectors. */
const ESCAPED = 0xe000;

/** Escaped characters (`\:`, `\[`, `\31 `) made into characters that mean nothing in a selector. */
function hideEscapes(selector: string): string {
  return selector.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, hex: string | undefined, char: string | undefined) => {
    const code = hex === undefined ? (char ?? "").charCodeAt(0) : Number.parseInt(hex, 16);
    return code < 0x80 ? String.fromCharCode(ESCAPED + code) : String.fromCodePoint(Math.min(code, 0x10ffff));
  });
}

function showEscapes(name: string): string {
  return name.replace(/[\ue000-\ue07f]/g, (char) => String.fromCharCode(char.charCodeAt(0) - ESCAPED));
}

/** Without what stands in brackets of any kind; escapes hidden. */
function outside(selector: string): string {
  let text = hideEscapes(selector).replace(/\[[^\]]*\]/g, "");
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\([^()]*\)/g, "");
  }
  return text;
}

/** Classes that an element or its ancestors must have for one part of a list. */
export function neededClasses(part: string): string[] {
  return (outside(part).match(/\.(?:[\w-]|[\u0080-\uffff])+/g) ?? []).map((name) => showEscapes(name.slice(1)));
}

/** Ids that count for the strength of one part of a list; what stands in `:is()` and the like is left out, in doubt for the page. */
export function idsIn(part: string): number {
  return (outside(part).match(/#(?:[\w-]|[\u0080-\uffff])+/g) ?? []).length;
}

/** One class and nothing else: a utility, made to win over everything. */
export function isUtility(selector: string): boolean {
  return splitList(selector).every((part) => /^\s*\.(?:\\.|[\w-])+(?::[\w-]+)*(?:\s*>\s*:not\([^()]*\)(?:\s*~\s*:not\([^()]*\))?)?\s*$/.test(part));
}
