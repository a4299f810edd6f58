// Any JavaScript value as bounded JSON. What JSON can carry is copied as
// JSON.stringify would; everything else gets a readable stand-in. No value can
// make this throw: getters, proxies and toJSON methods belong to the page.

import type { Cut } from "./wire";

export interface Written {
  readonly json: string;
  readonly type: string;
  readonly exact: boolean;
  readonly cut: Cut | null;
}

/** Deeper objects become a stand-in. */
export const maxDepth = 60;

const { stringify } = JSON;
const { keys, getPrototypeOf, prototype } = Object;
const { apply, get, has } = Reflect;
const { isArray } = Array;
const tagOf = prototype.toString;
const functionText = Function.prototype.toString;

type Bag = Record<PropertyKey, unknown>;

/** Writes value as JSON of at most about limit characters. */
export function write(value: unknown, limit: number): Written {
  const whole = plainJSON(value, limit);
  if (whole !== undefined) return { json: whole, type: typeName(value), exact: true, cut: null };
  const w = new Writer(limit);
  const json = w.value(value, 0);
  const cut = w.items > 0 || w.chars > 0 ? { items: w.items, chars: w.chars } : null;
  return { json, type: typeName(value), exact: w.exact && cut === null, cut };
}

/**
 * The browser's own JSON of a value that is data through and through and fits:
 * the common case, several times faster than the Writer even with the look at
 * each part that it takes.
 */
function plainJSON(value: unknown, limit: number): string | undefined {
  try {
    visits = limit;
    const json = typeof value === "object" && isPlain(value, 0) ? stringify(value) : undefined;
    return json !== undefined && json.length <= limit ? json : undefined;
  } catch {
    return undefined; // a page's getter, or a value that is different each time
  }
}

/** How many more parts isPlain may look at: each takes at least one character, and shared parts may be met very often. */
let visits = 0;

function isPlain(v: unknown, depth: number): boolean {
  if (visits-- <= 0) return false;
  switch (typeof v) {
    case "string":
    case "boolean":
    case "undefined":
      return true;
    case "number":
      return isFinite(v);
    case "object":
      return v === null || (depth <= maxDepth && !("toJSON" in v) && (isArray(v) ? allPlain(v, v.length, depth) : isPlainObject(v, depth)));
  }
  return false;
}

function allPlain(list: readonly unknown[], length: number, depth: number): boolean {
  for (let i = 0; i < length; i++) if (!isPlain(list[i], depth + 1)) return false;
  return true;
}

function isPlainObject(v: object, depth: number): boolean {
  if (getPrototypeOf(v) !== prototype || !isBag(v)) return false;
  const names = keys(v);
  for (let i = 0; i < names.length; i++) if (!isPlain(v[names[i] ?? ""], depth + 1)) return false;
  return true;
}

/** A short text for a value that is not an Error but was thrown as one. */
export function inWords(value: unknown): string {
  return typeof value === "string" ? value : new Writer(1000).value(value, 0);
}

