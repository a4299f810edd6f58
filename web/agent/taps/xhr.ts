// Records XMLHttpRequest by its prototype's methods; the constructor, its
// constants and its sub-classes are not touched. A request object may be used
// again and again: each send is a call of its own.

import { bodyKey } from "../body-key";
import type { Call, CallBuffer, CallEnd } from "../calls";
import { cleaned, replaceMethod } from "../mask";
import type { Trap } from "../mask";
import { apply, isObject, isOwnURL, listen, ownWeakMap, quietly, read } from "../native";
import type { Attribute, Callable, Undo } from "../native";
import { captureTrace } from "../stack";
import type { Trace } from "../stack";
import { methodName } from "./fetch";

const readyState: Attribute = { of: "XMLHttpRequest", key: "readyState", get: undefined };
const status: Attribute = { of: "XMLHttpRequest", key: "status", get: undefined };
const urlHref: Attribute = { of: "URL", key: "href", get: undefined };

const opened = 1;
const done = 4;

/** What is known of one request object. */
interface Request {
  method: string;
  url: string;
  base: string;
  sync: boolean;
  call: Call | null;
  /** Who opened it: a library may send later, from a turn of its own. */
  trace: Trace | null;
  /** The first of error, timeout and abort, until loadend. */
  failure: "error" | "timeout" | "abort" | null;
}

const failures = {
  error: "NetworkError: the request failed",
  timeout: "TimeoutError: the request timed out",
  abort: "AbortError: the request was aborted",
} as const;

export function tapXHR(buffer: CallBuffer): Undo {
  const requests = ownWeakMap<object, Request>();

  const onOpen: Trap = (native, self, args) => {
    if (args.length > 1 && read(readyState, self) !== undefined) {
      // Objects are turned into strings here, once and in order, as the platform would.
      if (isObject(args[0])) args[0] = `${args[0]}`;
      if (isObject(args[1]) && read(urlHref, args[1]) === undefined) args[1] = `${args[1]}`;
    }
    quietly(() => conclude(requests, self));
    const result = run(native, self, args);
    quietly(() => remember(requests, self, args, onOpen));
    return result;
  };

  const onSend: Trap = (native, self, args) => {
    const request = isObject(self) ? requests.get(self) : undefined;
    if (request === undefined || read(readyState, self) !== opened || request.call !== null) return run(native, self, args);
    quietly(() => begin(buffer, request, args));
    let returned = false;
    try {
      const result = run(native, self, args);
      returned = true;
      return result;
    } finally {
      if (request.sync || !returned) quietly(() => finish(self, request, returned ? null : "error"));
    }
  };

  const undoOpen = replaceMethod(XMLHttpRequest.prototype, "open", onOpen);
  const undoSend = replaceMethod(XMLHttpRequest.prototype, "send", onSend);
  return () => {
    undoOpen();
    undoSend();
  };
}

/** Calls the native method; what it throws does not show that we did. */
function run(native: Callable, self: unknown, args: unknown[]): unknown {
  try {
    return apply(native, self, args);
  } catch (error) {
    throw cleaned(error);
  }
}

/** A page's handler that comes before ours may open the request anew: then this is the last look at how it ended. */
function conclude(requests: WeakMap<object, Request>, self: unknown): void {
  const request = isObject(self) ? requests.get(self) : undefined;
  if (request === undefined || request.call === null || read(readyState, self) !== done) return;
  finish(self, request, request.failure);
}

function remember(requests: WeakMap<object, Request>, self: unknown, args: readonly unknown[], skip: unknown): void {
  if (!isObject(self) || !(self instanceof EventTarget) || args.length < 2) return;
  let request = requests.get(self);
  if (request === undefined) {
    request = { method: "", url: "", base: "", sync: false, call: null, trace: null, failure: null };
    requests.set(self, request);
    follow(self, request);
  } else if (request.call !== null) {
    // Opening anew ends a running request without an event.
    finish(self, request, "abort");
  }
  const url = args[1];
  const href = isObject(url) ? read(urlHref, url) : undefined;
  request.method = methodName(args[0]);
  request.url = typeof href === "string" ? href : String(url);
  request.base = document.baseURI;
  request.sync = args.length > 2 && !args[2];
  request.failure = null;
  request.trace = captureTrace(skip);
}

/** Listens once per request object, not once per send. An event of an earlier send finds the request opened anew. */
function follow(self: EventTarget, request: Request): void {
  const fail = (event: Event): void => {
    if (event.isTrusted && read(readyState, self) === done && (event.type === "error" || event.type === "timeout" || event.type === "abort")) request.failure = event.type;
  };
  listen(self, "error", fail);
  listen(self, "timeout", fail);
  listen(self, "abort", fail);
  listen(self, "loadend", (event: Event) => {
    if (event.isTrusted && read(readyState, self) === done) finish(self, request, request.failure);
  });
}

function begin(buffer: CallBuffer, request: Request, args: readonly unknown[]): void {
  request.failure = null;
  if (isOwnURL(request.url)) return;
  const { method, url, base } = request;
  const body = method === "GET" || method === "HEAD" || args.length === 0 ? null : args[0];
  request.call = buffer.begin({
    kind: "xhr",
    method,
    url,
    base,
    trace: request.trace,
    bodyKey: body === null || body === undefined ? null : bodyKey(body),
  });
}

function finish(self: unknown, request: Request, failure: Request["failure"]): void {
  const call = request.call;
  request.call = null;
  request.failure = null;
  call?.finish(ending(read(status, self), failure));
}

function ending(code: unknown, failure: Request["failure"]): CallEnd {
  if (failure !== null) return { status: 0, ok: false, error: failures[failure], aborted: failure === "abort" };
  const seen = typeof code === "number" ? code : 0;
  if (seen === 0) return { status: 0, ok: false, error: failures.error, aborted: false };
  return { status: seen, ok: seen >= 200 && seen < 300, error: null, aborted: false };
}
