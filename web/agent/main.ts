// Boot order. The tag that loaded this script is gone before the page's first
// own script runs; what it carried is kept here and nowhere else.

import { channel } from "./channel";
import { expose, globalName } from "./devtool";
import { Runner } from "./exec";
import { defineHidden, listen, setTimer } from "./native";
import { startTaps } from "./taps/all";

const tag = document.currentScript;

if (tag instanceof HTMLScriptElement && window[globalName] === undefined) {
  const { nonce } = tag;
  const { k: key = "", o: target = "", f: files } = tag.dataset;
  tag.remove();

  const runner = new Runner(nonce);
  const line = channel({
    url: `${location.protocol === "https:" ? "wss" : "ws"}://${new URL(tag.src).host}/__devtool/ws?k=${key}`,
    exec: (request) => runner.run(request),
    named: (page) => tools.name(page),
    files: files !== undefined,
  });
  const tools = expose(nonce, (parent) => line.parent(parent));
  const taps = startTaps(line.emit, target);
  defineHidden("__devtool_api", taps.api);

  // Not while the document is being built, unless that takes long.
  listen(document, "DOMContentLoaded", () => line.open());
  setTimer(() => line.open(), 500);
}
