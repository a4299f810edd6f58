// The page's end of the socket: says hello, batches events, keeps the server's
// picture of the page true, and comes back after whatever cut the line.
//
// Everything is bounded. While there is no socket, events wait in a queue; what
// does not fit is counted and the count is sent. A reconnection shows the
// ticket from the last welcome, which is what makes it the same page.

import { encode } from "./encode";
import { apply, jsonStringify, listen, now, pageURL, quietly, setTimer, timeOrigin } from "./native";
import { Outbox } from "./outbox";
import { version } from "./wire";
import type { Emit, ExecRequest, Hello, Kept, PageEvent, PageMessage, PageState, ServerMessage } from "./wire";

/** Events are sent together after this many milliseconds. */
export const batchDelay = 30;
/** First and longest pause before another attempt to connect. */
export const firstPause = 200;
export const longestPause = 15_000;
/** Silence after which a wake-up makes sure that the socket is alive, and how long the proof may take. */
export const staleAfter = 20_000;
export const proofWithin = 4_000;
/** Input tells of the focus at most this often. */
export const focusEvery = 200;
/** What a page at its load can do without is done when it has been quiet for this long, or sooner when something happens this long after the start. */
export const attendAfter = 5000;
export const attendFrom = 1000;
/** Most characters of the last words of a page that leaves unheard: browsers take 64 KB from all such requests together. */
export const farewellChars = 20_000;
/** The server did not accept the ticket: come back as a new page. */
const closedUnknownTicket = 4001;

export interface ChannelOptions {
  /** The socket's URL, key included. */
  readonly url: string;
  /** Runs code and gives the frames to answer with. */
  readonly exec: (request: ExecRequest) => Promise<readonly string[]>;
  /** Delivers the last words of a page that leaves while there is no socket. */
  readonly farewell: (text: string) => void;
  /** Called whenever the page's id becomes known or changes. */
  readonly named: (page: string) => void;
  readonly files: boolean;
}

export interface Channel {
  readonly emit: Emit;
  /** Connects, unless that has begun. */
  open(): void;
  /** The page goes away, for good or into the browser's cache. */
  leave(): void;
  /** Tells the server which page this frame is in. */
  parent(page: string): void;
  readonly keep: Keep;
}

/** Sends the frames of a picture, which carry the id they are given, and gives the server's word on it. */
export type Keep = (frames: (id: number) => readonly string[]) => Promise<Kept>;

const Socket = WebSocket;
const { send, close } = WebSocket.prototype;
const { parse } = JSON;
const random = Math.random;
const enqueue = queueMicrotask;

export function channel(options: ChannelOptions): Channel {
  const c = new Line(options);
  return { emit: (e) => c.emit(e), open: () => c.open(), leave: () => c.leave(), parent: (page) => c.setParent(page), keep: (frames) => c.keep(frames) };
}

class Line {
  private socket: WebSocket | null = null;
  private welcome = false;
  private started = false;
  private hiding = false;
  private left = false;
  private pause = firstPause;
  private attempt = 0; // makes late timers of an earlier wait harmless
  private page = "";
  private ticket = "";
  private parentPage = "";
  private heardAt = 0;
  private focusedAt = -1;
  private toldFocus = -focusEvery;
  private readonly outbox = new Outbox();
  private scheduled = false;
  private attentive = false;
  private openedAt = 0;
  private state: PageState | null = null;
  private title: Element | null = null;
  private titles: MutationObserver | null = null;
  private readonly keeping: ((kept: Kept) => void)[] = [];

  private readonly options: ChannelOptions;

  constructor(options: ChannelOptions) {
    this.options = options;
  }

  open(): void {
    if (this.started) return;
    this.started = true;
    this.openedAt = now();
    this.noteFocus();
    listen(window, "focus", this.heard);
    listen(window, "blur", this.heard);
    listen(window, "resize", this.heard);
    listen(document, "visibilitychange", this.heard);
    // With nothing else on the stack: of a socket the browser remembers who opened it, and each caller would be parsed anew for its line.
    enqueue(this.connect);
    setTimer(() => this.attend(), attendAfter);
  }

