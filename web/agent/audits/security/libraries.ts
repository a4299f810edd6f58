// Versions of libraries with a published hole that a page can suffer from.
// A small table of facts, not a scanner: the ones met most often, found by the
// global that they leave.

import type { LibraryFact } from "./facts";

/** A hole, and from which version on it is closed. */
export interface Hole {
  readonly library: string;
  /** First version that is not affected; undefined: none is, the library has ended. */
  readonly fixed: string | undefined;
  /** First version that is affected. */
  readonly since: string;
  readonly what: string;
  readonly serious: boolean;
}

export const HOLES: readonly Hole[] = [
  { library: "jQuery", since: "0", fixed: "3.5.0", what: "cross-site scripting through html() (CVE-2020-11022)", serious: true },
  { library: "jQuery UI", since: "0", fixed: "1.13.2", what: "cross-site scripting in its widgets (CVE-2022-31160)", serious: true },
  { library: "AngularJS", since: "0", fixed: undefined, what: "ended in 2022 with open holes", serious: true },
  { library: "Bootstrap", since: "0", fixed: "3.4.1", what: "cross-site scripting in tooltips (CVE-2019-8331)", serious: true },
  { library: "Bootstrap", since: "4.0.0", fixed: "4.3.1", what: "cross-site scripting in tooltips (CVE-2019-8331)", serious: true },
  { library: "lodash", since: "0", fixed: "4.17.21", what: "code injection through template() (CVE-2021-23337)", serious: true },
  { library: "Underscore", since: "1.3.2", fixed: "1.12.1", what: "code injection through template() (CVE-2021-23358)", serious: true },
  { library: "Moment.js", since: "2.18.0", fixed: "2.29.4", what: "dates that take very long to read (CVE-2022-31129)", serious: false },
  { library: "Handlebars", since: "0", fixed: "4.7.7", what: "code injection through templates (CVE-2021-23369)", serious: true },
  { library: "Mustache", since: "0", fixed: "2.2.1", what: "cross-site scripting in attributes without quotes (CVE-2015-8862)", serious: true },
  { library: "Knockout", since: "0", fixed: "3.5.0", what: "cross-site scripting in attributes (CVE-2019-14862)", serious: true },
  { library: "DOMPurify", since: "0", fixed: "2.5.4", what: "markup that gets past it (CVE-2024-45801)", serious: true },
  { library: "DOMPurify", since: "3.0.0", fixed: "3.1.3", what: "markup that gets past it (CVE-2024-45801)", serious: true },
  { library: "axios", since: "0.8.1", fixed: "0.28.0", what: "the XSRF token goes to other sites (CVE-2023-45857)", serious: true },
  { library: "axios", since: "1.0.0", fixed: "1.6.0", what: "the XSRF token goes to other sites (CVE-2023-45857)", serious: true },
];

/** The hole of a library's version; undefined for one without, and for a version that cannot be read. */
export function holeOf(library: LibraryFact): Hole | undefined {
  if (!/^\d+(?:\.\d+)*/.test(library.version)) return undefined;
  return HOLES.find(
    (hole) =>
      hole.library === library.name &&
      compareVersions(library.version, hole.since) >= 0 &&
      (hole.fixed === undefined || compareVersions(library.version, hole.fixed) < 0),
  );
}

/** Below 0 when the first is older. `3.5.0-rc.1` is older than `3.5.0`. */
export function compareVersions(first: string, second: string): number {
  const [a, b] = [numbers(first), numbers(second)];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(isEarly(second)) - Number(isEarly(first));
}

function numbers(version: string): number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? "0").split(".").map(Number);
}

function isEarly(version: string): boolean {
  return /^\d+(?:\.\d+)*-(?:alpha|beta|rc|pre|dev|next)/i.test(version);
}
