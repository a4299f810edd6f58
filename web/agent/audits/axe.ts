// The axe bundle: axe-core, loaded on the first accessibility audit. It leaves
// nothing on the window; the audit finds it on __devtool under a name that is
// not listed.

import { restore } from "./axe-before";
import axe from "axe-core";
import { takeTurns } from "./axe-turns";
import { nextTask } from "./slice";
import type { Axe, AxeOutcome } from "./accessibility/outcome";

restore();
// Frames would have to carry the library too; without a messenger it leaves
// them, and the page's own messages, alone.
axe.frameMessenger({ open: () => () => {}, post: () => false });
// Nobody reads the elements' source.
axe.configure({ noHtml: true });
takeTurns(axe);

const options: axe.RunOptions = {
  reporter: "v2",
  resultTypes: ["violations", "incomplete"],
  elementRef: true,
  selectors: false,
  iframes: false,
  // WCAG 2.2's own rule, which the library leaves off by default.
  rules: { "target-size": { enabled: true } },
};

/** How long a media file may take to tell its length, in ms. */
const MEDIA_MS = 1500;

let running: Promise<AxeOutcome> | undefined;

/** Whoever asks while a run is under way gets that one: the library cannot do two at once. */
function run(): Promise<AxeOutcome> {
  running ??= start().finally(() => {
    running = undefined;
  });
  return running;
}

async function start(): Promise<AxeOutcome> {
  // Not in the task that loaded the library: that was long enough.
  await nextTask();
  // Style sheets would be fetched again, media must be asked for their length.
  const media = document.querySelector("audio[autoplay], video[autoplay]") !== null;
  const preload = media ? { assets: ["media"], timeout: MEDIA_MS } : false;
  const { violations, incomplete } = await axe.run(document, { ...options, preload });
  return { version: axe.version, violations: violations.map(rule), undecided: incomplete.map(rule) };
}

function rule(result: axe.Result): AxeOutcome["violations"][number] {
  return {
    rule: result.id,
    impact: result.impact ?? "minor",
    help: result.help,
    helpUrl: result.helpUrl,
    elements: result.nodes.flatMap((node) => (node.element === undefined ? [] : [node.element])),
    details: result.nodes.slice(0, 1).flatMap((node) => [...node.any, ...node.all, ...node.none].map((check) => check.message)),
  };
}

const exposed: Axe = { run };
if (window.__devtool !== undefined) Reflect.defineProperty(window.__devtool, "axe", { value: exposed, configurable: true, enumerable: false });
