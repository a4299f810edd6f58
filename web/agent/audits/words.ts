import type { Score } from "./score";

/** Least score for each word; below the last it is "needs attention". */
export const WORD_GOOD = 80;
export const WORD_MODERATE = 60;

/** Longest message of a finding. */
export const MESSAGE_MAX = 160;

export function wordOf(score: number): string {
  if (score >= WORD_GOOD) return "good";
  return score >= WORD_MODERATE ? "moderate" : "needs attention";
}

/** `<quality> is <word>. (<n> <things> analyzed). <m> issues to address` */
export function summaryOf(quality: string, things: string, analyzed: number, result: Score): string {
  const head = `${quality} is ${wordOf(result.score)}. (${analyzed} ${things} analyzed)`;
  if (result.issues === 0) return head;
  return `${head}. ${result.issues} ${result.issues === 1 ? "issue" : "issues"} to address`;
}

/** `1 image`, `3 images`; another plural when it is given. */
export function counted(count: number, thing: string, things: string = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`;
}

/** A text on one line, without control characters and marks that turn the direction of what follows. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what this is about
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/g, " ").replace(/ {2,}/g, " ").trim();
}

/** At most this many characters, the cut shown. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 1;
  // Never half of a surrogate pair.
  const last = text.charCodeAt(end - 1);
  return `${text.slice(0, last >= 0xd800 && last < 0xdc00 ? end - 1 : end)}…`;
}

/** The page's own words inside ours: on one line, cut, in quotes. */
export function quoted(text: string, most: number = 40): string {
  return `"${clip(oneLine(text).replace(/"/g, "'"), most)}"`;
}

/** An address as a finding shows it: the path alone for the page's own origin, without what a query may hold. */
export function shownAddress(url: string, pageOrigin: string, most: number = 80): string {
  const bare = oneLine(url.split(/[?#]/, 1)[0] ?? "");
  const path = pageOrigin !== "" && bare.startsWith(`${pageOrigin}/`) ? bare.slice(pageOrigin.length) : bare;
  return path.startsWith("data:") ? clip(path, 24) : clipMiddle(path, most);
}

/** Cut in the middle: a path's end says most. */
function clipMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.floor(most / 3);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - head - 1))}`;
}
