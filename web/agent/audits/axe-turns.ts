// axe-core runs every rule on every element in one go. Its rules call back when
// they are done, so each can wait for its turn, and each can be asked about one
// element at a time: the same rules give the same results, but the page's main
// thread is given back between them. Elements that a rule is content with are
// let go at once, which spares the library their descriptions. All this rests
// on names inside the pinned version; where they are missing the library runs
// as it is.

import { Slice } from "./slice";

type Work = () => void | Promise<void>;

/** Pieces of work, first come, first served, in slices. */
class Turns {
  readonly slice = new Slice();
  private waiting: Work[] = [];
  private next = 0;
  private running = false;

  add(work: Work): void {
    this.waiting.push(work);
    if (!this.running) void this.run();
  }

  private async run(): Promise<void> {
    this.running = true;
    await this.slice.yield();
    for (let work = this.take(); work !== undefined; work = this.take()) {
      if (this.slice.due()) await this.slice.yield();
      const done = work();
      if (done !== undefined) await done;
    }
    this.running = false;
  }

  private take(): Work | undefined {
    const work = this.waiting[this.next++];
    if (work === undefined) {
      this.waiting = [];
      this.next = 0;
    }
    return work;
  }
}

type Method = (...args: unknown[]) => unknown;

/** One of axe-core's rules, as far as it is known here. */
interface Rule {
  readonly any: readonly unknown[];
  readonly all: readonly unknown[];
  readonly none: readonly unknown[];
  readonly _audit: { readonly checks: Readonly<Record<string, { readonly after?: unknown }>> };
  run: Method;
  runSync: Method;
  gather: Method;
  matches: Method;
  gatherAndMatchNodes: Method;
}

/** What a rule has to say of one element. */
interface NodeResult {
  readonly any: readonly { readonly result?: unknown }[];
  readonly all: readonly { readonly result?: unknown }[];
  readonly none: readonly { readonly result?: unknown }[];
}

/** Makes the rules of this axe wait for their turns. Says whether it could. */
export function takeTurns(axe: object): boolean {
  const audit: unknown = Reflect.get(axe, "_audit");
  const rules: unknown = isObject(audit) ? Reflect.get(audit, "rules") : undefined;
  if (!Array.isArray(rules) || rules.length === 0 || !rules.every(isRule)) return false;
  const turns = new Turns();
  const warmed = new WeakSet<object>();
  const seen = reach(axe, ["commons", "dom", "isVisibleOnScreen"]);
  const prepare = async (context: unknown): Promise<void> => {
    if (!isObject(context) || warmed.has(context)) return;
    warmed.add(context);
    await warm(Reflect.get(context, "flatTree"), typeof seen === "function" ? (node) => Reflect.apply(seen, undefined, [node]) : () => {}, turns.slice);
  };
  for (const rule of rules) wait(rule, turns, prepare);
  rememberColours(reach(axe, ["commons", "color", "Color"]));
  return true;
}

/** Reading a colour takes the library a tenth of its time, and a page has few of them. */
function rememberColours(colour: unknown): void {
  const shared: unknown = typeof colour === "function" ? Reflect.get(colour, "prototype") : undefined;
  const parse: unknown = isObject(shared) ? Reflect.get(shared, "parseString") : undefined;
  if (!isObject(shared) || typeof parse !== "function") return;
  const known = new Map<unknown, readonly (readonly [string, unknown])[]>();
  Reflect.defineProperty(shared, "parseString", {
    configurable: true,
    writable: true,
    value(this: object, text: unknown): unknown {
      const parts = known.get(text);
      if (parts !== undefined) {
        for (const [name, value] of parts) Reflect.set(this, name, value);
        return this;
      }
      const out: unknown = Reflect.apply(parse, this, [text]);
      if (known.size < COLOURS_MAX) known.set(text, ["r", "g", "b", "alpha"].map((name) => [name, Reflect.get(this, name)] as const));
      return out;
    },
  });
}

/** A page that paints with more is not spared. */
const COLOURS_MAX = 10_000;

function reach(from: unknown, path: readonly string[]): unknown {
  let at = from;
  for (const name of path) at = isObject(at) ? Reflect.get(at, name) : undefined;
  return at;
}

/** What the library asks of every element when it lays its grid over the page. */
const STYLES = [
  "position", "z-index", "opacity", "-webkit-transform", "-ms-transform", "transform", "mix-blend-mode", "filter", "perspective", "clip-path", "mask", "-webkit-mask",
  "mask-image", "-webkit-mask-image", "mask-border", "-webkit-mask-border", "isolation", "will-change", "-webkit-overflow-scrolling", "contain", "display", "float", "overflow",
];

/**
 * Contrast needs a grid of all boxes, which the library makes in one piece. Its
 * nodes keep what they were asked, so they are asked beforehand, in slices.
 */
