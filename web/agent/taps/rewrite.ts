// A page may write itself anew: document.open() removes every listener of the
// document and its window, but leaves the window's globals. After it the
// agent's listeners are added again, before any script of the new content.

import { cleaned, replaceMethod } from "../mask";
import type { Trap } from "../mask";
import { apply, listenAgain, quietly } from "../native";
import type { Undo } from "../native";

export function tapRewrite(): Undo {
  const trap: Trap = (native, self, args) => {
    try {
      return apply(native, self, args);
    } catch (error) {
      throw cleaned(error);
    } finally {
      if (self === document) quietly(listenAgain);
    }
  };
  // Writing into a document that is no longer being parsed opens it first.
  const finished = (): boolean => document.readyState !== "loading";
  const undo = [
    replaceMethod(Document.prototype, "open", trap),
    replaceMethod(Document.prototype, "write", trap, finished),
    replaceMethod(Document.prototype, "writeln", trap, finished),
  ];
  return () => {
    for (const each of undo) each();
  };
}
