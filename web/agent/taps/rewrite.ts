// A page may write itself anew: document.open() removes every listener of the
// document and its window, but leaves the window's globals. After it the
// agent's listeners are added again, before any script of the new content.

import { cleaned, replaceMethod } from "../mask";
import { apply, listenAgain, quietly } from "../native";
import type { Callable, Undo } from "../native";

export function tapRewrite(): Undo {
  const around = (native: Callable, self: unknown, args: unknown[], opens: boolean): unknown => {
    try {
      return apply(native, self, args);
    } catch (error) {
      throw cleaned(error);
    } finally {
      if (opens) quietly(listenAgain);
    }
  };
  // Writing into a document that is no longer being parsed opens it first.
  const finished = (self: unknown): boolean => self === document && document.readyState !== "loading";
  const undo = [
    replaceMethod(Document.prototype, "open", (native, self, args) => around(native, self, args, self === document)),
    replaceMethod(Document.prototype, "write", (native, self, args) => around(native, self, args, finished(self))),
    replaceMethod(Document.prototype, "writeln", (native, self, args) => around(native, self, args, finished(self))),
  ];
  return () => {
    for (const each of undo) each();
  };
}
