import type { Score } from "./score";

/** Least score for each word; below the last it is "needs attention". */
export const WORD_GOOD = 80;
export const WORD_MODERATE = 60;

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
