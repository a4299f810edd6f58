// The only part of the CSS audit that touches the page, in its own files by
// what they read: sheets, computed styles, the box of the page, animations.

import type { Elements } from "../fault";
import type { AuditPageInput } from "../input";
import type { Slice } from "../slice";
import { whereOf } from "../where";
import type { CssFacts } from "./facts";
import { gatherAnimations } from "./gather-animations";
import { gatherOverflows } from "./gather-overflow";
import { Sheets } from "./gather-sheets";
import { gatherStyles } from "./gather-styles";
import { gatherUnknown } from "./gather-unknown";
import { gatherUsage } from "./gather-usage";

export async function gather(input: AuditPageInput, elements: Elements, slice: Slice): Promise<CssFacts> {
  const sheets = new Sheets(elements, slice, new Set(input.seen?.failed));
  await sheets.read();
  const styles = await gatherStyles(elements, slice, sheets.pseudoFonts);
  return {
    where: whereOf(input, location.href),
    viewport: document.documentElement.clientWidth,
    sheets: sheets.sheets,
    unreadable: sheets.unreadable,
    failed: sheets.failed,
    rules: sheets.rules,
    usage: await gatherUsage(sheets.rules, slice),
    tinyTexts: styles.tinyTexts,
    overflows: await gatherOverflows(elements, slice),
    endless: gatherAnimations(elements),
    reducedMotion: sheets.reducedMotion,
    unusedFonts: styles.unusedFonts,
    unknown: await gatherUnknown(elements, slice),
  };
}
