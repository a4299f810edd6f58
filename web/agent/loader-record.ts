/**
 * One loading indicator as the recorder saw it and as the loading audit reads
 * it. Plain data: it survives JSON unchanged.
 */
export interface LoaderRecord {
  /** Unique within one page visit, in the order in which the loaders appeared. */
  readonly id: number;
  /** A CSS path of the element, made when it was first seen; ` >>> ` leads into an open shadow root. */
  readonly selector: string;
  /** Selector of the part of the page it stands in: the closest landmark, section or element with an id. */
  readonly region: string;
  readonly kind: "busy" | "progress" | "spinner" | "skeleton";
  /** When it was first seen, in milliseconds since the navigation started (`performance.now()`). */
  readonly start: number;
  /** When it was gone; null while it is visible. */
  readonly end: number | null;
  /** Selector of the closest block container around it, for loaders that stand beside each other. */
  readonly container: string;
}

/** What `window.__devtool.loaders()` hands out. */
export interface LoaderRecords {
  /** Oldest first. */
  readonly records: LoaderRecord[];
  /** Loaders that no longer fit. */
  readonly dropped: number;
}
