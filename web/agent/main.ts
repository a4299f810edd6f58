// Boot order. The tag that loaded this script is gone before the page's first
// own script runs; what it carried is kept here and nowhere else. While the
// document is being built only what cannot be done later is done: the taps.

import { channel } from "./channel";
import { expose, globalName } from "./devtool";
import { Runner } from "./exec";
import { postLast } from "./farewell";
import { watchLoad } from "./load-times";
import { clearTimer, defineLazily, onLeave, ownPrefix, setTimer } from "./native";
import type { Callable } from "./native";
import { startTaps } from "./taps/all";

/** The page is looked at and the socket is opened when the page has loaded; when that takes longer, after this many milliseconds, and so many more. */
const firstLook = 100;
const atLatest = 900;

const tag = document.currentScript;

if (tag instanceof HTMLScriptElement && !(globalName in window)) {
  const { nonce, src } = tag;
  const key = tag.getAttribute("data-k") ?? "";
  const target = tag.getAttribute("data-o") ?? "";
  const files = tag.hasAttribute("data-f");
  tag.remove();

  // http://host/__devtool/
  const home = src.slice(0, src.indexOf(ownPrefix) + ownPrefix.length);
  const nativeFetch: Callable = fetch;

  let runner: Runner | undefined;
  const line = channel({
    // http://host/… becomes ws://host/…, https becomes wss.
    url: `ws${home.slice(4)}ws?k=${key}`,
    exec: (request) => (runner ??= new Runner(nonce)).run(request),
    farewell: (text) => postLast(nativeFetch, `${home}bye?k=${key}`, text),
    named: (page) => tools.name(page),
    files,
  });
  const taps = startTaps(line.emit, target, (event) => runner !== undefined && runner.owns(event));
  const tools = expose(nonce, taps.loaders, line.keep, (parent) => line.parent(parent));
  defineLazily("__devtool_api", taps.api);
  onLeave(() => line.leave());

  let late = setTimer(() => {
    late = setTimer(() => line.open(), atLatest);
    taps.look();
  }, firstLook);
  watchLoad(line.emit, () => {
    clearTimer(late);
    line.open();
    taps.look();
  });
}
