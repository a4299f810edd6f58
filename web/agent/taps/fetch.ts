// Records fetch.
//
// The page gets the very promise the native fetch made, and nothing is chained
// to it until the page itself does so: a reaction of ours on a promise that
// the page leaves alone would mark it as handled, and the page would lose its
// unhandledrejection event. Every way to handle a promise (then, catch, await,
// Promise.all …) first looks up its `constructor`; so the promise carries an
// accessor of that name which removes itself at the first look and only then
// adds our reaction, right before the page's own. The order of microtasks
// stays as it was. A promise the page never handles is followed by its
// resource-timing entry and by its unhandledrejection event.
//
// What it costs: the engine no longer takes its shortest path for promises,
// some 20 ns for each await of the page. What could tell: asking such a promise
// for its own property names before anything else.

import type { BodyEnds } from "../body-ends";
import { bodyKey } from "../body-key";
import type { Call, CallBuffer } from "../calls";
import { cleaned, replaceMethod } from "../mask";
import type { Trap } from "../mask";
import { apply, dataProperty, defineProperty, deleteProperty, isObject, isOwnURL, listen, NativePromise, ownWeakMap, promiseThen, prototypeOf, quietly, read } from "../native";
import type { Attribute, Undo } from "../native";
import { reasonText } from "../reason";
import { captureTrace } from "../stack";

const requestURL: Attribute = { of: "Request", key: "url", get: undefined };
const requestMethod: Attribute = { of: "Request", key: "method", get: undefined };
const requestSignal: Attribute = { of: "Request", key: "signal", get: undefined };
const urlHref: Attribute = { of: "URL", key: "href", get: undefined };
const responseStatus: Attribute = { of: "Response", key: "status", get: undefined };
const responseOK: Attribute = { of: "Response", key: "ok", get: undefined };
const signalAborted: Attribute = { of: "AbortSignal", key: "aborted", get: undefined };

/** Methods that fetch and XMLHttpRequest write in upper case. */
const normalised = /^(?:delete|get|head|options|post|put)$/i;

/** URLs that never touch the network and so leave no resource-timing entry. */
const local = /^\s*(?:data|blob|about):/i;

/** A method as the platform sends it. */
export function methodName(method: unknown): string {
  if (typeof method !== "string") return "GET";
  return normalised.test(method) ? method.toUpperCase() : method;
}

interface Watched {
  /** null for a call without arguments, which only needs its error cleaned. */
  readonly call: Call | null;
  readonly signal: unknown;
  readonly local: boolean;
}

export function tapFetch(buffer: CallBuffer, ends: BodyEnds): Undo {
  const watch = watcher(ends);
  const trap: Trap = (native, self, args) => {
    const input = args.length > 0 ? args[0] : undefined;
    if (isObject(input) && (self === undefined || self === globalThis) && plainText(input)) {
      // The platform would turn this object into a string, once. It is done here instead, so that the page's code
      // still runs once; and as with the native fetch, what it throws becomes a rejection.
      try {
        args[0] = `${input}`;
      } catch (error) {
        return NativePromise.reject(error);
      }
    }
    const started = quietly(() => begin(buffer, args, trap));
    const promise: unknown = apply(native, self, args);
    if (started !== undefined && promise instanceof NativePromise) quietly(() => watch.follow(promise, started));
    return promise;
  };
  const undoMethod = replaceMethod(globalThis, "fetch", trap);
  const undoListener = watch.listen();
  return () => {
    undoMethod();
    undoListener();
  };
}

/** Whether the platform takes this object for its text alone: neither a Request nor a URL. */
function plainText(input: object): boolean {
  return read(requestURL, input) === undefined && read(urlHref, input) === undefined;
}

