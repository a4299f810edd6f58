// Uncaught errors, unhandled rejections, resources that did not load, and
// violations of a content security policy. Listening is all it takes: nothing
// of the page is replaced. The listeners capture on the window and were added
// before any of the page's, so a page that stops propagation stays audible.

import { clip } from "../clip";
import { Folder } from "../fold";
import { withoutAgent } from "../mask";
import { agentURL, apply, drawing, isOwnURL, listen, now, onLeave, setTimer, timeOrigin } from "../native";
import type { Undo } from "../native";
import { reasonText } from "../reason";
import type { Emit, ErrorFact } from "../wire";

const stackLimit = 8000;

const { dispatchEvent } = EventTarget.prototype;

/** `own` says whether an event is of the agent's making, and then keeps it from everybody else; `caller` gives the stack of the last call to a URL. */
export function tapErrors(emit: Emit, own: (event: Event) => boolean, caller: (url: string) => string | null): Undo {
  const folder = new Folder(emit, setTimer);
  const undo = [
    listen(globalThis, "error", (event: Event) => {
      if (own(event)) return;
      if (event instanceof ErrorEvent && retold(event, () => reasonText(event.error).stack, "filename", "lineno", "colno") !== undefined) return;
      const fact = event instanceof ErrorEvent ? scriptError(event) : resourceError(event);
      if (fact !== null) folder.add(fact);
    }),
    listen(globalThis, "unhandledrejection", (event: PromiseRejectionEvent) => {
      if (event.isTrusted) folder.add(rejection(event.reason));
    }),
    listen(globalThis, "securitypolicyviolation", (event: SecurityPolicyViolationEvent) => {
      if (own(event) || !event.isTrusted) return;
      // The agent's own requests are blocked only where a page adds a policy while it runs; they are not the page's affair.
      if (isOwnURL(event.blockedURI)) return event.stopImmediatePropagation();
      // Through the core go the page's own calls; what any other file of the agent's does is the agent's.
      if (event.sourceFile !== agentURL && isOwnURL(event.sourceFile)) return;
      if (drawing.pictures > 0 && event.blockedURI === "data") return;
      const told = retold(event, () => caller(event.blockedURI), "sourceFile", "lineNumber", "columnNumber");
      folder.add(violation(told instanceof SecurityPolicyViolationEvent ? told : event));
    }),
    onLeave(() => folder.flush()),
  ];
  return () => {
    for (const each of undo) each();
    folder.flush();
  };
}

function at(): number {
  return timeOrigin + now();
}

function stackOf(stack: string | null): { readonly stack?: string } {
  return stack === null ? {} : { stack: clip(withoutAgent(stack), stackLimit) };
}

/** The place of a stack's first frame that has one. */
const frame = /^\s*at (?:.*? \(|async )?(\S+?):(\d+):(\d+)\)?$/m;

/**
 * What the browser says of a native method seems to come from the agent where the agent stands before it. Such an
 * event is kept from everybody, and one takes its place that names the line which made the call, by these names.
 */
function retold(event: Event, stack: () => string | null, file: string, line: string, column: string): Event | undefined {
  if (agentURL === "" || Reflect.get(event, file) !== agentURL) return undefined;
  const at = frame.exec(withoutAgent(stack() ?? ""));
  if (at === null) return undefined;
  const init: Record<string, unknown> = {};
  for (const key in event) init[key] = Reflect.get(event, key);
  init[file] = at[1] === "<anonymous>" ? "" : file === "filename" ? at[1] : at[1]?.split("?", 1)[0];
  init[line] = at[2];
  init[column] = at[3];
  const told: unknown = Reflect.construct(event.constructor, [event.type, init]);
  if (!(told instanceof Event) || event.target === null) return undefined;
  event.stopImmediatePropagation();
  if (!apply(dispatchEvent, event.target, [told])) event.preventDefault();
  return told;
}

function scriptError(event: ErrorEvent): ErrorFact | null {
  if (agentURL !== "" && event.filename === agentURL) return null;
  const reason = event.error === undefined || event.error === null ? null : reasonText(event.error);
  return {
    kind: "error",
    source: "error",
    at: at(),
    message: clip(event.message !== "" ? event.message : (reason?.full ?? "error")),
    ...stackOf(reason?.stack ?? null),
    ...(event.filename === "" ? {} : { url: event.filename }),
    ...(event.lineno > 0 ? { line: event.lineno, column: event.colno } : {}),
  };
}

function rejection(reason: unknown): ErrorFact {
  const text = reasonText(reason);
  return { kind: "error", source: "rejection", at: at(), message: text.full, ...stackOf(text.stack) };
}

/** An element that could not load what it names. Error events that a page dispatches itself are its own affair. */
function resourceError(event: Event): ErrorFact | null {
  const target = event.target;
  if (!event.isTrusted || !(target instanceof Element)) return null;
  const url = resourceURL(target);
  if (url === "" || isOwnURL(url)) return null;
  return { kind: "error", source: "resource", at: at(), message: clip(`failed to load <${target.localName}> ${url}`), url: clip(url) };
}

function resourceURL(element: Element): string {
  if (element instanceof HTMLImageElement || element instanceof HTMLMediaElement) return element.currentSrc || element.src;
  if (element instanceof HTMLLinkElement) return element.href;
  if (element instanceof SVGElement) return element.getAttribute("href") ?? "";
  const url: unknown = Reflect.get(element, "src") ?? Reflect.get(element, "data");
  return typeof url === "string" ? url : "";
}

function violation(event: SecurityPolicyViolationEvent): ErrorFact {
  const what = event.blockedURI === "" ? "inline content" : event.blockedURI;
  const how = event.disposition === "report" ? "would block (report only)" : "blocked";
  const known = event.sourceFile !== "" && event.sourceFile !== agentURL;
  return {
    kind: "error",
    source: "csp",
    at: at(),
    message: clip(`${event.effectiveDirective} ${how} ${what}`),
    url: known ? event.sourceFile : event.documentURI,
    ...(known && event.lineNumber > 0 ? { line: event.lineNumber, column: event.columnNumber } : {}),
  };
}
