// Every limit the CSS audit goes by. All are echoed in the report.

/** Both must be passed: a page shows one state of many, so much unused CSS is normal. */
export const UNUSED_SHARE = 0.6;
export const UNUSED_MIN_CHARS = 20 * 1024;
/** Rules whose selectors are tried on the page; of more, an even sample. */
export const USAGE_SAMPLE = 4000;
/** Declarations with !important: share of all, and how many at least. Utility classes do not count. */
export const IMPORTANT_INFO_SHARE = 0.1;
export const IMPORTANT_WARNING_SHARE = 0.25;
export const IMPORTANT_MIN = 20;
/** Ids in one selector that make it hard to override, and how many such selectors are worth a word. */
export const SPECIFIC_IDS = 2;
export const SPECIFIC_MIN = 3;
/** Rules that stand twice in one sheet, word for word. */
export const DUPLICATE_MIN = 10;
/** Characters of one sheet. */
export const SHEET_INFO_CHARS = 300 * 1024;
export const SHEET_WARNING_CHARS = 1024 * 1024;
/** Highest z-index that is not shouting. */
export const Z_INDEX_MAX = 9999;
/** Text smaller than this can hardly be read. */
export const TEXT_MIN_PX = 10;
/** Elements whose computed style is read. */
export const STYLED_MAX = 4000;
/** Pixels that may stick out to the side; rounding makes one. */
export const OVERFLOW_PX = 1;
/** Square pixels from which on endless motion disturbs. */
export const MOTION_MIN_AREA = 10_000;
/** Characters of one style element that are searched for unknown properties. */
export const STYLE_TEXT_MAX_CHARS = 200 * 1024;
/** A chain of @import this long loads its files one after the other. */
export const IMPORT_CHAIN = 2;

export const THRESHOLDS = {
  unusedShare: UNUSED_SHARE,
  unusedMinChars: UNUSED_MIN_CHARS,
  usageSample: USAGE_SAMPLE,
  importantInfoShare: IMPORTANT_INFO_SHARE,
  importantWarningShare: IMPORTANT_WARNING_SHARE,
  importantMin: IMPORTANT_MIN,
  specificIds: SPECIFIC_IDS,
  specificMin: SPECIFIC_MIN,
  duplicateMin: DUPLICATE_MIN,
  sheetInfoChars: SHEET_INFO_CHARS,
  sheetWarningChars: SHEET_WARNING_CHARS,
  zIndexMax: Z_INDEX_MAX,
  textMinPx: TEXT_MIN_PX,
  styledMax: STYLED_MAX,
  overflowPx: OVERFLOW_PX,
  motionMinArea: MOTION_MIN_AREA,
  styleTextMaxChars: STYLE_TEXT_MAX_CHARS,
  importChain: IMPORT_CHAIN,
} as const;
