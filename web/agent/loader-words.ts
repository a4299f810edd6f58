// Which elements say of themselves that something is loading: by their role,
// their state, or a word in their class or id.

import type { LoaderRecord } from "./loader-record";

export type LoaderKind = LoaderRecord["kind"];

/** Finds everything that could be a loader, cheaply and natively; words are then looked at one by one. */
export const loaderSelector =
  '[aria-busy="true" i],[role="progressbar" i],progress,[class*="spinner" i],[class*="load" i],[class*="skeleton" i],[class*="shimmer" i],' +
  '[id*="spinner" i],[id*="load" i],[id*="skeleton" i],[id*="shimmer" i]';

/** What a class list or an id says. Whole words only, however they are joined: neither download nor reload, but card--isLoading. */
export function loaderWord(text: string): "spinner" | "skeleton" | null {
  let found: "spinner" | "skeleton" | null = null;
  for (const word of text.replace(/([a-z])(?=[A-Z])/g, "$1 ").split(/[^A-Za-z]+/)) {
    if (/^(?:skeleton|shimmer)s?$/i.test(word)) return "skeleton";
    if (/^(?:spinner|loading|loader)s?$/i.test(word)) found = "spinner";
  }
  return found;
}

/** What the element says it is; null for no loader. A skeleton that is busy is a skeleton. */
export function loaderKind(tag: string, role: string | null, busy: string | null, words: string): LoaderKind | null {
  // A word on the root or the body is the state of the page, not something to be seen.
  const word = tag === "body" || tag === "html" ? null : loaderWord(words);
  if (word === "skeleton") return word;
  if (tag === "progress" || role?.trim().toLowerCase() === "progressbar") return "progress";
  return word ?? (busy?.trim().toLowerCase() === "true" ? "busy" : null);
}

/** Slower turns are decoration: logos, clouds, records. In ms. */
export const slowestSpin = 4000;

const spinNames = /(?:^|[^a-z])(?:spin|spinner|rotate|rotation|rotating|loading|loader|shimmer|skeleton)(?:$|[^a-z])/i;
const turn = /rotate[xyz3d]*\(.*?(?:-?(?:1|0?\.5)turn|-?(?:180|270|3[0-9]{2}|720)deg)/i;

/** Whether an animation that never ends looks like a spinner: by its name, or because it turns. */
export function isSpin(name: string, duration: number, transforms: readonly string[]): boolean {
  if (!(duration > 0 && duration <= slowestSpin)) return false;
  return spinNames.test(name.replace(/([a-z])(?=[A-Z])/g, "$1-")) || transforms.some((text) => turn.test(text));
}
