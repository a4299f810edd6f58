// What the user does: the kind of action and the element, never a value and
// never a character that was typed. Only the user's own (trusted) events.

import { noteAction } from "../actions";
import type { UserAction } from "../call-record";
import { describe, eventTarget } from "../describe";
import { listen, now, timeOrigin } from "../native";
import type { Undo } from "../native";
import type { Emit } from "../wire";

/** Typing into one field is one action as long as its pauses stay below this, in ms. */
const typingPause = 1000;

/** Keys that do something rather than write something; only these are named. */
const named = /^(?:Enter|Escape|Tab|Backspace|Delete|Arrow(?:Up|Down|Left|Right)|Home|End|Page(?:Up|Down)|F\d{1,2})$/;

export function tapInput(emit: Emit): Undo {
  let typedInto: unknown = null;
  let typedAt = 0;

  const act = (type: UserAction["type"], target: string): void => {
    const time = now();
    noteAction(type, time);
    emit({ kind: "action", type, at: timeOrigin + time, ...(target === "" ? {} : { target }) });
  };
  const input = (event: Event): void => {
    const target = eventTarget(event);
    const time = now();
    const goesOn = target === typedInto && time - typedAt < typingPause;
    typedInto = target;
    typedAt = time;
    if (goesOn) noteAction("input", time);
    else act("input", describe(target));
  };
  const key = (event: KeyboardEvent): void => {
    const name = event.key;
    if (event.repeat) return;
    if (named.test(name)) act("key", `${name} on ${describe(eventTarget(event))}`);
    else noteAction("key", now());
  };

  const trusted = <E extends Event>(type: string, handler: (event: E) => void): Undo =>
    listen(globalThis, type, (event: E) => {
      if (event.isTrusted) handler(event);
    });
  const undo = [
    trusted("click", (event) => act("click", describe(eventTarget(event)))),
    trusted("submit", (event) => act("submit", describe(eventTarget(event)))),
    trusted("popstate", () => act("popstate", "")),
    trusted("input", input),
    trusted("keydown", key),
  ];
  return () => {
    for (const each of undo) each();
  };
}
