// Every limit the DOM audit goes by. All are echoed in the report.

/** Elements of a page: Lighthouse's limits, and twice the upper one. */
export const ELEMENTS_INFO = 800;
export const ELEMENTS_WARNING = 1500;
export const ELEMENTS_CRITICAL = 3000;
/** Levels below body, body included. */
export const DEPTH_MAX = 32;
/** Children of one element; rows and items of a list are many by nature. */
export const CHILDREN_MAX = 60;
export const LIST_CHILDREN_MAX = 300;
/** Characters of one attribute; of a style attribute. */
export const ATTRIBUTE_MAX_CHARS = 32 * 1024;
export const STYLE_MAX_CHARS = 1024;
/** Characters of one data: address. */
export const DATA_URI_MAX_CHARS = 50 * 1024;
/** Characters of one inline script; Next.js warns from the same size on. */
export const SCRIPT_MAX_CHARS = 128 * 1024;

export const THRESHOLDS = {
  elementsInfo: ELEMENTS_INFO,
  elementsWarning: ELEMENTS_WARNING,
  elementsCritical: ELEMENTS_CRITICAL,
  depthMax: DEPTH_MAX,
  childrenMax: CHILDREN_MAX,
  listChildrenMax: LIST_CHILDREN_MAX,
  attributeMaxChars: ATTRIBUTE_MAX_CHARS,
  styleMaxChars: STYLE_MAX_CHARS,
  dataUriMaxChars: DATA_URI_MAX_CHARS,
  scriptMaxChars: SCRIPT_MAX_CHARS,
} as const;
