// The platform as it was before the page's first script: whatever the page
// replaces later (and test libraries, polyfills and zone libraries replace a
// lot), the agent keeps working with these. Code on a hot path or behind a tap
// uses them instead of the globals, and plain loops instead of Array methods.

export const apply = Reflect.apply;
export const construct = Reflect.construct;
export const defineProperty = Reflect.defineProperty;
export const deleteProperty = Reflect.deleteProperty;
export const descriptorOf = Reflect.getOwnPropertyDescriptor;
export const prototypeOf = Reflect.getPrototypeOf;
export const NativeError = Error;
export const NativePromise = Promise;
export const promiseThen: Callable = Promise.prototype.then;
export const jsonStringify = JSON.stringify;
export const fromCharCode = String.fromCharCode;

/** Milliseconds on the monotonic clock of this document. */
export const now: () => number = performance.now.bind(performance);
/** Wall-clock time at which `now()` was 0. */
export const timeOrigin = performance.timeOrigin;

let MadeURL: typeof URL | undefined;

/**
 * A URL as the platform parses it. The constructor is named when it is first needed, because naming it makes the browser
 * build it; `webkitURL` is the same one under a name that pages leave alone.
 */
export function parseURL(url: string, base?: string): URL {
  MadeURL ??= typeof webkitURL === "undefined" ? URL : webkitURL;
  return base === undefined ? new MadeURL(url) : new MadeURL(url, base);
}

const documentURL: unknown = typeof Document === "undefined" ? undefined : descriptorOf(Document.prototype, "URL")?.get;

/** The page's address: what `location.href` says, without making the browser build a Location. */
export function pageURL(): string {
  const url: unknown = isCallable(documentURL) ? apply(documentURL, document, []) : undefined;
  return typeof url === "string" ? url : location.href;
}

export const setTimer: (run: () => void, ms: number) => number = setTimeout.bind(globalThis);
export const clearTimer: (timer: number) => void = clearTimeout.bind(globalThis);

/** A function about which nothing is known but that it can be called. */
export type Callable = (...args: never[]) => unknown;

export type Undo = () => void;

export function isCallable(value: unknown): value is Callable {
  return typeof value === "function";
}

export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** A WeakMap that a page cannot break by replacing WeakMap's methods. */
export function ownWeakMap<K extends object, V>(): WeakMap<K, V> {
  const map = new NativeWeakMap<K, V>();
  pin(map, "get", weakGet);
  pin(map, "set", weakSet);
  pin(map, "delete", weakDelete);
  return map;
}

const NativeWeakMap = WeakMap;
const { get: weakGet, set: weakSet, delete: weakDelete } = WeakMap.prototype;

function pin(target: object, key: string, value: Callable): void {
  const pinned: PropertyDescriptor & { __proto__: null } = { __proto__: null, value };
  defineProperty(target, key, pinned);
}

/**
 * An attribute of the platform's objects. Its native getter is looked up when it is first needed: naming an interface
 * makes the browser build it, and a page that makes no calls should not pay for that.
 */
export interface Attribute {
  readonly of: string;
  readonly key: string;
  /** An own property from the start: a page may have put one of this name on Object.prototype. */
  get: unknown;
}

/** What the native getter gives for an object; undefined for an object of another kind. */
export function read(attribute: Attribute, object: unknown): unknown {
  const get = (attribute.get ??= accessor(attribute.of, attribute.key));
  if (!isCallable(get)) return undefined;
  try {
    return apply(get, object, []);
  } catch {
    return undefined;
  }
}

function accessor(interfaceName: string, key: string): unknown {
  const made: unknown = descriptorOf(globalThis, interfaceName)?.value;
  const prototype: unknown = isCallable(made) ? made.prototype : undefined;
  return isObject(prototype) ? descriptorOf(prototype, key)?.get : undefined;
}

