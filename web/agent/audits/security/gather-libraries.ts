// Versions of libraries, as their globals tell them.

import type { LibraryFact } from "./facts";

/** Where a library keeps its version; the last name is the version's. */
const GLOBALS: readonly (readonly [library: string, path: string])[] = [
  ["jQuery", "jQuery.fn.jquery"],
  ["jQuery UI", "jQuery.ui.version"],
  ["AngularJS", "angular.version.full"],
  ["Bootstrap", "bootstrap.Tooltip.VERSION"],
  ["Bootstrap", "jQuery.fn.tooltip.Constructor.VERSION"],
  ["lodash", "_.VERSION"],
  ["Moment.js", "moment.version"],
  ["Handlebars", "Handlebars.VERSION"],
  ["Mustache", "Mustache.version"],
  ["Knockout", "ko.version"],
  ["DOMPurify", "DOMPurify.version"],
  ["axios", "axios.VERSION"],
];

export function gatherLibraries(): LibraryFact[] {
  const out = new Map<string, LibraryFact>();
  for (const [library, path] of GLOBALS) {
    const version = read(path);
    if (version === undefined) continue;
    // Underscore has the same global, and never came to version 2.
    const name = library === "lodash" && /^[01]\./.test(version) ? "Underscore" : library;
    if (!out.has(name)) out.set(name, { name, version });
  }
  return [...out.values()];
}

function read(path: string): string | undefined {
  let at: unknown = window;
  try {
    for (const name of path.split(".")) {
      if ((typeof at !== "object" && typeof at !== "function") || at === null) return undefined;
      at = Reflect.get(at, name);
    }
  } catch {
    return undefined; // a getter of the page's
  }
  // A page may have anything under these names.
  return typeof at === "string" && /^\d+\.\d+[\w.+-]{0,30}$/.test(at) ? at : undefined;
}
