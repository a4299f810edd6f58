// Which element may not be inside which. Only what the browser's parser would
// have repaired or what cannot be used: such markup comes from scripts, and a
// server that renders the same page gives another tree.

/** What an element is, as far as nesting goes. */
export interface Kind {
  readonly name: string;
  /** An address, for links; or the type of an input. */
  readonly detail: string;
}

const BLOCKS = new Set(["address", "article", "aside", "blockquote", "dl", "div", "details", "fieldset", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul"]);

const TABLE_PARTS: Readonly<Record<string, ReadonlySet<string>>> = {
  table: new Set(["caption", "colgroup", "thead", "tbody", "tfoot", "tr", "script", "template", "style"]),
  thead: new Set(["tr", "script", "template"]),
  tbody: new Set(["tr", "script", "template"]),
  tfoot: new Set(["tr", "script", "template"]),
  tr: new Set(["td", "th", "script", "template"]),
};

const PRESSED = new Set(["button", "select", "textarea", "iframe", "embed"]);

/** Something a user presses or fills in. */
export function isInteractive(kind: Kind): boolean {
  if (kind.name === "a") return kind.detail !== "";
  if (kind.name === "input") return kind.detail !== "hidden";
  return PRESSED.has(kind.name);
}

/** Ancestors that reach down to what is inside them at any depth. */
export function holdsOthers(kind: Kind): boolean {
  return (kind.name === "a" && kind.detail !== "") || kind.name === "button" || kind.name === "form" || kind.name === "p";
}

/**
 * The ancestor that may not hold the element, if there is one. `above` are the
 * ancestors that holdsOthers, nearest last; `parent` is the parent's name. A
 * paragraph forbids what is its direct child only: further down the browser
 * would have repaired the element between.
 */
export function misplacedIn(kind: Kind, parent: string, above: readonly Kind[]): string | undefined {
  const parts = TABLE_PARTS[parent];
  if (parts !== undefined && !parts.has(kind.name)) return parent;
  if (parent === "p" && BLOCKS.has(kind.name)) return "p";
  if (kind.name === "form" && above.some((outer) => outer.name === "form")) return "form";
  if (!isInteractive(kind)) return undefined;
  return above.find((outer) => outer.name === "a" || outer.name === "button")?.name;
}

/** Elements that the standard has given up. */
export const OBSOLETE = new Set([
  "acronym", "applet", "basefont", "bgsound", "big", "blink", "center", "dir", "font", "frame", "frameset", "isindex", "keygen", "listing", "marquee",
  "menuitem", "multicol", "nextid", "noembed", "noframes", "plaintext", "spacer", "strike", "tt", "xmp",
]);

/** Parents whose children are many by nature. */
export const LISTS = new Set(["ul", "ol", "dl", "menu", "table", "tbody", "thead", "tr", "select", "datalist", "optgroup"]);
export const LIST_ROLES = new Set(["list", "listbox", "grid", "rowgroup", "row", "table", "tree", "feed", "menu", "log"]);
/** Parents whose children nobody counts: code in colours, drawings, the head. */
export const UNCOUNTED = new Set(["head", "pre", "code", "svg", "g", "defs", "symbol", "math", "mrow", "template"]);
