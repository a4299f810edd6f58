import { fakeDocument, FakeSocket, fakeWindow, fresh, page, pass, socket } from "./channel-fakes";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { attendAfter, batchDelay, channel, farewellChars, firstPause, longestPause, proofWithin, staleAfter } from "./channel";
import type { Channel } from "./channel";
import { queueEvents } from "./outbox";
import type { ConsoleFact, ExecRequest } from "./wire";

let named: string[] = [];
let said: string[] = [];
const request: ExecRequest = { t: "exec", id: 3, forms: ["x"], limit: 10 };

function start(exec: (request: ExecRequest) => Promise<string[]> = () => Promise.resolve([])): Channel {
  named = [];
  said = [];
  const line = channel({ url: "ws://h:1/__devtool/ws?k=key", exec, farewell: (text) => said.push(text), named: (p) => named.push(p), files: false });
  line.open();
  return line;
}

const log = (text: string): ConsoleFact => ({ kind: "console", at: 1, level: "log", text });
const pauseOf = (attempt: number): number => Math.min(longestPause, firstPause * 2 ** attempt) * 1.25 + 1;

beforeEach(fresh);

test("says hello, and who it is once it knows", () => {
  const line = start();
  line.open();
  assert.equal(FakeSocket.opened.length, 1);
  assert.equal(socket().url, "ws://h:1/__devtool/ws?k=key");
  socket().readyState = 1;
  socket().fire("open");
  const [hello] = socket().take();
  const state = { url: "http://h:1/a", title: "Title", width: 800, height: 600, ratio: 1, visible: true, focused: true, loaded: true };
  const shown: { now?: unknown } = Object.assign({}, hello);
  assert.ok(typeof shown.now === "number");
  assert.deepEqual({ ...shown, now: 0 }, { t: "hello", v: 1, now: 0, state, opened: 1_000_000, focusedAgo: 0 });
  socket().receive({ t: "welcome", page: "p1", ticket: "t1" });
  assert.deepEqual(named, ["p1"]);
});

test("events wait for the welcome and are sent together", () => {
  const line = start();
  line.emit(log("before"));
  socket().accept("p1", "t1");
  assert.deepEqual(socket().take().slice(1), [{ t: "events", events: [log("before")] }]);
  line.emit(log("one"));
  line.emit(log("two"));
  assert.deepEqual(socket().take(), []);
  pass(batchDelay);
  assert.deepEqual(socket().take(), [{ t: "events", events: [log("one"), log("two")] }]);
});

test("the queue is bounded and what did not fit is counted", () => {
  const line = start();
  for (let i = 0; i < queueEvents + 5; i++) line.emit(log("x"));
  line.emit(log("y".repeat(2_000_000)));
  socket().accept("p1", "t1");
  const sent = JSON.stringify(socket().take()[1]);
  assert.match(sent, /"lost":6\}$/);
  assert.equal(sent.split('"kind"').length - 1, queueEvents);
});

test("only what changed of the state is sent", () => {
  start();
  socket().accept("p1", "t1");
  socket().take();
  page.title = "New";
  page.focused = false;
  fakeWindow.fire("blur");
  assert.deepEqual(socket().take(), [{ t: "state", state: { title: "New", focused: false } }]);
  fakeWindow.fire("blur");
  assert.deepEqual(socket().take(), []);
  fakeWindow.fire("resize");
  pass(batchDelay);
  assert.deepEqual(socket().take(), []);
});

test("comes back for ever, ever more slowly, with its ticket", () => {
  start();
  socket().accept("p1", "t1");
  socket().take();
  socket().lose();
  for (let attempt = 0; attempt < 40; attempt++) {
    const before = FakeSocket.opened.length;
    pass(firstPause * 0.7);
    assert.equal(FakeSocket.opened.length, before, `attempt ${attempt} came at once`);
    pass(pauseOf(attempt));
    assert.equal(FakeSocket.opened.length, before + 1, `attempt ${attempt} did not come`);
    if (attempt < 39) socket().lose();
  }
  socket().accept("p1", "t2");
  const hello = JSON.stringify(socket().take()[0]);
  assert.match(hello, /"page":"p1","ticket":"t1"/);
  // A welcome starts the pauses over.
  socket().lose();
  const before = FakeSocket.opened.length;
  pass(pauseOf(0));
  assert.equal(FakeSocket.opened.length, before + 1);
});

test("a ticket that is not accepted is forgotten", () => {
  start();
  socket().accept("p1", "t1");
  socket().lose(4001);
  pass(pauseOf(0));
  socket().accept("p2", "t2");
  assert.doesNotMatch(JSON.stringify(socket().take()[0]), /ticket/);
  assert.deepEqual(named, ["p1", "p2"]);
});

