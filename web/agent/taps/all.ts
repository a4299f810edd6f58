// Every tap, in the order in which they start. Recording comes first.

import { BodyEnds } from "../body-ends";
import { callAPI, CallBuffer, callCapacity } from "../calls";
import type { CallAPI } from "../calls";
import { inIdleMoments } from "../idle";
import { maskToString } from "../mask";
import { quietly } from "../native";
import type { Undo } from "../native";
import type { LoaderRecords } from "../loader-record";
import type { Emit } from "../wire";
import { flushConsole, tapConsole } from "./console";
import { tapErrors } from "./errors";
import { tapFetch } from "./fetch";
import { tapInput } from "./input";
import { Loaders } from "./loaders";
import { tapNavigation } from "./navigation";
import { tapRewrite } from "./rewrite";
import { tapSockets } from "./sockets";
import { tapXHR } from "./xhr";

/** What startTaps gives to main: the call buffer's face, and the way back. */
export interface Taps {
  readonly api: () => CallAPI;
  /** The loading indicators seen so far. */
  readonly loaders: () => LoaderRecords;
  /** Looks for them now, and again for as long as there is a reason to. */
  readonly look: () => void;
  /** Emits what was logged but still waits for its words, so that it precedes whatever is sent next. */
  readonly flush: () => void;
  readonly undo: Undo;
}

/** Starts every tap. One that cannot start is left out; the others still work. `target` is what the proxy fronts, `own` knows the errors of exec. */
export function startTaps(emit: Emit, target: string, own: (event: Event) => boolean): Taps {
  const buffer = new CallBuffer(callCapacity, inIdleMoments);
  const ends = new BodyEnds(callCapacity);
  const loaders = new Loaders(buffer);
  const safe: Emit = (event) => {
    quietly(() => emit(event));
    if (event.kind === "action" || (event.kind === "navigation" && event.type !== "load")) loaders.poke();
  };
  const wraps = [maskToString, () => tapFetch(buffer, ends), () => tapXHR(buffer), tapRewrite, () => tapSockets(target), () => tapConsole(safe)];
  const listens = [() => tapErrors(safe, own, caller), () => tapInput(safe), () => tapNavigation(safe), () => loaders.start()];
  const caller = (url: string): string | null => {
    let found: string | null = null;
    for (const call of buffer.records()) if (call.url === url) found = call.initiator;
    return found;
  };
  const undo: Undo[] = [];
  for (const start of [...wraps, ...listens]) undo.push(quietly(start) ?? (() => {}));
  return {
    api: () =>
      callAPI(buffer, () => {
        quietly(() => ends.settle());
      }),
    loaders: () => loaders.read(),
    look: () => loaders.turn(),
    flush: flushConsole,
    undo: () => {
      for (let i = undo.length - 1; i >= 0; i--) quietly(undo[i] ?? (() => {}));
    },
  };
}