/** Starts the record; undefined for the agent's own traffic. Reads nothing that could run the page's code. */
function begin(buffer: CallBuffer, args: readonly unknown[], skip: unknown): Watched | undefined {
  if (args.length === 0) return { call: null, signal: undefined, local: true };
  const input = args[0];
  const init = args.length > 1 ? args[1] : undefined;
  const ofRequest = isObject(input) ? read(requestURL, input) : undefined;
  const isRequest = typeof ofRequest === "string";
  const url = isRequest ? ofRequest : `${isObject(input) ? read(urlHref, input) : String(input)}`;
  if (isOwnURL(url)) return undefined;
  const given = dataProperty(init, "method");
  const method = given === undefined && isRequest ? read(requestMethod, input) : given;
  const body = dataProperty(init, "body");
  const call = buffer.begin({
    kind: "fetch",
    method: methodName(method),
    url,
    base: isObject(input) ? "" : document.baseURI,
    trace: captureTrace(skip),
    bodyKey: body === undefined || body === null ? null : bodyKey(body),
  });
  const signal = dataProperty(init, "signal") ?? (isRequest ? read(requestSignal, input) : undefined);
  return { call, signal, local: local.test(url) };
}

/** Follows the promises of recorded calls. */
function watcher(ends: BodyEnds): { follow(promise: Promise<unknown>, watched: Watched): void; listen(): Undo } {
  let pending: WeakMap<object, Watched> | undefined; // made for the first call

  const attach = (promise: object): void => {
    const watched = pending?.get(promise);
    deleteProperty(promise, "constructor");
    if (watched === undefined) return;
    pending?.delete(promise);
    apply(promiseThen, promise, [(response: unknown) => fulfilled(watched, response, ends), (reason: unknown) => rejected(watched, reason, ends)]);
  };

  const sentinel: PropertyDescriptor & { __proto__: null } = {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get(this: object): unknown {
      quietly(() => attach(this));
      return dataProperty(prototypeOf(this), "constructor");
    },
    set(this: object, value: unknown) {
      quietly(() => attach(this));
      defineProperty(this, "constructor", { value, writable: true, enumerable: true, configurable: true });
    },
  };

  return {
    follow(promise, watched) {
      if (watched.call !== null && !watched.local) ends.expect(watched.call);
      pending ??= ownWeakMap();
      pending.set(promise, watched);
      if (!defineProperty(promise, "constructor", sentinel)) attach(promise);
    },
    listen: () =>
      listen(globalThis, "unhandledrejection", (event: PromiseRejectionEvent) => {
        const watched = pending?.get(event.promise);
        if (watched === undefined) return;
        pending?.delete(event.promise);
        deleteProperty(event.promise, "constructor");
        rejected(watched, event.reason, ends);
      }),
  };
}

function fulfilled(watched: Watched, response: unknown, ends: BodyEnds): void {
  quietly(() => {
    const { call, signal } = watched;
    const status = read(responseStatus, response);
    const ok = read(responseOK, response) === true;
    if (call === null || typeof status !== "number") return;
    call.answer(status, ok);
    if (watched.local || !ends.works) {
      call.finish({ status, ok, error: null, aborted: false });
      return;
    }
    if (isObject(response)) ends.answered(call, response);
    if (isObject(signal) && call.end === null) followSignal(call, signal, ends);
  });
}

/** A body that the page gives up on leaves no ending of its own. */
function followSignal(call: Call, signal: object, ends: BodyEnds): void {
  if (!(signal instanceof EventTarget)) return;
  // A signal may serve a page's every call: the listener goes when the call has ended.
  call.onEnd = listen(signal, "abort", () => {
    ends.settle();
    if (call.end !== null) return;
    ends.forget(call);
    call.finish({ status: call.status ?? 0, ok: call.ok ?? false, error: "AbortError: aborted while the body was arriving", aborted: true });
  });
}

function rejected({ call, signal }: Watched, reason: unknown, ends: BodyEnds): void {
  quietly(() => {
    cleaned(reason);
    if (call === null) return;
    ends.forget(call);
    const text = reasonText(reason);
    const aborted = read(signalAborted, signal) === true || text.name === "AbortError";
    call.finish({ status: 0, ok: false, error: text.full, aborted });
  });
}
