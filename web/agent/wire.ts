// The messages between the agent and the server, one union per direction.
// internal/page/wire.go is the other half of this page; the fixtures in
// contract/wire.json are read by the tests of both, so neither can drift.
//
// A message is one JSON object in one text frame. The value of an exec is large
// and already JSON, so it follows its message behind a line feed, which cannot
// occur inside a JSON text; a long one in further frames, as many as `parts`
// says, because browsers send several middling frames faster than a huge one.
//
// Nothing here names a proxy or a page as the author of a message: the server
// knows who is at the other end of a socket and never takes the page's word.

/** Fields of every event. */
interface Stamped {
  /** When it happened: `performance.timeOrigin + performance.now()`, in ms. */
  readonly at: number;
}

/** Something went wrong: an uncaught error, a rejection, a resource that did not load, a policy violation. */
export interface ErrorFact extends Stamped {
  readonly kind: "error";
  readonly source: "error" | "rejection" | "resource" | "csp";
  readonly message: string;
  readonly stack?: string;
  /** The script or the resource. */
  readonly url?: string;
  readonly line?: number;
  readonly column?: number;
  /** How many identical ones are folded into this one; 1 when left out. */
  readonly count?: number;
}

/** One console call, its arguments already put into words. */
export interface ConsoleFact extends Stamped {
  readonly kind: "console";
  /** The console method: log, info, warn, error, debug, assert, trace … */
  readonly level: string;
  readonly text: string;
  readonly stack?: string;
  readonly count?: number;
}

/** A document load or a same-document route change. */
export interface NavigationFact extends Stamped {
  readonly kind: "navigation";
  readonly type: "load" | "push" | "replace" | "pop" | "hash" | "unload";
  readonly from?: string;
  readonly to: string;
}

/** One measured value, such as a Web Vital. */
export interface PerformanceFact extends Stamped {
  readonly kind: "performance";
  readonly name: string;
  readonly value: number;
  readonly rating?: string;
  /** A short description of the element it is about. */
  readonly target?: string;
}

/** Something a person (or a driver) did in the page. Never what was typed. */
export interface ActionFact extends Stamped {
  readonly kind: "action";
  readonly type: "click" | "key" | "submit" | "input" | "popstate";
  readonly target?: string;
}

/** What a tap emits; each member becomes one journal entry of its kind. */
export type PageEvent = ErrorFact | ConsoleFact | NavigationFact | PerformanceFact | ActionFact;

/** Where a tap puts what it saw. It never throws. */
export type Emit = (event: PageEvent) => void;

/** A tap starts listening and returns its undo. */
export type Tap = (emit: Emit) => () => void;

/** What the server keeps about a page besides its events. */
export interface PageState {
  readonly url: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly visible: boolean;
  readonly focused: boolean;
  /** document.readyState is "complete". */
  readonly loaded: boolean;
}

/** The first message on a socket. The key travels in the socket's URL. */
export interface Hello {
  readonly t: "hello";
  readonly v: typeof version;
  /** The page's clock as it sends this, as `at` of an event: lets the server put events on its own clock. */
  readonly now: number;
  readonly state: PageState;
  /** When the document began, as `at` of an event. */
  readonly opened: number;
  /** Milliseconds since the page last had the focus; left out when it never had. */
  readonly focusedAgo?: number;
  /** The page id and the ticket from an earlier welcome, when this is a reconnection. */
  readonly page?: string;
  readonly ticket?: string;
  /** Inline scripts are known not to run here: exec must come as files. */
  readonly files?: boolean;
}

/** What changed of the state. */
export interface StateUpdate {
  readonly t: "state";
  readonly state: Partial<PageState>;
}

/** The page id of the frame's same-origin parent, once both are known. */
export interface ParentUpdate {
  readonly t: "parent";
  readonly page: string;
}

/** A batch of events, oldest first. */
export interface Events {
  readonly t: "events";
  readonly events: readonly PageEvent[];
  /** How many did not fit into the queue since the last batch. */
  readonly lost?: number;
}

/** Where a result's text was shortened. */
export interface Cut {
  /** Values, elements or properties left out. */
  readonly items: number;
  /** Characters left out of strings. */
  readonly chars: number;
}

/** The answer of exec; the JSON behind the line feed is its value, `type` says what it stands for. */
export interface ExecValue {
  readonly t: "result";
  readonly id: number;
  readonly ok: true;
  readonly type: string;
  /** The value is a faithful JSON copy: no stand-in for a function, node, cycle … was needed. */
  readonly exact: boolean;
  readonly cut?: Cut;
  /** Frames with the rest of the value that follow this one at once. */
  readonly parts?: number;
}

/** Why exec has no value. */
export interface ExecFailure {
  readonly t: "result";
  readonly id: number;
  readonly ok: false;
  /** threw: the code threw or rejected. syntax: no form compiles. blocked: the page's policy let no form run. */
  readonly why: "threw" | "syntax" | "blocked";
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly line?: number;
  readonly column?: number;
  /** Which of the request's forms ran or failed last. */
  readonly form?: number;
}

export type ExecResult = ExecValue | ExecFailure;

/** A picture that the page made of itself; its base64 follows behind a line feed and in further frames. */
export interface Shot {
  readonly t: "shot";
  readonly id: number;
  readonly name: string;
  /** Pixels per CSS pixel. */
  readonly scale: number;
  readonly parts: number;
}

/** Is anybody there? The server answers pong; asked after a sleep. */
export interface Ping {
  readonly t: "ping";
}

export type PageMessage = Hello | StateUpdate | ParentUpdate | Events | ExecResult | Shot | Ping;

/** The answer to hello: who the page is, and the ticket that lets it come back as the same. */
export interface Welcome {
  readonly t: "welcome";
  readonly page: string;
  readonly ticket: string;
}

/** Run code. */
export interface ExecRequest {
  readonly t: "exec";
  readonly id: number;
  /** Whole scripts, to be tried in order until one compiles; each only hands a function over. */
  readonly forms: readonly string[];
  /** The forms are URLs of scripts, each served once, for pages that run no inline script. */
  readonly files?: boolean;
  /** Most characters of JSON in the answer. */
  readonly limit: number;
}

/** Go to a URL, or reload. */
export interface NavigateRequest {
  readonly t: "navigate";
  readonly url?: string;
  readonly reload?: boolean;
}

/** What became of a picture. */
export interface Kept {
  readonly t: "kept";
  readonly id: number;
  /** Its number in the log. */
  readonly seq?: number;
  readonly path?: string;
  readonly error?: string;
}

export interface Pong {
  readonly t: "pong";
}

export type ServerMessage = Welcome | ExecRequest | NavigateRequest | Kept | Pong;

/** Version of these messages; the agent is served by the server it talks to, so they move together. */
export const version = 1;
