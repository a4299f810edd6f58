// Declarations in the text of a stylesheet: the browser's own model has
// forgotten those it did not understand. Pure.

export interface Declaration {
  readonly property: string;
  /** Counted from 1. */
  readonly line: number;
}

/** Blocks that hold declarations of properties, or rules that do. Others (@font-face, @property, @keyframes' own) have words of their own. */
const GROUPS = /^@(?:media|supports|layer|container|scope|starting-style|keyframes|-webkit-keyframes|document|-moz-document)\b/i;

/** Every declaration of a property, with its line. Nested rules are read as well. */
export function declarationsIn(text: string): Declaration[] {
  const reader = new Reader(text);
  reader.read();
  return reader.found;
}

class Reader {
  readonly found: Declaration[] = [];
  private readonly text: string;
  private at = 0;
  private line = 1;
  /** How deep inside a block that is not read. */
  private foreign = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  read(): void {
    while (this.at < this.text.length) this.piece();
  }

  /** From one `{`, `}` or `;` to the next. */
  private piece(): void {
    let piece = "";
    let line = 0;
    let brackets = 0;
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at] ?? "";
      if (char === "/" && this.text[this.at + 1] === "*") {
        this.comment();
        continue;
      }
      if (char === '"' || char === "'") this.string(char);
      else if (char === "\\") this.at++;
      else if (char === "(") brackets++;
      else if (char === ")") brackets--;
      else if (brackets <= 0 && (char === "{" || char === "}" || char === ";")) {
        this.at++;
        this.close(piece.trim(), char, line);
        return;
      }
      if (char === "\n") this.line++;
      if (line === 0 && char.trim() !== "") line = this.line;
      piece += char;
    }
  }

  private close(piece: string, end: string, line: number): void {
    if (end === "{") {
      this.depth++;
      const own = !piece.startsWith("--") && (!piece.startsWith("@") || GROUPS.test(piece));
      if (this.foreign > 0 || !own) this.foreign++;
      return;
    }
    if (this.depth > 0 && this.foreign === 0) this.declaration(piece, line);
    if (end === "}") {
      this.depth = Math.max(0, this.depth - 1);
      if (this.foreign > 0) this.foreign--;
    }
  }

  private declaration(piece: string, line: number): void {
    const property = /^([a-z][a-z-]*)\s*:/i.exec(piece)?.[1];
    if (property !== undefined) this.found.push({ property: property.toLowerCase(), line });
  }

  private comment(): void {
    const end = this.text.indexOf("*/", this.at + 2);
    const to = end === -1 ? this.text.length : end + 1;
    for (; this.at < to; this.at++) if (this.text[this.at] === "\n") this.line++;
  }

  private string(quote: string): void {
    for (this.at++; this.at < this.text.length && this.text[this.at] !== quote; this.at++) {
      if (this.text[this.at] === "\\") this.at++;
      if (this.text[this.at] === "\n") {
        this.line++;
        return; // a string ends with its line
      }
    }
  }
}

/** Properties of other engines, of older days and of drafts, by how they begin: no misspellings. */
const ELSEWHERE =
  /^(?:-|font-smooth|font-display|user-drag|margin-trim|hanging-punctuation|mask-|text-(?:justify|spacing|box|fill-color|stroke|autospace|emphasis|decoration|wrap)|speak|ime-mode|behavior|tap-highlight-color|touch-callout|overflow-scrolling|leading-trim|box-(?:flex|pack|align|orient|direction|ordinal|lines)|flex-(?:pack|align|order|line)|scrollbar-|layout-|composes|src$|unicode-range|app-region|interpolation-mode|azimuth|pitch|voice-|volume|cue|line-(?:clamp|snap|grid|padding)|filter$|progid|bookmark-|marks|bleed|string-set|float-|footnote-|initial-letter|block-ellipsis|max-lines|continue|reading-|corner-|item-|animation-|view-|scroll-|timeline|position-|anchor-|interactivity|overlay|ruby-|wrap-|image-|shape-|column-|row-|rule|grid-)/;

/** The word that is meant, "" when no word is near, undefined when it is most likely no misspelling. */
export function misspelt(property: string, known: Iterable<string>): string | undefined {
  const near = property.length > 3 ? nearestProperty(property, known) : "";
  if (ELSEWHERE.test(property)) return near !== "" && near[0] === property[0] && editDistance(property, near, 2) === 1 ? near : undefined;
  return near;
}

/** The known property that is meant, if one is near: at most two letters off. */
export function nearestProperty(property: string, known: Iterable<string>): string {
  let best = "";
  let least = 3;
  for (const candidate of known) {
    if (Math.abs(candidate.length - property.length) >= least) continue;
    const distance = editDistance(property, candidate, least);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Letters to change, add, drop or swap; `most` or more is told as `most`. */
export function editDistance(from: string, to: string, most: number): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1;
      let cost = Math.min((next[j - 1] ?? most) + 1, (row[j] ?? most) + 1, (row[j - 1] ?? most) + same);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) cost = Math.min(cost, (before[j - 2] ?? most) + 1);
      next.push(cost);
    }
    [before, row] = [row, next];
  }
  return Math.min(most, row[to.length] ?? most);
}
