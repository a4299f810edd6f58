// Ids that stay the same from run to run: they rest on what is at fault, never
// on when or how often.

/** FNV-1a over UTF-16 units, its lowest 24 bits as six hex digits. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  // Fold the high byte in: the low bits alone mix the end of the text poorly.
  const folded = (hash ^ (hash >>> 24)) & 0xffffff;
  return folded.toString(16).padStart(6, "0");
}

/** Gives ids within one report; two faults never share one. */
export class FindingIds {
  private readonly given = new Set<string>();

  /** `<type>-<6 hex>` of type, method and target; `tail` tells apart faults that agree in all three. */
  id(type: string, method: string, target: string, tail: string): string {
    const base = `${type}\n${method}\n${target}`;
    let id = `${type}-${shortHash(base)}`;
    for (let round = 1; this.given.has(id); round++) id = `${type}-${shortHash(`${base}\n${tail}\n${round}`)}`;
    this.given.add(id);
    return id;
  }
}
