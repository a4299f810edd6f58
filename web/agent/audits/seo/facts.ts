// What the SEO audit knows about a page: plain values, elements by number.

import type { Where } from "../where";

/** An element and what it says. */
export interface TextFact {
  readonly ref: number;
  readonly text: string;
}

/** A heading of the first level. */
export interface HeadingFact extends TextFact {
  readonly shown: boolean;
}

export interface LinkFact {
  readonly ref: number;
  /** As it is written; undefined when there is none. */
  readonly href: string | undefined;
  /** Text, or what stands for it: a label, an image's alternative. */
  readonly text: string;
  /** Has an onclick attribute. */
  readonly onclick: boolean;
  /** Says that it is a button, a tab, a menu's switch: something to press, not to follow. */
  readonly control: boolean;
  /** Leads to a place of this page, such as a slide, by the name or number behind its hash. */
  readonly inPage: boolean;
}

export interface AlternateFact {
  readonly ref: number;
  readonly lang: string;
  readonly href: string;
}

/** One `<script type="application/ld+json">`. */
export interface StructuredFact {
  readonly ref: number;
  readonly text: string;
}

/** `<meta>` by its name or property, lower case. */
export interface MetaFact extends TextFact {
  readonly name: string;
}

export interface SeoFacts {
  readonly where: Where;
  /** 0 when it was not seen. */
  readonly status: number;
  /** X-Robots-Tag lines. */
  readonly robotsHeaders: readonly string[];
  readonly titles: readonly TextFact[];
  readonly metas: readonly MetaFact[];
  readonly headings: readonly HeadingFact[];
  readonly lang: string;
  readonly charset: string;
  readonly canonicals: readonly TextFact[];
  readonly alternates: readonly AlternateFact[];
  readonly structured: readonly StructuredFact[];
  readonly refreshes: readonly TextFact[];
  readonly icons: number;
  readonly links: readonly LinkFact[];
  /** Words that can be seen. */
  readonly words: number;
}
