// What the audit looks at: plain data, gathered once. Elements are numbers.

/** A metric that could not be measured is not there. */
export interface Vitals {
  readonly ttfb?: number;
  readonly fcp?: number;
  readonly lcp?: Largest;
  readonly cls?: Shift;
  readonly inp?: Interaction;
  /** Total blocking time, and the tasks it is made of. */
  readonly tbt?: Blocking;
}

export interface Largest {
  readonly value: number;
  readonly ref?: number;
  /** Of an image, without its query. */
  readonly url?: string;
  readonly image: boolean;
  readonly lazy: boolean;
  /** Asked for early: fetchpriority=high or a preload. */
  readonly hurried: boolean;
  /** Parts of the time in ms, as web-vitals has them. */
  readonly loadDelay: number;
  readonly loadDuration: number;
  readonly renderDelay: number;
}

export interface Shift {
  readonly value: number;
  readonly ref?: number;
}

export interface Interaction {
  readonly value: number;
  readonly ref?: number;
}

export interface Blocking {
  readonly value: number;
  readonly tasks: number;
  /** Scripts that took most of it, worst first, where the browser says. */
  readonly scripts: readonly string[];
}

export interface Resource {
  readonly url: string;
  readonly kind: "script" | "style" | "image" | "font" | "media" | "fetch" | "other";
  /** Bytes over the wire, compressed; 0 when unknown. */
  readonly encoded: number;
  readonly decoded: number;
  readonly start: number;
  readonly end: number;
  readonly blocking: boolean;
  readonly sameOrigin: boolean;
}

export interface Picture {
  readonly ref: number;
  readonly url: string;
  /** Pixels of the file and of the box it is shown in, in CSS pixels. */
  readonly naturalWidth: number;
  readonly naturalHeight: number;
  readonly width: number;
  readonly height: number;
  /** From the top of the document, in screens. */
  readonly screens: number;
  readonly lazy: boolean;
  readonly vector: boolean;
  /** Whether its place is kept free before it is there. */
  readonly sized: boolean;
  /** Of the file, compressed; 0 when unknown. */
  readonly bytes: number;
}

export interface PerformanceFacts {
  readonly path: string;
  readonly origin: string;
  /** On a developer's machine: what a server for everybody owes is not owed here. */
  readonly local: boolean;
  /** A development server's name, when the page comes from one. */
  readonly devServer: string;
  readonly density: number;
  readonly vitals: Vitals;
  readonly resources: readonly Resource[];
  readonly pictures: readonly Picture[];
  /** Families of web fonts that hide their text while they load. */
  readonly hidingFonts: readonly string[];
  readonly redirectMs: number;
  /** The document's Cache-Control says no-store; undefined when headers were not seen. */
  readonly noStore: boolean | undefined;
}
