import type { Finding, Grade } from "./types";

/** Least score of each grade; below the last it is F. */
const GRADES: readonly (readonly [Grade, number])[] = [
  ["A", 90],
  ["B", 80],
  ["C", 70],
  ["D", 60],
];

/** Score and what follows from it, for one audit. */
export interface Score {
  readonly score: number;
  readonly grade: Grade;
  /** Findings with a weight: those there is something to do about. */
  readonly issues: number;
}

export function gradeOf(score: number): Grade {
  for (const [grade, least] of GRADES) {
    if (score >= least) return grade;
  }
  return "F";
}

/** Starts at 100 and takes off each finding's weight; never leaves 0 to 100. */
export function scoreFindings<F extends Finding>(findings: readonly F[], weightOf: (finding: F) => number): Score {
  let score = 100;
  let issues = 0;
  for (const finding of findings) {
    const weight = weightOf(finding);
    score -= weight;
    if (weight > 0) issues++;
  }
  score = Math.max(0, Math.min(100, Math.round(score)));
  return { score, grade: gradeOf(score), issues };
}