/** Finds a property on an object or its prototypes without reading it. */
export function lookup(object: unknown, key: PropertyKey): PropertyDescriptor | undefined {
  let at: object | null = isObject(object) ? object : null;
  for (let depth = 0; at !== null && depth < 8; depth++) {
    const found = descriptorOf(at, key);
    if (found !== undefined) return found;
    at = prototypeOf(at);
  }
  return undefined;
}

/** Reads a property without running any code of the page: an accessor yields undefined. */
export function dataProperty(object: unknown, key: PropertyKey): unknown {
  return lookup(object, key)?.value;
}

const addEventListener: Callable | undefined = typeof EventTarget === "undefined" ? undefined : EventTarget.prototype.addEventListener;
const removeEventListener: Callable | undefined = typeof EventTarget === "undefined" ? undefined : EventTarget.prototype.removeEventListener;

/** Listeners on the window and the document, to be added anew when document.open() has swept them away. */
const kept: { readonly target: EventTarget; readonly type: string; readonly handler: unknown }[] = [];

function add(target: EventTarget, type: string, handler: unknown): void {
  if (addEventListener !== undefined) apply(addEventListener, target, [type, handler, true]);
}

/** Adds a listener that cannot throw into the page. On the window and the document it outlives document.open(). */
export function listen<E>(target: EventTarget, type: string, handler: (event: E) => void): Undo {
  const safe = (event: E): void => {
    try {
      handler(event);
    } catch {
      // A fault of the agent is never the page's.
    }
  };
  const entry = { target, type, handler: safe };
  add(target, type, safe);
  if (target === globalThis || target === globalThis.document) kept[kept.length] = entry;
  return () => {
    if (removeEventListener !== undefined) apply(removeEventListener, target, [type, safe, true]);
    const at = kept.indexOf(entry);
    if (at >= 0) kept.splice(at, 1);
  };
}

/** Adds those listeners again; the ones still there are not doubled. */
export function listenAgain(): void {
  for (let i = 0; i < kept.length; i++) {
    const entry = kept[i];
    if (entry !== undefined) add(entry.target, entry.type, entry.handler);
  }
}

const leaving: (() => void)[] = [];

/** Runs something when the page goes away, in the order of the calls and before any other listener of the agent. */
export function onLeave(run: () => void): Undo {
  leaving[leaving.length] = run;
  return () => {
    const at = leaving.indexOf(run);
    if (at >= 0) leaving.splice(at, 1);
  };
}

/** Runs something that must not throw into the page. */
export function quietly<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

quietly(() =>
  listen(globalThis, "pagehide", () => {
    for (let i = 0; i < leaving.length; i++) quietly(leaving[i] ?? (() => {}));
  }),
);

/** Defines a name on the window that neither for-in nor Object.keys shows. */
export function defineHidden(name: string, value: unknown): void {
  const descriptor: PropertyDescriptor & { __proto__: null } = { __proto__: null, value, writable: true, configurable: true, enumerable: false };
  defineProperty(globalThis, name, descriptor);
}

/** Defines such a name whose value is made when somebody first asks for it: most pages never do. */
export function defineLazily(name: string, make: () => unknown): void {
  defineProperty(globalThis, name, {
    configurable: true,
    enumerable: false,
    get: () => {
      const value = quietly(make);
      defineHidden(name, value);
      return value;
    },
    set: (value: unknown) => defineHidden(name, value),
  });
}

/** Where this script came from; read at once, because currentScript is null later. */
export const agentURL: string = quietly(() => {
  const script: unknown = document.currentScript;
  return script instanceof HTMLScriptElement ? script.src : "";
}) ?? "";

/** Paths under this prefix are the agent's own. */
export const ownPrefix = "/__devtool/";

/** How many pictures of the page are being drawn: what a policy says of their data: URLs is not the page's doing. */
export const drawing = { pictures: 0 };

/** Whether a resolved URL is the agent's own traffic, its socket's too. */
export function isOwnURL(url: string): boolean {
  if (url.indexOf(ownPrefix) < 0) return false;
  const parsed = quietly(() => parseURL(url, document.baseURI));
  return parsed !== undefined && parsed.host === location.host && parsed.pathname.indexOf(ownPrefix) === 0;
}
