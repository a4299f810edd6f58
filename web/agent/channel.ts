// The page's end of the socket: says hello, batches events, keeps the server's
// picture of the page true, and comes back after whatever cut the line.
//
// Everything is bounded. While there is no socket, events wait in a queue; what
// does not fit is counted and the count is sent. A reconnection shows the
// ticket from the last welcome, which is what makes it the same page.

import { encode } from "./encode";
import { apply, jsonStringify, listen, now, pageURL, quietly, setTimer, timeOrigin } from "./native";
import { version } from "./wire";
import type { Emit, ExecRequest, Hello, Kept, PageEvent, PageMessage, PageState, ServerMessage } from "./wire";

/** Most events, and most characters of them, that wait to be sent. */
export const queueEvents = 1000;
export const queueChars = 1_000_000;
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
/** The title is followed from this long after the start: finding its element makes the browser build what a page at its load has no need of. */
export const titleAfter = 1000;
/** The server did not accept the ticket: come back as a new page. */
const closedUnknownTicket = 4001;

export interface ChannelOptions {
  /** The socket's URL, key included. */
  readonly url: string;
  /** Runs code and gives the frames to answer with. */
  readonly exec: (request: ExecRequest) => Promise<readonly string[]>;
  /** Called whenever the page's id becomes known or changes. */
  readonly named: (page: string) => void;
  readonly files: boolean;
}

export interface Channel {
  readonly emit: Emit;
  /** Connects, unless that has begun. */
  open(): void;
  /** Tells the server which page this frame is in. */
  parent(page: string): void;
  readonly keep: Keep;
}

/** Sends the frames of a picture, which carry the id they are given, and gives the server's word on it. */
export type Keep = (frames: (id: number) => readonly string[]) => Promise<Kept>;

const Socket = WebSocket;
const Observer = MutationObserver;
const { send, close } = WebSocket.prototype;
const { parse } = JSON;
const random = Math.random;

export function channel(options: ChannelOptions): Channel {
  const c = new Line(options);
  return { emit: (e) => c.emit(e), open: () => c.open(), parent: (page) => c.setParent(page), keep: (frames) => c.keep(frames) };
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
  private queue: string[] = [];
  private queued = 0;
  private lost = 0;
  private scheduled = false;
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
    this.watch();
    this.connect();
    setTimer(() => {
      this.followTitle();
      this.flush();
    }, titleAfter);
  }

  private watch(): void {
    this.noteFocus();
    for (let i = 0; i < windowEvents.length; i++) listen(window, windowEvents[i] ?? "", this.heard);
    for (let i = 0; i < documentEvents.length; i++) listen(document, documentEvents[i] ?? "", this.heard);
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
      case "pointerdown":
      case "keydown":
        return this.touched();
      case "pageshow":
        this.hiding = false;
        return this.wake();
      case "pagehide":
        return this.leave();
      case "online":
      case "resume":
        return this.wake();
    }
    this.schedule();
  }

  emit(event: PageEvent): void {
    quietly(() => {
      const text = encode(event);
      if (this.queue.length >= queueEvents || this.queued + text.length > queueChars) {
        this.lost++;
        return;
      }
      this.queue[this.queue.length] = text;
      this.queued += text.length;
      this.schedule();
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
      for (const frame of frames(id)) if (!this.raw(frame)) return failed(new Error("the page is not connected to Oriel"));
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
    if (!this.welcome) return;
    if (this.queue.length > 0 || this.lost > 0) {
      const lost = this.lost > 0 ? `,"lost":${this.lost}` : "";
      let events = "";
      for (const text of this.queue) events += events === "" ? text : `,${text}`;
      if (!this.raw(`{"t":"events","events":[${events}]${lost}}`)) return;
      this.queue = [];
      this.queued = 0;
      this.lost = 0;
    }
    this.sendState();
  }

  private sendState(): void {
    if (this.titles !== null) this.followTitle();
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
    this.titles ??= new Observer(() => this.flush());
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

  private touched(): void {
    this.noteFocus();
    if (this.focusedAt - this.toldFocus < focusEvery || !this.welcome) return;
    this.toldFocus = this.focusedAt;
    this.raw('{"t":"state","state":{"focused":true}}');
  }

  private noteFocus(): void {
    if (quietly(() => document.hasFocus()) === true) this.focusedAt = now();
  }

  private connect(): void {
    if (this.socket !== null || this.hiding) return;
    this.attempt++;
    const socket = quietly(() => new Socket(this.options.url));
    if (socket === undefined) return this.later();
    this.socket = socket;
    listen(socket, "open", () => this.hello());
    listen<MessageEvent>(socket, "message", (e) => this.receive(e.data));
    listen<CloseEvent>(socket, "close", (e) => this.closed(socket, e.code));
  }

  private closed(socket: WebSocket, code: number): void {
    if (this.socket !== socket) return;
    this.socket = null;
    this.welcome = false;
    this.state = null;
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

  private leave(): void {
    this.hiding = true;
    if (!this.left) listen(window, "pageshow", this.heard); // only a page that left can come back
    this.left = true;
    this.flush();
    const socket = this.socket;
    if (socket === null) return;
    this.socket = null;
    this.welcome = false;
    this.state = null;
    quietly(() => apply(close, socket, [1000]));
  }

  private hello(): void {
    this.heardAt = now();
    this.state = this.look();
    const hello: Hello = {
      t: "hello",
      v: version,
      now: timeOrigin + now(),
      state: this.state,
      opened: timeOrigin,
      ...(this.focusedAt >= 0 ? { focusedAgo: this.state.focused ? 0 : now() - this.focusedAt } : {}),
      ...(this.ticket === "" ? {} : { page: this.page, ticket: this.ticket }),
      ...(this.options.files ? { files: true } : {}),
    };
    this.send(hello);
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
        return this.flush();
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

/** Input is a sign of focus too: in a headless browser the only one. An open socket would keep a page that hides out of the back/forward cache. */
const windowEvents = ["focus", "blur", "pointerdown", "keydown", "pagehide", "online", "resize", "load", "popstate", "hashchange"] as const;
const documentEvents = ["visibilitychange", "resume"] as const;

const stateKeys = ["url", "title", "width", "height", "ratio", "visible", "focused", "loaded"] as const;

/** The server is trusted, but a frame may still be cut short. */
function read(data: string): ServerMessage | undefined {
  return quietly((): ServerMessage => parse(data));
}