  /** Takes up what could wait: the title, and the signs of a network that is back. */
  private attend(): void {
    if (this.attentive) return;
    this.attentive = true;
    listen(window, "online", this.heard);
    listen(document, "resume", this.heard);
    this.flush();
  }

  private readonly heard = (event: Event): void => this.notice(event.type);

  private notice(type: string): void {
    switch (type) {
      case "focus":
      case "blur":
        this.noteFocus();
        this.flush();
        if (type === "focus") this.wake();
        return;
      case "visibilitychange":
        this.flush();
        if (document.visibilityState === "visible") this.wake();
        return;
      case "pageshow":
        this.hiding = false;
        return this.wake();
      case "online":
      case "resume":
        return this.wake();
    }
    this.schedule();
  }

  emit(event: PageEvent): void {
    quietly(() => {
      this.outbox.add(encode(event));
      this.schedule();
      if (event.kind === "action") this.touched();
    });
  }

  setParent(page: string): void {
    this.parentPage = page;
    if (this.welcome) this.send({ t: "parent", page });
  }

  keep(frames: (id: number) => readonly string[]): Promise<Kept> {
    return new Promise((done, failed) => {
      const id = this.keeping.length;
      this.keeping[id] = done;
      for (const frame of frames(id)) if (!this.raw(frame)) return failed(new Error("the page is not connected"));
    });
  }

  private schedule(): void {
    if (this.scheduled || !this.welcome) return;
    this.scheduled = true;
    setTimer(() => quietly(() => this.flush()), batchDelay);
  }

  /** Sends what waits: events first, then what changed of the state. */
  private flush(): void {
    this.scheduled = false;
    if (!this.welcome || !this.sendEvents()) return;
    if (!this.attentive && now() - this.openedAt > attendFrom) this.attend();
    else this.sendState();
  }

  private sendEvents(): boolean {
    if (this.outbox.empty) return true;
    if (!this.raw(this.outbox.message())) return false;
    this.outbox.clear();
    return true;
  }

  private sendState(): void {
    if (this.attentive) this.followTitle();
    const state = this.look();
    const before = this.state;
    if (before === null) return;
    let changed = "";
    for (const key of stateKeys) {
      if (state[key] !== before[key]) changed += `${changed === "" ? "" : ","}"${key}":${jsonStringify(state[key])}`;
    }
    if (changed !== "" && this.raw(`{"t":"state","state":{${changed}}}`)) this.state = state;
  }

  /** Watches the title's element, which a page may replace. */
  private followTitle(): void {
    this.titles ??= observer(() => this.flush());
    const title = document.querySelector("head > title");
    if (title === this.title) return;
    this.title = title;
    this.titles.disconnect();
    if (title !== null) this.titles.observe(title, { childList: true, characterData: true, subtree: true });
  }

  private look(): PageState {
    return {
      url: pageURL().slice(0, 8192),
      title: document.title.slice(0, 1024),
      width: innerWidth,
      height: innerHeight,
      ratio: devicePixelRatio,
      visible: document.visibilityState === "visible",
      focused: document.hasFocus(),
      loaded: document.readyState === "complete",
    };
  }

  /** Input is a sign of focus too: in a headless browser the only one. */
  private touched(): void {
    this.noteFocus();
    if (!this.welcome) return;
    // It may lead away, and what is sent while a page leaves does not always arrive.
    this.sendEvents();
    if (this.focusedAt - this.toldFocus < focusEvery) return;
    this.toldFocus = this.focusedAt;
    this.raw('{"t":"state","state":{"focused":true}}');
  }

  private noteFocus(): void {
    if (quietly(() => document.hasFocus()) === true) this.focusedAt = now();
  }

  private readonly connect = (): void => {
    if (this.socket !== null || this.hiding) return;
    this.attempt++;
    let socket: WebSocket;
    try {
      socket = new Socket(this.options.url);
    } catch {
      return this.later();
    }
    this.socket = socket;
    listen(socket, "open", () => this.hello());
    listen<MessageEvent>(socket, "message", (e) => this.receive(e.data));
    listen<CloseEvent>(socket, "close", (e) => this.closed(socket, e.code));
  };

  private closed(socket: WebSocket, code: number): void {
    if (this.socket !== socket) return;
    this.socket = null;
    this.welcome = false;
    this.state = null;
    this.attend();
    if (code === closedUnknownTicket) this.page = this.ticket = "";
    this.later();
  }

