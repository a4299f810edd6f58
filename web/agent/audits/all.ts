// Every audit in one run, and the one number they come to. The weights and the
// rounding are the Go side's as well: contract/overall.json is tested on both.

import type { AuditPageInput } from "./input";
import { gradeOf } from "./score";
import { Slice } from "./slice";
import { AUDIT_NAMES } from "./types";
import type { AuditName, Grade, Report } from "./types";

/** What each audit counts for, in tenths: whole numbers add up the same everywhere. */
export const AUDIT_WEIGHTS: Readonly<Record<AuditName, number>> = {
  security: 15,
  accessibility: 13,
  performance: 12,
  seo: 10,
  dom: 8,
  css: 7,
  api: 11,
  loading: 11,
};

/** One audit of the page. */
export interface Audit {
  readonly name: AuditName;
  /** Its name under __devtool, and what is said of it there; none when another bundle brings it. */
  readonly helper?: string;
  readonly help?: string;
  run(input: AuditPageInput): Report | Promise<Report>;
}

/** An audit that could not be done, and why. */
export interface Failure {
  readonly audit: AuditName;
  readonly error: string;
}

/** What the overall number is made of. */
export interface Measured {
  readonly audit: string;
  readonly score: number;
  readonly analyzed: number;
}

export interface Overall {
  /** Weighted mean over what was measured, rounded half up; null when nothing was. */
  readonly score: number | null;
  readonly grade: Grade | null;
  readonly measured: readonly AuditName[];
  /** Failed, absent, or without anything to judge. */
  readonly unmeasured: readonly AuditName[];
}

export interface AllReport extends Overall {
  readonly audits: readonly Report[];
  readonly failed: readonly Failure[];
  /** How long each took, in ms, waiting for its turn included. */
  readonly ms: Readonly<Record<string, number>>;
  /** The longest main-thread task while the audits ran, the page's own included; 0 when none was over 50 ms. */
  readonly longestTaskMs: number;
}

/** Weighted mean over the audits that had something to judge. */
export function overall(results: readonly Measured[]): Overall {
  const measured: AuditName[] = [];
  let sum = 0;
  let weights = 0;
  for (const name of AUDIT_NAMES) {
    const result = results.find((candidate) => candidate.audit === name);
    if (result === undefined || result.analyzed <= 0) continue;
    measured.push(name);
    sum += AUDIT_WEIGHTS[name] * result.score;
    weights += AUDIT_WEIGHTS[name];
  }
  const unmeasured = AUDIT_NAMES.filter((name) => !measured.includes(name));
  if (weights === 0) return { score: null, grade: null, measured, unmeasured };
  const score = Math.floor((2 * sum + weights) / (2 * weights));
  return { score, grade: gradeOf(score), measured, unmeasured };
}

/** How much an audit looked at. */
export function analyzedBy(report: Report): number {
  return (
    report.callsAnalyzed ??
    report.loadersAnalyzed ??
    report.checksAnalyzed ??
    report.elementsAnalyzed ??
    report.metricsAnalyzed ??
    report.rulesAnalyzed ??
    0
  );
}

/** Runs the audits one after the other; one that fails takes no other down. */
export async function runAll(audits: readonly Audit[], input: AuditPageInput): Promise<AllReport> {
  const tasks = watchTasks();
  const reports: Report[] = [];
  const failed: Failure[] = [];
  const ms: Record<string, number> = {};
  const slice = new Slice();
  for (const audit of audits) {
    await slice.yield();
    const began = performance.now();
    try {
      reports.push(await audit.run(input));
    } catch (error) {
      failed.push({ audit: audit.name, error: error instanceof Error ? error.message : String(error) });
    }
    ms[audit.name] = Math.round((performance.now() - began) * 10) / 10;
  }
  await slice.yield();
  const verdict = overall(reports.map((report) => ({ audit: report.audit, score: report.score, analyzed: analyzedBy(report) })));
  return { ...verdict, audits: reports, failed, ms, longestTaskMs: Math.round(tasks()) };
}

/** Watches for long tasks until it is asked for the longest. */
function watchTasks(): () => number {
  let longest = 0;
  const take = (entries: readonly PerformanceEntry[]): void => {
    for (const entry of entries) longest = Math.max(longest, entry.duration);
  };
  try {
    const observer = new PerformanceObserver((list) => take(list.getEntries()));
    observer.observe({ type: "longtask" });
    return () => {
      take(observer.takeRecords());
      observer.disconnect();
      return longest;
    };
  } catch {
    return () => 0;
  }
}