/** What a value is, in one word. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  try {
    if (isArray(value)) return "array";
    if (isNode(value)) return "node";
    const tag = tagName(value);
    return tag === "Object" ? "object" : tag;
  } catch {
    return "object";
  }
}

function tagName(value: object): string {
  const tag: string = apply(tagOf, value, []);
  return tag.slice(8, -1);
}

class Writer {
  exact = true;
  items = 0;
  chars = 0;
  private left: number;
  private readonly path: object[] = [];
  private readonly names: Record<string, string> = Object.create(null); // property names as JSON: they repeat

  constructor(limit: number) {
    this.left = limit;
  }

  value(v: unknown, depth: number): string {
    switch (typeof v) {
      case "string":
        return this.text(v);
      case "number":
        return this.raw(isFinite(v) ? `${v}` : this.standIn(`${v}`));
      case "boolean":
        return this.raw(v ? "true" : "false");
      case "bigint":
        return this.raw(this.standIn(`${v}n`));
      case "symbol":
        return this.raw(this.standIn(String(v)));
      case "function":
        return this.raw(this.standIn(functionName(v)));
    }
    return typeof v === "object" && v !== null ? this.guarded(v, depth) : this.raw("null");
  }

  private raw(json: string): string {
    this.left -= json.length;
    return json;
  }

  /** JSON for something that JSON cannot carry. */
  private standIn(words: string): string {
    this.exact = false;
    return stringify(words);
  }

  private text(s: string): string {
    const room = this.left > 2 ? this.left - 2 : 0;
    let json = stringify(s.length > room ? s.slice(0, room) : s);
    let kept = s.length > room ? room : s.length;
    if (json.length - 2 > room) {
      kept = Math.floor((kept * room) / json.length);
      json = stringify(s.slice(0, kept));
    }
    this.chars += s.length - kept;
    return this.raw(json);
  }

  private guarded(v: object, depth: number): string {
    if (this.path.includes(v)) return this.raw(this.standIn("[circular]"));
    if (depth > maxDepth) {
      this.items++;
      return this.raw(this.standIn("[too deep]"));
    }
    this.path.push(v);
    try {
      return this.object(v, depth);
    } catch (e) {
      return this.raw(this.standIn(`[unreadable: ${reason(e)}]`));
    } finally {
      this.path.pop();
    }
  }

  private object(v: object, depth: number): string {
    if (isArray(v)) return this.list(v.length, v, depth);
    // Nearly all there ever is: an object literal's result. What follows below costs ten times as much.
    if (getPrototypeOf(v) === prototype && !("toJSON" in v)) return this.record(keys(v), v, depth);
    if (isNode(v)) return this.raw(this.standIn(nodeName(v)));
    return this.tagged(v, tagName(v), depth);
  }

  private tagged(v: object, tag: string, depth: number): string {
    switch (tag) {
      case "Map":
        return this.labelled("[Map]", [...mapEntries(v)], depth);
      case "Set":
        return this.labelled("[Set]", [...setValues(v)], depth);
      case "Promise":
      case "WeakMap":
      case "WeakSet":
      case "WeakRef":
      case "Generator":
      case "AsyncFunction":
        return this.raw(this.standIn(`[${tag}]`));
      case "RegExp":
        return this.raw(this.standIn(String(v)));
      case "Window":
        return this.raw(this.standIn(`[Window ${read(read(v, "location"), "href")}]`));
    }
    if (tag === "Error" || tag === "DOMException" || v instanceof Error) return this.error(v, depth);
    const toJSON = read(v, "toJSON");
    if (typeof toJSON === "function") return this.value(apply(toJSON, v, [""]), depth + 1);
    if (tag === "Number" || tag === "String" || tag === "Boolean" || tag === "BigInt") {
      return this.value(read(v, "valueOf") === prototype.valueOf ? `[${tag}]` : unbox(v), depth + 1);
    }
    return this.members(v, tag, depth);
  }

  private members(v: object, tag: string, depth: number): string {
    const length = read(v, "length");
    if (tag !== "Object" && typeof length === "number" && has(v, Symbol.iterator)) {
      this.exact = false;
      return this.list(length, v, depth);
    }
    const own = keys(v);
    if (own.length > 0 || tag === "Object" || getPrototypeOf(v) === null) {
      return this.record(own, v, depth);
    }
    // An object of the browser: what it has are accessors of its prototype.
    this.exact = false;
    const inherited: string[] = [];
    for (const key in v) if (typeof safely(v, key) !== "function") inherited.push(key);
    if (inherited.length === 0) return this.raw(stringify(`[${tag}]`));
    return this.record(inherited, v, depth);
  }

  private error(v: object, depth: number): string {
    this.exact = false;
    const name = inWords(read(v, "name"));
    const bag: Bag = { "[error]": `${name}: ${inWords(read(v, "message"))}`, stack: read(v, "stack") };
    const cause = read(v, "cause");
    if (cause !== undefined) bag["cause"] = cause;
    return this.record(keys(bag), bag, depth);
  }

  private labelled(label: string, values: unknown[], depth: number): string {
    this.exact = false;
    return this.record([label], { [label]: values }, depth);
  }

  private list(length: number, items: object, depth: number): string {
    let out = "";
    this.left -= 2;
    for (let i = 0; i < length; i++) {
      if (this.left <= 0) {
        this.items += length - i;
        return `[${out}${i > 0 ? "," : ""}"… ${length - i} more"]`;
      }
      if (i > 0) out += ",";
      this.left--;
      out += this.value(this.member(items, i), depth + 1);
    }
    return `[${out}]`;
  }

  private record(names: readonly string[], from: object, depth: number): string {
    let out = "";
    this.left -= 2;
    for (let i = 0; i < names.length; i++) {
      const name = names[i] ?? "";
      if (this.left <= 0) {
        this.items += names.length - i;
        return `{${out}${out === "" ? "" : ","}"…":"${names.length - i} more"}`;
      }
      const member = this.member(from, name);
      if (member === undefined) continue;
      const key = (this.names[name] ??= `${stringify(name)}:`);
      this.left -= key.length + 1;
      if (out !== "") out += ",";
      out += key + this.value(member, depth + 1);
    }
    return `{${out}}`;
  }

  private member(of: object, key: PropertyKey): unknown {
    try {
      return isBag(of) ? of[key] : undefined;
    } catch (e) {
      this.exact = false;
      return `[throws: ${reason(e)}]`;
    }
  }
}

