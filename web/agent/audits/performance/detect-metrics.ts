// The metrics, by Lighthouse's curves.

import type { Severity } from "../types";
import { counted, shownAddress } from "../words";
import { scoreOf } from "./curve";
import type { Largest, PerformanceFacts } from "./facts";
import { CLS, DEVELOPMENT_SHARE, FCP, INP_GOOD_MS, INP_POOR_MS, LCP, LCP_HURRY_MS, TBT, TTFB_GOOD_MS, TTFB_POOR_MS, WEIGHTS } from "./thresholds";
import type { Curve } from "./thresholds";
import { ms } from "./told";
import type { Told } from "./told";

/** How many metrics there are to judge. */
export function metricsMeasured({ vitals }: PerformanceFacts): number {
  return Object.values(vitals).filter((metric) => metric !== undefined).length;
}

export function detectMetrics(facts: PerformanceFacts): Told[] {
  const { ttfb, fcp, lcp, cls, inp, tbt } = facts.vitals;
  const judged = new Judge(facts);
  const found: Told[] = [];
  if (ttfb !== undefined && ttfb > TTFB_GOOD_MS) found.push(slowServer(facts, ttfb));
  if (fcp !== undefined && fcp > FCP.good) {
    found.push({ type: "slow-fcp", ...judged.metric(fcp, FCP), message: `first paint after ${ms(fcp)} → ${judged.dev("shorten what comes before it: server, blocking scripts and styles")}` });
  }
  if (lcp !== undefined) found.push(...largest(lcp, judged, facts.origin));
  if (tbt !== undefined && tbt.value > TBT.good) {
    const where = tbt.scripts.length === 0 ? "" : `, most in ${tbt.scripts[0]}`;
    found.push({
      type: "main-thread-blocked",
      ...judged.metric(tbt.value, TBT),
      message: `${ms(tbt.value)} blocked by ${counted(tbt.tasks, "long task")} while loading${where} → ${judged.dev("split the work, load less script")}`,
      examples: tbt.scripts,
    });
  }
  if (cls !== undefined && cls.value > CLS.good) {
    found.push({
      type: "layout-shift",
      // What moves in development moves in production.
      ...judged.metric(cls.value, CLS, 1),
      message: `content moves while loading (CLS ${cls.value.toFixed(2)}) → keep its place free: sizes on images, embeds and what is added late`,
      ...refs(cls.ref),
    });
  }
  if (inp !== undefined && inp.value > INP_GOOD_MS) {
    const critical = inp.value > INP_POOR_MS;
    found.push({
      type: "slow-interaction",
      severity: critical ? "critical" : "warning",
      weight: critical ? WEIGHTS.inpCritical : WEIGHTS.inpWarning,
      message: `an interaction took ${ms(inp.value)} to show → do less in its handler before the next frame`,
      ...refs(inp.ref),
    });
  }
  return found;
}

/** Shares and severities of one page's metrics. */
class Judge {
  /** What makes the shares of the measured metrics add up to 100. */
  private readonly scale: number;
  private readonly devServer: string;

  constructor({ vitals, devServer }: PerformanceFacts) {
    const measured: readonly (readonly [unknown, Curve])[] = [[vitals.fcp, FCP], [vitals.lcp, LCP], [vitals.tbt, TBT], [vitals.cls, CLS]];
    let sum = 0;
    for (const [value, curve] of measured) if (value !== undefined) sum += curve.share;
    this.scale = sum === 0 ? 0 : 100 / sum;
    this.devServer = devServer;
  }

  metric(value: number, curve: Curve, share: number = this.devServer === "" ? 1 : DEVELOPMENT_SHARE): { severity: Severity; weight: number } {
    const lost = (1 - scoreOf(value, curve)) * curve.share * this.scale * share;
    return { severity: value > curve.median ? "critical" : "warning", weight: Math.max(1, Math.round(lost)) };
  }

  dev(advice: string): string {
    return this.devServer === "" ? advice : `${advice} (${this.devServer} development server: counts half)`;
  }
}

function slowServer(facts: PerformanceFacts, ttfb: number): Told {
  const development = facts.local || facts.devServer !== "";
  const critical = ttfb > TTFB_POOR_MS;
  return {
    type: "slow-server",
    severity: development ? "info" : critical ? "critical" : "warning",
    weight: development ? 0 : critical ? WEIGHTS.slowServerCritical : WEIGHTS.slowServerWarning,
    message: development ? `first byte after ${ms(ttfb)}: a development server may compile first; no judgement` : `first byte after ${ms(ttfb)} → make the server answer sooner, or cache the page`,
  };
}

function largest(lcp: Largest, judged: Judge, origin: string): Told[] {
  const found: Told[] = [];
  const name = lcp.url === undefined ? "" : ` (${shownAddress(lcp.url, origin, 40)})`;
  if (lcp.value > LCP.good) {
    found.push({ type: "slow-lcp", ...judged.metric(lcp.value, LCP), message: `largest element${name} painted after ${ms(lcp.value)}, ${longestPart(lcp)}${judged.dev("")}`, ...refs(lcp.ref) });
  }
  if (!lcp.image) return found;
  if (lcp.lazy) {
    found.push({ type: "lcp-lazy", severity: "warning", weight: WEIGHTS.lcpLazy, message: `the largest image${name} is loading="lazy" → remove it: this one is wanted first`, ...refs(lcp.ref) });
  } else if (!lcp.hurried && lcp.value > LCP_HURRY_MS) {
    found.push({ type: "lcp-no-priority", severity: "info", weight: WEIGHTS.lcpNoPriority, message: `the largest image${name} waits its turn → add fetchpriority="high"`, ...refs(lcp.ref) });
  }
  return found;
}

/** Which part of the time was longest, and what to do about it. */
function longestPart({ loadDelay, loadDuration, renderDelay }: Largest): string {
  const most = Math.max(loadDelay, loadDuration, renderDelay);
  if (most <= 0) return "→ shorten what comes before it";
  if (most === loadDelay) return `${ms(loadDelay)} until its file was asked for → put it in the HTML, preload it`;
  if (most === loadDuration) return `${ms(loadDuration)} to load its file → make it smaller`;
  return `${ms(renderDelay)} until it was drawn → less script and styles before it`;
}

function refs(ref: number | undefined): { refs?: readonly number[] } {
  return ref === undefined ? {} : { refs: [ref] };
}
