// What the CSS audit knows about a page: plain values, elements by number.

import type { Place } from "../types";
import type { Where } from "../where";

/** A stylesheet that could be read. */
export interface SheetFact {
  /** The element it belongs to, if there is one. */
  readonly ref: number | undefined;
  /** Its address; empty for what stands in the page. */
  readonly url: string;
  readonly place: Place | undefined;
  /** Characters of its rules as the browser writes them. */
  readonly chars: number;
  readonly rules: number;
  /** Somebody else's: a package, a theme's copy of one. Nobody edits it here. */
  readonly vendor: boolean;
  /** Written by a script while the page runs. */
  readonly generated: boolean;
  /** How far down a chain of @import it stands; 0: not imported. */
  readonly imported: number;
}

/** A stylesheet that was asked for and did not come. */
export interface FailedFact {
  readonly ref: number;
  readonly url: string;
  /** From the page's own server. */
  readonly own: boolean;
}

/** One style rule. */
export interface RuleFact {
  /** Index of its sheet. */
  readonly sheet: number;
  readonly selector: string;
  /** The conditions it stands under, joined. */
  readonly context: string;
  readonly declarations: string;
  readonly chars: number;
  readonly zIndex: number;
}

/** How much of the rules fits nothing on the page. */
export interface UsageFact {
  readonly rules: number;
  readonly unused: number;
  readonly unusedChars: number;
}

export interface TextSizeFact {
  readonly ref: number;
  readonly px: number;
}

export interface OverflowFact {
  readonly ref: number;
  /** How far it sticks out. */
  readonly px: number;
}

export interface AnimationFact {
  readonly ref: number;
  readonly name: string;
  /** Animated properties, as scripts write them. */
  readonly properties: readonly string[];
  /** Square pixels of what moves. */
  readonly area: number;
}

/** A declaration that the browser dropped because it knows no such property. */
export interface UnknownFact {
  readonly ref: number;
  readonly property: string;
  readonly suggestion: string;
  readonly place: Place | undefined;
}

export interface CssFacts {
  readonly where: Where;
  readonly viewport: number;
  readonly sheets: readonly SheetFact[];
  readonly unreadable: readonly number[];
  /** Stylesheets that did not come. */
  readonly failed: readonly FailedFact[];
  readonly rules: readonly RuleFact[];
  readonly usage: UsageFact | undefined;
  readonly tinyTexts: readonly TextSizeFact[];
  readonly overflows: readonly OverflowFact[];
  /** Animations that never end. */
  readonly endless: readonly AnimationFact[];
  /** Whether any rule asks about reduced motion. */
  readonly reducedMotion: boolean;
  /** Families that were loaded and that no element has. */
  readonly unusedFonts: readonly string[];
  readonly unknown: readonly UnknownFact[];
}