  /** Tries again after a pause that grows, for ever; the spread keeps many tabs from coming at once. */
  private later(): void {
    if (this.hiding) return;
    const attempt = ++this.attempt;
    setTimer(
      () => {
        if (attempt === this.attempt) this.connect();
      },
      this.pause * (0.75 + random() / 2),
    );
    this.pause = this.pause * 2 > longestPause ? longestPause : this.pause * 2;
  }

  /** Something suggests that the network or the page is back. */
  private wake(): void {
    if (!this.started || this.hiding) return;
    const socket = this.socket;
    if (socket === null) {
      this.pause = firstPause;
      return this.connect();
    }
    if (!this.welcome || now() - this.heardAt < staleAfter) return;
    const asked = now();
    this.send({ t: "ping" });
    setTimer(() => {
      if (this.socket === socket && this.heardAt < asked) this.drop(socket);
    }, proofWithin);
  }

  private drop(socket: WebSocket): void {
    quietly(() => apply(close, socket, [1000]));
    this.closed(socket, 1006); // the browser may take minutes to notice
  }

  leave(): void {
    this.hiding = true;
    if (!this.left) listen(window, "pageshow", this.heard); // only a page that left can come back
    this.left = true;
    this.flush();
    if (!this.welcome && !this.outbox.empty) {
      this.options.farewell(`${encode(this.greeting())}\n${this.outbox.message(farewellChars)}`);
      this.outbox.clear();
    }
    const socket = this.socket;
    if (socket === null) return;
    this.socket = null;
    this.welcome = false;
    this.state = null;
    quietly(() => apply(close, socket, [1000]));
  }

  private hello(): void {
    this.heardAt = now();
    const hello = this.greeting();
    this.state = hello.state;
    this.send(hello);
  }

  private greeting(): Hello {
    const state = this.look();
    return {
      t: "hello",
      v: version,
      now: timeOrigin + now(),
      state,
      opened: timeOrigin,
      ...(this.focusedAt >= 0 ? { focusedAgo: state.focused ? 0 : now() - this.focusedAt } : {}),
      ...(this.ticket === "" ? {} : { page: this.page, ticket: this.ticket }),
      ...(this.options.files ? { files: true } : {}),
    };
  }

  private receive(data: unknown): void {
    this.heardAt = now();
    const message = typeof data === "string" ? read(data) : undefined;
    switch (message?.t) {
      case "welcome":
        this.page = message.page;
        this.ticket = message.ticket;
        this.welcome = true;
        this.pause = firstPause;
        this.options.named(message.page);
        if (this.parentPage !== "") this.send({ t: "parent", page: this.parentPage });
        this.sendEvents(); // the state was in the hello
        return;
      case "exec":
        return this.exec(message);
      case "kept":
        return this.keeping[message.id]?.(message);
      case "navigate":
        if (message.reload === true) return location.reload();
        if (message.url !== undefined) location.assign(message.url);
    }
  }

  private exec(request: ExecRequest): void {
    void this.answer(request);
  }

  private async answer(request: ExecRequest): Promise<void> {
    const frames = await this.options.exec(request); // await, because a page may have replaced then
    this.flush(); // what the code logged comes before its answer
    for (const frame of frames) this.raw(frame);
  }

  private send(message: PageMessage): boolean {
    return this.raw(encode(message));
  }

  private raw(frame: string): boolean {
    const socket = this.socket;
    if (socket === null || socket.readyState !== 1) return false;
    return quietly(() => (apply(send, socket, [frame]), true)) === true;
  }
}

const stateKeys = ["url", "title", "width", "height", "ratio", "visible", "focused", "loaded"] as const;

/** Named when it is first needed, because naming it makes the browser build it, and by the name that pages leave alone. */
function observer(changed: () => void): MutationObserver {
  return typeof WebKitMutationObserver === "undefined" ? new MutationObserver(changed) : new WebKitMutationObserver(changed);
}

declare const WebKitMutationObserver: typeof MutationObserver;

/** The server is trusted, but a frame may still be cut short. */
function read(data: string): ServerMessage | undefined {
  return quietly((): ServerMessage => parse(data));
}
