// Boot order. The tag that loaded this script is gone before the page's first
// own script runs; what it carried is kept here and nowhere else. While the
// document is being built only what cannot be done later is done: the taps.

import { channel } from "./channel";
import { expose, globalName } from "./devtool";
import { Runner } from "./exec";
import { tellLoad } from "./load-times";
import { defineLazily, listen, ownPrefix, quietly, setTimer } from "./native";
import { startTaps } from "./taps/all";

/** The socket is opened when the page has loaded; when that takes longer, after this many milliseconds. */
const atLatest = 1000;

const tag = document.currentScript;

if (tag instanceof HTMLScriptElement && !(globalName in window)) {
  const { nonce, src } = tag;
  const key = tag.getAttribute("data-k") ?? "";
  const target = tag.getAttribute("data-o") ?? "";
  const files = tag.hasAttribute("data-f");
  tag.remove();

  let runner: Runner | undefined;
  const line = channel({
    // http://host/… becomes ws://host/…, https becomes wss.
    url: `ws${src.slice(4, src.indexOf(ownPrefix))}${ownPrefix}ws?k=${key}`,
    exec: (request) => (runner ??= new Runner(nonce)).run(request),
    named: (page) => tools.name(page),
    files,
  });
  const taps = startTaps(line.emit, target, (event) => runner !== undefined && runner.owns(event));
  const tools = expose(nonce, taps.loaders, line.keep, (parent) => line.parent(parent));
  defineLazily("__devtool_api", taps.api);

  // In a task of its own, so that the page's handlers do not wait and its duration is known.
  listen(window, "load", () =>
    setTimer(() => {
      quietly(() => tellLoad(line.emit));
      line.open();
    }, 0),
  );
  setTimer(() => line.open(), atLatest);
}
