// What a call-time stack tells about a call: which functions it came from,
// whether two calls share one, and two habits of frameworks. A stack is taken
// apart when somebody asks, and each of its lines once, in whatever stacks it is.

import type { Call } from "./call";

/** How two calls hang together: 0 by nothing that is seen, 1 not known for want of names, 2 one function made both. */
export type Relation = 0 | 1 | 2;

const DOUBLED = /doubleInvoke|invokeEffectsInDev|strictMode|strictEffects/i;
const SPECULATIVE = /^[^@]*(?:prefetch|preload|mouse(?:enter|over)|pointer(?:enter|over)|hover|touchstart|intersection)/i;
const FRAMEWORK = /node_modules|\/\.vite\/deps\/|react-dom|scheduler\.|zone\.js|vendors?[-.~]|webpack\/(?:bootstrap|runtime)|\/__devtool\/|^(?:native|<anonymous>|node:)/i;
const V8_FRAME = /^\s*at (?:async )?(?:(?:new )?(.+?) (?:\[as [^\]]+\] )?\()?(.*?):(\d+(?::\d+)?)\)?$/;
const GECKO_FRAME = /^(?:async\*)?(.*?)@(.*?):(\d+(?::\d+)?)$/;
/** Stacks of which it is remembered what each two have in common. */
const MAX_ROWS = 2000;
/** Nameless code this many lines apart is taken for one piece. */
const NEIGHBOUR_LINES = 30;
/** A frame in more than this share of the calls is a wrapper that tells nothing … */
const WRAPPER_SHARE = 0.5;
/** … on a page with at least this many calls. */
const WRAPPER_MIN_CALLS = 10;

/** One function of the application. */
interface Frame {
  /** `function@file`. */
  readonly name: string;
  /** Calls it was part of; counted only when somebody asks. */
  uses: number;
  /** Where it was, when that is one place only; else empty. */
  place: string;
}

/** One line of a stack. */
interface Line {
  /** Undefined for frameworks and for code without a name. */
  readonly frame: Frame | undefined;
  /** Where in its file. */
  readonly place: string;
  /** The file, of code without a name; else empty. */
  readonly file: string;
}

const NOTHING: Line = { frame: undefined, place: "", file: "" };

/** Every line and every function, each once. */
class Lines {
  private readonly known = new Map<string, Line>();
  private readonly byName = new Map<string, Frame>();

  of(text: string): Line {
    let line = this.known.get(text);
    if (line === undefined) {
      line = this.read(text);
      this.known.set(text, line);
    }
    return line;
  }