test("a sign of life makes it try at once", () => {
  const signs: (() => void)[] = [
    () => fakeWindow.fire("online"),
    () => fakeWindow.fire("focus"),
    () => fakeDocument.fire("visibilitychange"),
    () => fakeDocument.fire("resume"),
  ];
  for (const sign of signs) {
    fresh();
    start();
    socket().lose();
    pass(pauseOf(0));
    socket().lose();
    const before = FakeSocket.opened.length;
    sign();
    assert.equal(FakeSocket.opened.length, before + 1);
  }
});

test("after a sleep it makes sure that the socket is alive", () => {
  start();
  const first = socket();
  first.accept("p1", "t1");
  pass(attendAfter);
  first.take();
  fakeWindow.fire("online");
  assert.deepEqual(first.take(), [], "nothing to prove yet");
  pass(staleAfter + 1);
  fakeWindow.fire("online");
  assert.deepEqual(first.take(), [{ t: "ping" }]);
  pass(1);
  first.receive({ t: "pong" });
  pass(proofWithin);
  assert.equal(socket(), first, "a socket that answers is kept");

  pass(staleAfter + 1);
  fakeWindow.fire("online");
  pass(proofWithin + pauseOf(0));
  assert.notEqual(socket(), first, "one that does not is replaced");
  first.lose();
  pass(longestPause * 2);
  assert.equal(FakeSocket.opened.length, 2, "its late end changes nothing");
});

test("leaves when the page is put aside and returns with it", () => {
  const line = start();
  socket().accept("p1", "t1");
  socket().take();
  line.emit(log("last words"));
  line.leave();
  assert.deepEqual(socket().take(), [{ t: "events", events: [log("last words")] }]);
  assert.equal(socket().readyState, 3);
  socket().fire("close", { code: 1000 });
  pass(longestPause * 2);
  fakeWindow.fire("online");
  assert.equal(FakeSocket.opened.length, 1);
  fakeWindow.fire("pageshow");
  assert.equal(FakeSocket.opened.length, 2);
  socket().accept("p1", "t1");
  assert.match(JSON.stringify(socket().take()[0]), /"page":"p1","ticket":"t1"/);
});

test("a page that leaves before its socket is open says its last words otherwise", () => {
  const line = start();
  line.emit(log("early"));
  line.emit(log("x".repeat(farewellChars)));
  line.leave();
  assert.equal(said.length, 1);
  const [hello, events] = (said[0] ?? "").split("\n").map((text): unknown => JSON.parse(text));
  assert.match(JSON.stringify(hello), /^\{"t":"hello","v":1/);
  assert.deepEqual(events, { t: "events", events: [log("early")], lost: 1 });
  line.leave();
  assert.equal(said.length, 1, "nothing is said twice");
});

test("a page that was heard says nothing otherwise", () => {
  const line = start();
  line.emit(log("early"));
  socket().accept("p1", "t1");
  line.leave();
  assert.deepEqual(said, []);
});

test("a policy that forbids sockets breaks nothing", () => {
  FakeSocket.refuse = true;
  const line = start();
  line.emit(log("x"));
  pass(longestPause * 3);
  FakeSocket.refuse = false;
  pass(longestPause * 2);
  assert.equal(FakeSocket.opened.length, 1);
});

test("what the code logged comes before its answer", async () => {
  const line = start(async () => {
    line.emit(log("from exec"));
    return ['{"t":"result","id":3}', "rest"];
  });
  socket().accept("p1", "t1");
  socket().take();
  socket().receive(request);
  await Promise.resolve();
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual(socket().sent, [JSON.stringify({ t: "events", events: [log("from exec")] }), '{"t":"result","id":3}', "rest"]);
});

test("goes where it is told, and ignores what it does not know", () => {
  start();
  socket().accept("p1", "t1");
  socket().receive({ t: "navigate", url: "/b" });
  assert.equal(page.went, "/b");
  socket().receive({ t: "navigate", reload: true });
  assert.equal(page.went, "reload");
  socket().receive({ t: "something new" });
  socket().fire("message", { data: "{ broken" });
  socket().fire("message", { data: new ArrayBuffer(1) });
});

test("a frame tells which page it is in, again after a reconnection", () => {
  const line = start();
  line.parent("p0");
  socket().accept("p1", "t1");
  assert.deepEqual(socket().take().slice(1), [{ t: "parent", page: "p0" }]);
  line.parent("p9");
  assert.deepEqual(socket().take(), [{ t: "parent", page: "p9" }]);
  socket().lose();
  pass(pauseOf(0));
  socket().accept("p1", "t1");
  assert.deepEqual(socket().take().slice(1), [{ t: "parent", page: "p9" }]);
});

test("what the user does is told at once: it may lead away", () => {
  const line = start();
  socket().accept("p1", "t1");
  socket().take();
  line.emit(log("before"));
  line.emit({ kind: "action", type: "click", at: 2, target: "a" });
  const told = socket().take().filter((m) => Reflect.get(Object(m), "t") === "events");
  assert.deepEqual(told, [{ t: "events", events: [log("before"), { kind: "action", type: "click", at: 2, target: "a" }] }]);
});