function read(v: unknown, key: PropertyKey): unknown {
  if (v === null || v === undefined) return undefined;
  return get(Object(v), key);
}

/** Every object can be asked for a property; this only tells the type checker. */
function isBag(v: object): v is Bag {
  return v !== null;
}

function safely(v: object, key: PropertyKey): unknown {
  try {
    return read(v, key);
  } catch {
    return undefined;
  }
}

function reason(e: unknown): string {
  try {
    const message = read(e, "message");
    return (typeof message === "string" ? message : String(e)).slice(0, 200);
  } catch {
    return "no reason given";
  }
}

function unbox(v: object): unknown {
  const valueOf = read(v, "valueOf");
  return typeof valueOf === "function" ? apply(valueOf, v, []) : undefined;
}

const mapForEach = Map.prototype.forEach;
const setForEach = Set.prototype.forEach;

function mapEntries(v: object): unknown[][] {
  const out: unknown[][] = [];
  apply(mapForEach, v, [(value: unknown, key: unknown) => out.push([key, value])]);
  return out;
}

function setValues(v: object): unknown[] {
  const out: unknown[] = [];
  apply(setForEach, v, [(value: unknown) => out.push(value)]);
  return out;
}

function functionName(f: object): string {
  try {
    const name = read(f, "name");
    const source: string = apply(functionText, f, []);
    const kind = source.startsWith("class") ? "class" : "function";
    return `[${kind}${typeof name === "string" && name !== "" ? ` ${name}` : ""}]`;
  } catch {
    return "[function]";
  }
}

function isNode(v: object): boolean {
  const kind = safely(v, "nodeType");
  return typeof kind === "number" && typeof safely(v, "nodeName") === "string" && has(v, "ownerDocument");
}

/** A node as a person would write it down: `<button#save.primary "Save">`. */
export function nodeName(v: object): string {
  const name = String(safely(v, "nodeName")).toLowerCase();
  switch (safely(v, "nodeType")) {
    case 1:
      return `<${name}${mark("#", safely(v, "id"))}${classes(v)}${words(v)}>`;
    case 9:
      return `#document ${safely(v, "URL")}`;
    case 3:
    case 8:
      return `${name} ${stringify(short(safely(v, "nodeValue")))}`;
  }
  return name;
}

function mark(sign: string, text: unknown): string {
  return typeof text === "string" && text !== "" ? sign + text.slice(0, 80) : "";
}

function classes(v: object): string {
  const list = safely(v, "classList");
  return mark(".", String(safely(Object(list), "value") ?? "").trim().split(/\s+/).slice(0, 6).join("."));
}

function words(v: object): string {
  if (safely(v, "childElementCount") !== 0) return "";
  const text = short(safely(v, "textContent"));
  return text === "" ? "" : ` ${stringify(text)}`;
}

function short(text: unknown): string {
  const line = String(text ?? "").slice(0, 400).replace(/\s+/g, " ").trim();
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}
