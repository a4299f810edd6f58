// What a call-time stack tells about a call: which functions it came from,
// whether two calls share one, and two habits of frameworks.

export interface Stack {
  /** Small number, equal for equal stacks; 0 when there is none. */
  readonly key: number;
  readonly text: string;
  /** `function@file` of the named application frames, innermost first, each once. */
  readonly frames: readonly string[];
  /** Where in its file each of those frames stood. */
  readonly places: readonly string[];
  /** The innermost application frame without a name, when no frame has one. */
  readonly nameless: { readonly file: string; readonly line: number } | undefined;
  /** React's StrictMode ran this effect a second time. */
  readonly doubled: boolean;
  /** Made in advance, on a guess: a hover, a touch, a prefetcher. */
  readonly speculative: boolean;
}

/** How two calls hang together: 0 by nothing that is seen, 1 not known for want of names, 2 one function made both. */
export type Relation = 0 | 1 | 2;

export const NO_STACK: Stack = { key: 0, text: "", frames: [], places: [], nameless: undefined, doubled: false, speculative: false };

const DOUBLED = /doubleInvoke|invokeEffectsInDev|strictMode|strictEffects/i;
const SPECULATIVE = /^[^@]*(?:prefetch|preload|mouse(?:enter|over)|pointer(?:enter|over)|hover|touchstart|intersection)/i;
const FRAMEWORK = /node_modules|\/\.vite\/deps\/|react-dom|scheduler\.|zone\.js|vendors?[-.~]|webpack\/(?:bootstrap|runtime)|\/__devtool\/|^(?:native|<anonymous>|node:)/i;
const V8_FRAME = /^\s*at (?:async )?(?:(?:new )?(.+?) (?:\[as [^\]]+\] )?\()?(.*?):(\d+(?::\d+)?)\)?$/;
const GECKO_FRAME = /^(?:async\*)?(.*?)@(.*?):(\d+(?::\d+)?)$/;
/** Nameless code this many lines apart is taken for one piece. */
const NEIGHBOUR_LINES = 30;
/** A frame in more than this share of the calls is a wrapper that tells nothing … */
const WRAPPER_SHARE = 0.5;
/** … on a page with at least this many calls. */
const WRAPPER_MIN_CALLS = 10;

/** Reads each distinct stack once. */
export class Stacks {
  private readonly known = new Map<string, Stack>();
  private readonly counts: number[] = [];
  private uses: Map<string, number> | undefined;
  private readonly pairs = new Map<number, Relation>();
  private calls = 0;

  /** The stack of one more call. */
  of(initiator: string | null): Stack {
    if (initiator === null || initiator.trim() === "") return NO_STACK;
    let stack = this.known.get(initiator);
    if (stack === undefined) {
      stack = parse(initiator, this.known.size + 1);
      this.known.set(initiator, stack);
    }
    this.calls++;
    this.counts[stack.key] = (this.counts[stack.key] ?? 0) + 1;
    return stack;
  }

  /** What two calls have in common. Ask only when every call is known. */
  relation(a: Stack, b: Stack): Relation {
    if (a.key === 0 || b.key === 0) return 1;
    const pair = Math.min(a.key, b.key) * 1e6 + Math.max(a.key, b.key);
    let relation = this.pairs.get(pair);
    if (relation === undefined) {
      relation = this.compare(a, b);
      this.pairs.set(pair, relation);
    }
    return relation;
  }

  /** The function that made both calls, as `function@file`, or undefined. */
  shared(a: Stack, b: Stack): string | undefined {
    return a.frames.find((frame, index) => {
      const other = b.frames.indexOf(frame);
      // A wrapper calls from one and the same place; two places in one function are its own doing.
      return other >= 0 && (a.places[index] !== b.places[other] || this.tells(frame));
    });
  }

  private compare(a: Stack, b: Stack): Relation {
    if (this.shared(a, b) !== undefined || areNeighbours(a, b)) return 2;
    return a.frames.length === 0 || b.frames.length === 0 ? 1 : 0;
  }

  private tells(frame: string): boolean {
    if (this.calls < WRAPPER_MIN_CALLS) return true;
    this.uses ??= this.countUses();
    return (this.uses.get(frame) ?? 0) <= this.calls * WRAPPER_SHARE;
  }

  /** How many calls each frame was part of. */
  private countUses(): Map<string, number> {
    const uses = new Map<string, number>();
    for (const stack of this.known.values()) {
      for (const frame of stack.frames) uses.set(frame, (uses.get(frame) ?? 0) + (this.counts[stack.key] ?? 0));
    }
    return uses;
  }
}

/** Code without names that stands together, as one callback in the other. */
function areNeighbours(a: Stack, b: Stack): boolean {
  if (a.nameless === undefined || b.nameless === undefined || a.nameless.file !== b.nameless.file) return false;
  const lines = Math.abs(a.nameless.line - b.nameless.line);
  return lines > 0 && lines <= NEIGHBOUR_LINES;
}

function parse(text: string, key: number): Stack {
  const frames: string[] = [];
  const places: string[] = [];
  let nameless: Stack["nameless"];
  for (const line of text.split("\n")) {
    const match = V8_FRAME.exec(line) ?? GECKO_FRAME.exec(line);
    const name = match?.[1] ?? "";
    const file = (match?.[2] ?? "").replace(/[?#].*$/, "");
    if (file === "" || FRAMEWORK.test(file)) continue;
    if (name === "" || name === "<anonymous>") {
      nameless ??= { file, line: parseInt(match?.[3] ?? "0", 10) };
      continue;
    }
    const frame = `${name}@${file}`;
    if (frames.includes(frame)) continue;
    frames.push(frame);
    places.push(match?.[3] ?? "");
  }
  if (frames.length > 0) nameless = undefined;
  return { key, text, frames, places, nameless, doubled: DOUBLED.test(text), speculative: frames.some((frame) => SPECULATIVE.test(frame)) };
}
