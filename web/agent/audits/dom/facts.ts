// What the DOM audit knows about a page: plain values, elements by number.

import type { Where } from "../where";

/** An element and a figure. */
export interface SizeFact {
  readonly ref: number;
  readonly size: number;
  /** What kind of element or attribute it is. */
  readonly name: string;
}

/** Elements of one tree that share an id. */
export interface SharedId {
  readonly id: string;
  readonly refs: readonly number[];
  /** All of them are parts of drawings. */
  readonly drawn: boolean;
}

/** An element inside one that may not hold it. */
export interface NestingFact {
  readonly ref: number;
  readonly inner: string;
  readonly outer: string;
}

/** An element that names another by id. */
export interface PointerFact {
  readonly ref: number;
  readonly id: string;
}

export interface DomFacts {
  readonly where: Where;
  readonly elements: number;
  readonly quirks: boolean;
  /** The element furthest down; body is 1. */
  readonly deepest: SizeFact | undefined;
  /** Parents with many children, lists apart from others. */
  readonly wide: readonly SizeFact[];
  readonly sharedIds: readonly SharedId[];
  readonly obsolete: readonly SizeFact[];
  readonly nested: readonly NestingFact[];
  /** Fields of forms that send themselves, without a name. */
  readonly nameless: readonly number[];
  readonly brokenFragments: readonly PointerFact[];
  readonly brokenLabels: readonly PointerFact[];
  readonly tabOrder: readonly number[];
  readonly autofocus: readonly number[];
  readonly bigAttributes: readonly SizeFact[];
  readonly bigDataUris: readonly SizeFact[];
  readonly bigScripts: readonly SizeFact[];
  readonly emptySources: readonly number[];
}
