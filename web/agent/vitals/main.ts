// The vitals bundle: Web Vitals by the web-vitals library, loaded when somebody
// asks for them. The browser keeps what they are made of (paints, the largest
// contentful paint, layout shifts, slow events), so starting late loses nothing
// but the layout shifts beyond the browser's first 150 and interactions
// shorter than 104 ms, and the page that nobody asks about pays nothing.

import { onCLS, onFCP, onINP, onLCP, onTTFB } from "web-vitals";
import type { Metric } from "web-vitals";
import { describe } from "../describe";
import { isObject, quietly, setTimer } from "../native";
import type { Vital } from "../vital";

/** How long the first answer waits for what the browser has kept, and how often it looks, in ms. */
const patience = 300;
const step = 20;

const seen = new Map<string, Metric>();

for (const watch of [onTTFB, onFCP, onLCP, onCLS, onINP]) {
  quietly(() => watch((metric) => seen.set(metric.name, metric), { reportAllChanges: true }));
}

const begun = performance.now();

/** The values so far. Kept entries are delivered in tasks of their own, one metric waits for another; so the first answer waits a little. */
async function vitals(): Promise<Vital[]> {
  const needed = ["TTFB", "FCP", "LCP", "CLS"];
  while (performance.now() - begun < patience && !needed.every((name) => seen.has(name))) {
    await new Promise<void>((done) => setTimer(done, step));
  }
  return [...seen.values()].map(inWords);
}

function inWords(metric: Metric): Vital {
  const target = quietly(() => describe(elementOf(metric))) ?? "";
  return { name: metric.name, value: metric.value, rating: metric.rating, ...(target === "" ? {} : { target }) };
}

/** The element that a metric's decisive entry blames, if it blames one. */
function elementOf(metric: Metric): unknown {
  const last = metric.entries[metric.entries.length - 1];
  if (last === undefined) return undefined;
  if (metric.name === "LCP") return Reflect.get(last, "element");
  if (metric.name === "INP") return Reflect.get(last, "target");
  const sources: unknown = Reflect.get(last, "sources");
  const source: unknown = Array.isArray(sources) ? sources[0] : undefined;
  return isObject(source) ? Reflect.get(source, "node") : undefined;
}

window.__devtool?.add("vitals", "the page's Web Vitals so far: [{name, value, rating, target?}]", vitals);
