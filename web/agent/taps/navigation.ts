// Where the page goes: its load, route changes within the document, leaving,
// and coming back from the back/forward cache. The Navigation API reports
// route changes without anything being replaced; where it is missing, the
// History methods are.

import { replaceMethod } from "../mask";
import { apply, listen, now, onLeave, pageURL, quietly, timeOrigin } from "../native";
import type { Undo } from "../native";
import type { Emit, NavigationFact } from "../wire";

/** The event of the Navigation API, as far as it is used. */
interface EntryChange extends Event {
  readonly navigationType: string | null;
}

export function tapNavigation(emit: Emit): Undo {
  let here = pageURL();
  const tell = (type: NavigationFact["type"], to: string, from: string): void => {
    emit({ kind: "navigation", type, to, at: timeOrigin + now(), ...(from === "" ? {} : { from }) });
  };
  const moved = (type: "push" | "replace" | "pop"): void => {
    const from = here;
    const to = pageURL();
    if (type === "replace" && from === to) return;
    here = to;
    tell(type !== "pop" && onlyHash(from, to) ? "hash" : type, to, from);
  };

  tell("load", here, document.referrer);
  // Only a page that left can come back.
  let undoBack: Undo | null = null;
  const back = (event: PageTransitionEvent): void => {
    here = pageURL();
    if (event.persisted) tell("load", here, "");
  };
  const undo = [
    onLeave(() => {
      tell("unload", here, "");
      undoBack ??= listen(globalThis, "pageshow", back);
    }),
    ...routes(moved),
  ];
  return () => {
    for (const each of undo) each();
    undoBack?.();
  };
}

/** Whether two URLs differ, and only behind the `#`. */
function onlyHash(from: string, to: string): boolean {
  return from !== to && from.split("#", 1)[0] === to.split("#", 1)[0];
}

function routes(moved: (type: "push" | "replace" | "pop") => void): Undo[] {
  const navigation: unknown = Reflect.get(globalThis, "navigation");
  if (navigation instanceof EventTarget) {
    return [
      listen(navigation, "currententrychange", (event: EntryChange) => {
        const type = event.navigationType;
        if (type === "push" || type === "replace") moved(type);
        else if (type === "traverse") moved("pop");
      }),
    ];
  }
  const wrap = (method: "pushState" | "replaceState", type: "push" | "replace"): Undo =>
    replaceMethod(History.prototype, method, (native, self, args) => {
      const result = apply(native, self, args);
      quietly(() => moved(type));
      return result;
    });
  return [
    wrap("pushState", "push"),
    wrap("replaceState", "replace"),
    listen(globalThis, "popstate", () => moved("pop")),
    listen(globalThis, "hashchange", () => moved("push")),
  ];
}
