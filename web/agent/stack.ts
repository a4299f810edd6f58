// The caller's stack, captured when a call is made and put into words only
// when somebody reads it: capturing costs microseconds, formatting (which makes
// the engine compute source positions) up to a hundred times that.

import { descriptorOf, NativeError, quietly } from "./native";
import { withoutAgent } from "./mask";

/** Frames to keep. Deep enough to reach application code below a fetch library inside a framework's effect. */
export const traceDepth = 24;

/** The limit engines start with; any other value is the page's own choice and is left alone. */
const defaultLimit = 10;

/** A captured stack, not yet text. */
export interface Trace {
  readonly stack?: string;
}

const captureStackTrace = NativeError.captureStackTrace;

/** Captures the stack above `skip`. */
export function captureTrace(skip: unknown): Trace | null {
  if (captureStackTrace === undefined) return quietly(() => new NativeError()) ?? null;
  const trace: Trace = {};
  try {
    if (NativeError.stackTraceLimit === defaultLimit) {
      NativeError.stackTraceLimit = traceDepth;
      captureStackTrace(trace, skip);
      NativeError.stackTraceLimit = defaultLimit;
    } else {
      captureStackTrace(trace, skip);
    }
  } catch {
    return null;
  }
  return trace;
}

/** The frames of a trace as the engine words them, one per line; null when there are none. */
export function formatTrace(trace: Trace | null): string | null {
  if (trace === null) return null;
  const stack = readStack(trace);
  if (stack === undefined) return null;
  const frames = frameLines(withoutAgent(stack));
  return frames === "" ? null : shared(frames);
}

/** Most calls of a page come from a few places: equal stacks are kept once. */
const known = new Map<string, string>();
const knownLimit = 200;

function shared(text: string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= knownLimit) known.clear();
  known.set(text, text);
  return text;
}

/** Reads the text without letting a page's own Error.prepareStackTrace run on the agent's behalf. */
function readStack(trace: Trace): string | undefined {
  return quietly(() => {
    const prepare = descriptorOf(NativeError, "prepareStackTrace");
    if (prepare === undefined || prepare.value === undefined) return trace.stack;
    if (prepare.writable !== true) return undefined;
    NativeError.prepareStackTrace = undefined;
    try {
      return trace.stack;
    } finally {
      NativeError.prepareStackTrace = prepare.value;
    }
  });
}

/** Drops what precedes the first frame ("Error: message" in V8; nothing elsewhere). */
export function frameLines(stack: string): string {
  const first = stack.search(/^\s*at /m);
  const text = first >= 0 ? stack.slice(first) : stack.replace(/^(?:\w*Error|\[object Object\])[^\n]*\n?/, "");
  return text.replace(/^[ \t]+/gm, "").trim();
}