async function warm(tree: unknown, look: (node: object) => void, slice: Slice): Promise<void> {
  if (!Array.isArray(tree)) return;
  // A property that this browser does not know is empty everywhere.
  const page = getComputedStyle(document.documentElement);
  const asked = STYLES.filter((name) => page.getPropertyValue(name) !== "");
  const unknown = Object.fromEntries(STYLES.filter((name) => !asked.includes(name)).map((name) => [`computedStyle_${name}`, ""]));
  const waiting: unknown[] = [...tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isObject(node)) continue;
    if (slice.due()) await slice.yield();
    const children: unknown = Reflect.get(node, "children");
    if (Array.isArray(children)) waiting.push(...children);
    try {
      const style: unknown = Reflect.get(node, "getComputedStylePropertyValue");
      if (typeof style !== "function" || reach(node, ["props", "nodeType"]) !== Node.ELEMENT_NODE) continue;
      Object.assign(reach(node, ["_cache"]) ?? {}, unknown);
      for (const name of asked) Reflect.apply(style, node, [name]);
      reach(node, ["boundingClientRect"]);
      reach(node, ["clientRects"]);
      look(node);
    } catch {
      // The rule that needs it will say so.
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isRule(value: unknown): value is Rule {
  if (!isObject(value)) return false;
  const methods = ["run", "runSync", "gather", "matches", "gatherAndMatchNodes"].every((name) => typeof Reflect.get(value, name) === "function");
  return methods && ["any", "all", "none"].every((name) => Array.isArray(Reflect.get(value, name))) && isObject(Reflect.get(value, "_audit"));
}

function wait(rule: Rule, turns: Turns, prepare: (context: unknown) => Promise<void>): void {
  const { run } = rule;
  const keepsAll = looksBack(rule);
  rule.run = (context, options, done, failed) => {
    turns.add(async () => {
      await prepare(context);
      const nodes = await matching(rule, turns.slice, context, options);
      // What goes wrong is left to the rule's own words.
      const result = nodes === undefined ? undefined : await judged(rule, nodes, context, options, keepsAll, turns.slice);
      if (result === undefined) guarded(() => Reflect.apply(run, rule, [context, options, done, failed]), failed);
      else call(done, result);
    });
  };
}

/** The rule's result, made element by element: none of its checks waits for anything. Undefined when one of them fails. */
async function judged(rule: Rule, nodes: readonly unknown[], context: unknown, options: unknown, keepsAll: boolean, slice: Slice): Promise<unknown> {
  const { gatherAndMatchNodes } = rule;
  const kept: unknown[] = [];
  const some = (chosen: readonly unknown[]): object => {
    rule.gatherAndMatchNodes = () => chosen;
    const result = rule.runSync(context, options);
    const told: unknown = isObject(result) ? Reflect.get(result, "nodes") : undefined;
    if (!isObject(result) || !Array.isArray(told)) throw new TypeError("no result");
    for (const one of told) if (keepsAll || !passes(one)) kept.push(one);
    return result;
  };
  try {
    const result = some([]);
    for (const node of nodes) {
      if (slice.due()) await slice.yield();
      some([node]);
    }
    Reflect.set(result, "nodes", kept);
    return result;
  } catch {
    return undefined;
  } finally {
    rule.gatherAndMatchNodes = gatherAndMatchNodes;
  }
}

/** Matching an element takes less than looking at the clock. */
const CLOCK_EVERY = 8;

async function matching(rule: Rule, slice: Slice, context: unknown, options: unknown): Promise<unknown[] | undefined> {
  try {
    const all = rule.gather(context, options);
    if (!Array.isArray(all)) return undefined;
    const nodes: unknown[] = [];
    for (const [index, node] of all.entries()) {
      if (index % CLOCK_EVERY === 0 && slice.due()) await slice.yield();
      if (rule.matches(isObject(node) ? Reflect.get(node, "actualNode") : undefined, node, context) === true) nodes.push(node);
    }
    return nodes;
  } catch {
    return undefined;
  }
}

/** Whether a check of the rule compares its elements with each other at the end. */
function looksBack(rule: Rule): boolean {
  return [...rule.any, ...rule.all, ...rule.none].some((check) => {
    const id: unknown = isObject(check) ? Reflect.get(check, "id") : check;
    return typeof id !== "string" || typeof rule._audit.checks[id]?.after === "function";
  });
}

function passes(node: NodeResult): boolean {
  return (
    (node.any.length === 0 || node.any.some((check) => check.result === true)) &&
    node.all.every((check) => check.result === true) &&
    node.none.every((check) => check.result === false)
  );
}

/** What the library throws goes where its failures go. */
function guarded(work: () => void, failed: unknown): void {
  try {
    work();
  } catch (error) {
    call(failed, error);
  }
}

function call(callback: unknown, argument: unknown): void {
  if (typeof callback === "function") Reflect.apply(callback, undefined, [argument]);
}
