// The metrics, by the web-vitals library. The browser keeps what they are made
// of, so the library starts with the first audit and loses nothing but layout
// shifts beyond the browser's first 150 and short interactions.

import { onCLS, onFCP, onINP, onLCP, onTTFB } from "web-vitals/attribution";
import type { CLSMetricWithAttribution, INPMetricWithAttribution, LCPMetricWithAttribution, MetricWithAttribution } from "web-vitals/attribution";
import { quietly, setTimer } from "../../native";
import type { Elements } from "../fault";
import { shownAddress } from "../words";
import { blockingTime } from "./blocking";
import type { Task } from "./blocking";
import type { Blocking, Interaction, Largest, Shift, Vitals } from "./facts";

/** How long the first audit waits for what the browser has kept, and how often it looks, in ms; interactions are told in an idle moment, or after a second. */
const PATIENCE_MS = 400;
const INTERACTION_PATIENCE_MS = 1300;
const STEP_MS = 20;
const SCRIPTS_MAX = 5;

/** Nothing after this counts as the page's own blocking: audits begin. */
const bundleLoaded = performance.now();

const seen = new Map<string, MetricWithAttribution>();
let tasks: Task[] | undefined;
let frames: PerformanceEntry[] = [];
let begun = -1;

/** Starts listening, once; the earlier, the less an audit waits. */
export function watchVitals(): void {
  if (begun >= 0) return;
  begun = performance.now();
  const keep = (metric: MetricWithAttribution): void => {
    seen.set(metric.name, metric);
  };
  // Describing elements is ours to do, for the few that are told.
  const options = { reportAllChanges: true, generateTarget: () => "" };
  for (const watch of [onTTFB, onFCP, onLCP, onCLS, onINP]) quietly(() => watch(keep, options));
  quietly(() => observe("longtask", (entries) => (tasks = [...(tasks ?? []), ...entries.map((entry) => ({ start: entry.startTime, duration: entry.duration }))])));
  quietly(() => observe("long-animation-frame", (entries) => (frames = [...frames, ...entries])));
}

function observe(type: string, take: (entries: readonly PerformanceEntry[]) => void): void {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return;
  take([]);
  new PerformanceObserver((list) => take(list.getEntries())).observe({ type, buffered: true });
}

/** The metrics so far; what follows the user's first action is no part of the load. Kept entries are delivered in tasks of their own; so the first audit waits a little. */
export async function gatherVitals(elements: Elements, firstAction: number): Promise<Vitals> {
  watchVitals();
  await arrival(["TTFB", "FCP", "LCP", "CLS"], PATIENCE_MS);
  if (firstAction < Infinity) await arrival(["INP"], INTERACTION_PATIENCE_MS);
  const metrics = [...seen.values()];
  const fcp = metrics.find((metric) => metric.name === "FCP")?.value;
  const ttfb = metrics.find((metric) => metric.name === "TTFB")?.value;
  const vitals: { -readonly [K in keyof Vitals]: Vitals[K] } = {};
  if (ttfb !== undefined) vitals.ttfb = ttfb;
  if (fcp !== undefined) vitals.fcp = fcp;
  for (const metric of metrics) {
    if (metric.name === "LCP") vitals.lcp = largest(metric, elements);
    if (metric.name === "CLS") vitals.cls = shift(metric, elements);
    if (metric.name === "INP") vitals.inp = interaction(metric, elements);
  }
  if (fcp !== undefined && tasks !== undefined) vitals.tbt = blocking(tasks, fcp, Math.min(firstAction, bundleLoaded));
  return vitals;
}

async function arrival(names: readonly string[], patience: number): Promise<void> {
  while (performance.now() - begun < patience && !names.every((name) => seen.has(name))) {
    await new Promise<void>((done) => setTimer(done, STEP_MS));
  }
}

function largest(metric: LCPMetricWithAttribution, elements: Elements): Largest {
  const { attribution } = metric;
  const element = attribution.lcpEntry?.element;
  const image = element instanceof HTMLImageElement ? element : undefined;
  const { url } = attribution;
  return {
    value: metric.value,
    ...reference(element, elements),
    ...(url === undefined || url === "" ? {} : { url }),
    image: image !== undefined && url !== undefined && /^https?:/.test(url),
    lazy: image?.loading === "lazy",
    hurried: image !== undefined && (image.getAttribute("fetchpriority") === "high" || isPreloaded(image, url ?? "")),
    loadDelay: attribution.resourceLoadDelay,
    loadDuration: attribution.resourceLoadDuration,
    renderDelay: attribution.elementRenderDelay,
  };
}

function isPreloaded(image: HTMLImageElement, url: string): boolean {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel~="preload"][as="image"]')) {
    if (link.href === url || (link.imageSrcset !== "" && link.imageSrcset === image.srcset)) return true;
  }
  return false;
}

function shift(metric: CLSMetricWithAttribution, elements: Elements): Shift {
  return { value: metric.value, ...reference(metric.attribution.largestShiftSource?.node, elements) };
}

function interaction(metric: INPMetricWithAttribution, elements: Elements): Interaction {
  const target: unknown = metric.entries.map((entry): unknown => Reflect.get(entry, "target")).find((node) => node instanceof Element);
  return { value: metric.value, ...reference(target, elements) };
}

function reference(node: unknown, elements: Elements): { ref?: number } {
  const element = node instanceof Element ? node : node instanceof Node ? node.parentElement : null;
  return element === null || !element.isConnected ? {} : { ref: elements.add(element) };
}

function blocking(found: readonly Task[], fcp: number, until: number): Blocking {
  const { value, tasks: count, end } = blockingTime(found, fcp, until);
  return { value, tasks: count, scripts: culprits(fcp, end) };
}

/** The scripts that took most of the long frames' time, where the browser says. */
function culprits(from: number, to: number): string[] {
  const spent = new Map<string, number>();
  for (const frame of frames) {
    if (frame.startTime + frame.duration <= from || frame.startTime >= to) continue;
    const scripts: unknown = Reflect.get(frame, "scripts");
    if (!Array.isArray(scripts)) continue;
    for (const script of scripts) {
      const url = String(Reflect.get(script, "sourceURL") ?? "");
      if (!/^https?:/.test(url) || url.includes("/__devtool/")) continue;
      const shown = shownAddress(url, location.origin, 60);
      spent.set(shown, (spent.get(shown) ?? 0) + Number(Reflect.get(script, "duration") ?? 0));
    }
  }
  return [...spent].sort((a, b) => b[1] - a[1]).slice(0, SCRIPTS_MAX).map(([url]) => url);
}
