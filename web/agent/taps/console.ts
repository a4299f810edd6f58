// The console. Each call goes to the native method first and at once; what was
// logged is put into words a moment later, in a task of its own: looking at a
// reactive proxy from inside the page's effect would make the effect depend on
// everything it logs.

import { clip } from "../clip";
import { Folder } from "../fold";
import { replaceMethod } from "../mask";
import type { Trap } from "../mask";
import { apply, now, onLeave, quietly, setTimer, timeOrigin } from "../native";
import type { Undo } from "../native";
import { consoleText } from "../preview";
import { captureTrace, formatTrace } from "../stack";
import type { Trace } from "../stack";
import type { ConsoleFact, Emit } from "../wire";

/** The methods that say something. Those that only structure or time the output are left alone. */
const methods = ["debug", "log", "info", "warn", "error", "assert", "trace", "dir", "table"] as const;
type Method = (typeof methods)[number];

/** Methods whose caller matters as much as their words. */
const traced: ReadonlySet<string> = new Set<Method>(["warn", "error", "assert", "trace"]);

/** Lines that wait for their words; more are only counted. */
export const lineLimit = 500;

const textLimit = 4000;

interface Line {
  readonly level: Method;
  readonly args: readonly unknown[];
  readonly trace: Trace | null;
  readonly at: number;
  count: number;
}

let flushLines = (): void => {};

/** Emits the lines that still wait for their words, now. */
export function flushConsole(): void {
  quietly(flushLines);
}

export function tapConsole(emit: Emit): Undo {
  const folder = new Folder(emit, setTimer);
  let lines: Line[] = [];
  let skipped = 0;

  const flush = (): void => {
    const ready = lines;
    const lost = skipped;
    lines = [];
    skipped = 0;
    for (const line of ready) quietly(() => folder.add(inWords(line)));
    if (lost > 0) emit({ kind: "console", level: "warn", text: `(${lost} more console calls in one task were not kept)`, at: timeOrigin + now(), count: 1 });
  };

  flushLines = flush;

  const note = (level: Method, args: readonly unknown[], skip: unknown): void => {
    if (level === "assert" && args.length > 0 && args[0]) return;
    const last = lines[lines.length - 1];
    if (last !== undefined && last.level === level && sameWords(last.args, args)) {
      last.count++;
      return;
    }
    if (lines.length >= lineLimit) {
      skipped++;
      return;
    }
    if (lines.length === 0) setTimer(flush, 0);
    const rest = level === "assert" ? args.slice(1) : args;
    lines[lines.length] = { level, args: rest, trace: traced.has(level) ? captureTrace(skip) : null, at: timeOrigin + now(), count: 1 };
  };

  const drain = (): void => {
    flush();
    folder.flush();
  };
  const undo: Undo[] = [onLeave(drain)];
  for (const level of methods) {
    const trap: Trap = (native, self, args) => {
      const result = apply(native, self, args);
      quietly(() => note(level, args, trap));
      return result;
    };
    undo.push(replaceMethod(console, level, trap));
  }
  return () => {
    for (const each of undo) each();
    drain();
  };
}

/** One text, logged again: the usual loop, recognised without putting anything into words. */
function sameWords(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === 1 && b.length === 1 && typeof a[0] === "string" && a[0] === b[0];
}

function inWords({ level, args, trace, at, count }: Line): ConsoleFact {
  const text = clip(consoleText(args), textLimit);
  const stack = formatTrace(trace);
  return {
    kind: "console",
    level,
    text: level === "assert" ? `Assertion failed: ${text === "" ? "console.assert" : text}` : text,
    at,
    count,
    ...(stack === null ? {} : { stack }),
  };
}