  private read(text: string): Line {
    const match = V8_FRAME.exec(text) ?? GECKO_FRAME.exec(text);
    if (match === null) return NOTHING;
    const called = match[1] ?? "";
    const file = (match[2] ?? "").replace(/[?#].*$/, "");
    if (file === "" || FRAMEWORK.test(file)) return NOTHING;
    const place = match[3] ?? "";
    if (called === "" || called === "<anonymous>") return { frame: undefined, place, file };
    const name = `${called}@${file}`;
    let frame = this.byName.get(name);
    if (frame === undefined) {
      frame = { name, uses: 0, place };
      this.byName.set(name, frame);
    } else if (frame.place !== place) frame.place = "";
    return { frame, place, file: "" };
  }
}

/** One stack, in all calls that have it. */
export class Stack {
  /** Small number, equal for equal stacks; 0 when there is none. */
  readonly key: number;
  readonly text: string;
  /** The calls that have it, by start. */
  readonly calls: Call[] = [];
  /** How many calls it was asked for. */
  count = 0;
  private readonly lines: Lines;
  private named: Line[] | undefined;
  private bare: Line | undefined;
  private guess: boolean | undefined;
  /** Those of the named frames that can tie calls, once that is known. */
  telling: readonly Line[] | undefined;
  /** What it has in common with others, by their keys; one more than the relation, 0 for what was not asked yet. */
  row: Uint8Array | undefined;

  constructor(key: number, text: string, lines: Lines) {
    this.key = key;
    this.text = text;
    this.lines = lines;
  }

  /** The named application frames, innermost first, each once. */
  get frames(): readonly Line[] {
    if (this.named !== undefined) return this.named;
    const named: Line[] = [];
    this.named = named;
    if (this.key === 0) return named;
    const texts = this.text.split("\n");
    for (let index = 0, total = texts.length; index < total; index++) {
      const line = this.lines.of(texts[index] ?? "");
      if (line.frame === undefined) {
        if (line.file !== "") this.bare ??= line;
      } else if (lineOf(named, line.frame) === undefined) named.push(line);
    }
    return named;
  }

  /** `function@file` of the innermost application frame with a name. */
  get top(): string | undefined {
    return this.frames[0]?.frame?.name;
  }

  /** The innermost application frame without a name, when no frame has one. */
  get nameless(): Line | undefined {
    return this.frames.length > 0 ? undefined : this.bare;
  }

  /** React's StrictMode ran this effect a second time. */
  get doubled(): boolean {
    return DOUBLED.test(this.text);
  }

  /** Made in advance, on a guess: a hover, a touch, a prefetcher. */
  get speculative(): boolean {
    this.guess ??= this.frames.some((line) => line.frame !== undefined && SPECULATIVE.test(line.frame.name));
    return this.guess;
  }
}

/** The stacks of a page's calls, each once. */
export class Stacks {
  /** That of calls without one. */
  readonly none: Stack;
  /** The others. */
  readonly all: Stack[] = [];
  private readonly lines = new Lines();
  private readonly known = new Map<string, Stack>();

  private calls = 0;
  private counted = false;

  constructor() {
    this.none = new Stack(0, "", this.lines);
  }

  /** The stack of one more call. */
  of(initiator: string | null): Stack {
    if (initiator === null) return this.none;
    let stack = this.known.get(initiator);
    if (stack === undefined) {
      stack = initiator.trim() === "" ? this.none : new Stack(this.all.length + 1, initiator, this.lines);
      this.known.set(initiator, stack);
      if (stack.key > 0) this.all.push(stack);
    }
    if (stack.key > 0) this.calls++;
    stack.count++;
    return stack;
  }

  /** What two calls have in common. Ask only when every call is known. */
  relation(a: Stack, b: Stack): Relation {
    if (a.key === 0 || b.key === 0) return 1;
    if (!this.counted) this.count();
    // Rows for very many stacks would fill the memory.
    if (this.all.length > MAX_ROWS) return this.compare(a, b);
    a.row ??= new Uint8Array(this.all.length + 1);
    const known = a.row[b.key];
    if (known === 1) return 0;
    if (known === 2) return 1;
    if (known === 3) return 2;
    const relation = this.compare(a, b);
    a.row[b.key] = relation + 1;
    return relation;
  }

  /** The function that made both calls, as `function@file`, or undefined. */
  shared(a: Stack, b: Stack): string | undefined {
    if (!this.counted) this.count();
    const frames = a.telling ?? [];
    const others = b.telling ?? [];
    for (let index = 0, total = frames.length; index < total; index++) {
      const line = frames[index];
      const other = line?.frame === undefined ? undefined : lineOf(others, line.frame);
      // A wrapper calls from one and the same place; two places in one function are its own doing.
      if (line?.frame !== undefined && other !== undefined && (other.place !== line.place || this.tells(line.frame))) return line.frame.name;
    }
    return undefined;
  }

  private compare(a: Stack, b: Stack): Relation {
    if (this.shared(a, b) !== undefined) return 2;
    const isNamed = a.frames.length > 0;
    if (isNamed !== b.frames.length > 0) return 1;
    if (isNamed) return 0;
    return areNeighbours(a, b) ? 2 : 1;
  }

  /** Whether a function is in few enough calls for two in the same place of it to mean something. */
  private tells(frame: Frame): boolean {
    return this.calls < WRAPPER_MIN_CALLS || frame.uses <= this.calls * WRAPPER_SHARE;
  }

  /** Counts what each frame was part of, and leaves out of every stack the frames that can tie nothing. */
  private count(): void {
    this.counted = true;
    for (const stack of this.all) {
      for (const { frame } of stack.frames) if (frame !== undefined) frame.uses += stack.count;
    }
    for (const stack of this.all) stack.telling = stack.frames.filter(({ frame }) => frame !== undefined && (frame.place === "" || this.tells(frame)));
  }
}

/** The line of this function among some. */
function lineOf(lines: readonly Line[], frame: Frame): Line | undefined {
  for (let index = 0, total = lines.length; index < total; index++) {
    const line = lines[index];
    if (line !== undefined && line.frame === frame) return line;
  }
  return undefined;
}

/** Code without names that stands together, as one callback in the other. */
function areNeighbours(a: Stack, b: Stack): boolean {
  const x = a.nameless;
  const y = b.nameless;
  if (x === undefined || y === undefined || x.file !== y.file) return false;
  const lines = Math.abs(parseInt(x.place, 10) - parseInt(y.place, 10));
  return lines > 0 && lines <= NEIGHBOUR_LINES;
}
