// A browser of cardboard for channel.test.ts: sockets, timers, a clock and the
// events of a page, all moved by hand. It must be imported before the agent,
// which takes its natives when it is loaded.

type Listener = (event: unknown) => void;

class Target {
  private readonly listeners = new Map<string, Listener[]>();
  addEventListener(type: string, listener: Listener): void {
    const list = this.listeners.get(type) ?? [];
    list.push(listener);
    this.listeners.set(type, list);
  }
  removeEventListener(): void {}
  clear(): void {
    this.listeners.clear();
  }
  fire(type: string, event: object = {}): void {
    for (const listener of this.listeners.get(type) ?? []) listener({ type, ...event });
  }
}

export class FakeSocket extends Target {
  static opened: FakeSocket[] = [];
  static refuse = false;
  readyState = 0;
  sent: string[] = [];
  readonly url: string;
  constructor(url: string) {
    super();
    if (FakeSocket.refuse) throw new Error("blocked by policy");
    this.url = url;
    FakeSocket.opened.push(this);
  }
  send(frame: string): void {
    this.sent.push(frame);
  }
  close(): void {
    this.readyState = 3;
  }
  /** The server accepts and answers hello. */
  accept(page: string, ticket: string): void {
    this.readyState = 1;
    this.fire("open");
    this.receive({ t: "welcome", page, ticket });
  }
  receive(message: object): void {
    this.fire("message", { data: JSON.stringify(message) });
  }
  lose(code = 1006): void {
    this.readyState = 3;
    this.fire("close", { code });
  }
  /** What was sent since the last call, parsed. */
  take(): unknown[] {
    const frames = this.sent;
    this.sent = [];
    return frames.map((frame): unknown => JSON.parse(frame.split("\n")[0] ?? ""));
  }
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

let timers: Timer[] = [];
let clock = 0;

/** Lets time pass, running what becomes due in its order. */
export function pass(ms: number): void {
  const until = clock + ms;
  for (;;) {
    timers.sort((a, b) => a.at - b.at);
    const next = timers[0];
    if (next === undefined || next.at > until) break;
    timers = timers.slice(1);
    clock = next.at;
    next.run();
  }
  clock = until;
}

export const page = { focused: true, visible: "visible", title: "Title", ready: "complete", href: "http://h:1/a", went: "" };
export const fakeWindow = new Target();
export const fakeDocument = Object.assign(new Target(), {
  hasFocus: () => page.focused,
  querySelector: () => null,
  baseURI: "http://h:1/",
});
Object.defineProperties(fakeDocument, {
  visibilityState: { get: () => page.visible },
  title: { get: () => page.title },
  readyState: { get: () => page.ready },
});

const globals: Record<string, unknown> = {
  window: fakeWindow,
  document: fakeDocument,
  WebSocket: FakeSocket,
  EventTarget: Target,
  MutationObserver: class {
    observe(): void {}
    disconnect(): void {}
  },
  performance: { now: () => clock, timeOrigin: 1_000_000 },
  setTimeout: (run: () => void, ms: number) => timers.push({ at: clock + ms, run }),
  queueMicrotask: (run: () => void) => run(),
  innerWidth: 800,
  innerHeight: 600,
  devicePixelRatio: 1,
  location: {
    get href() {
      return page.href;
    },
    reload: () => (page.went = "reload"),
    assign: (url: string) => (page.went = url),
  },
};
for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

/** A page as it is when the agent starts. */
export function fresh(): void {
  timers = [];
  fakeWindow.clear();
  fakeDocument.clear();
  FakeSocket.opened = [];
  FakeSocket.refuse = false;
  Object.assign(page, { focused: true, visible: "visible", title: "Title", ready: "complete", href: "http://h:1/a", went: "" });
}

/** The newest socket. */
export function socket(): FakeSocket {
  const last = FakeSocket.opened[FakeSocket.opened.length - 1];
  if (last === undefined) throw new Error("no socket was opened");
  return last;
}
