// Uncaught errors, unhandled rejections, resources that did not load, and
// violations of a content security policy. Listening is all it takes: nothing
// of the page is replaced. The listeners capture on the window and were added
// before any of the page's, so a page that stops propagation stays audible.

import { clip } from "../clip";
import { Folder } from "../fold";
import { withoutAgent } from "../mask";
import { agentURL, drawing, isOwnURL, listen, now, onLeave, setTimer, timeOrigin } from "../native";
import type { Undo } from "../native";
import { reasonText } from "../reason";
import type { Emit, ErrorFact } from "../wire";

const stackLimit = 8000;

/** `own` says whether an event is of the agent's making, and then keeps it from everybody else. */
export function tapErrors(emit: Emit, own: (event: Event) => boolean): Undo {
  const folder = new Folder(emit, setTimer);
  const undo = [
    listen(globalThis, "error", (event: Event) => {
      if (own(event)) return;
      const fact = event instanceof ErrorEvent ? scriptError(event) : resourceError(event);
      if (fact !== null) folder.add(fact);
    }),
    listen(globalThis, "unhandledrejection", (event: PromiseRejectionEvent) => {
      if (event.isTrusted) folder.add(rejection(event.reason));
    }),
    listen(globalThis, "securitypolicyviolation", (event: SecurityPolicyViolationEvent) => {
      if (!own(event) && event.isTrusted && !isOwnURL(event.blockedURI) && !isOwnURL(event.sourceFile) && !(drawing.pictures > 0 && event.blockedURI === "data")) {
        folder.add(violation(event));
      }
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
  return {
    kind: "error",
    source: "csp",
    at: at(),
    message: clip(`${event.effectiveDirective} ${how} ${what}`),
    url: event.sourceFile || event.documentURI,
    ...(event.lineNumber > 0 ? { line: event.lineNumber, column: event.columnNumber } : {}),
  };
}
