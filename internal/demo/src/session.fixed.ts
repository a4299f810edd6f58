// Who is visiting, what they like, and the store nearest to them.

import { type Fields, readJSON } from "./json";
import { parsePreferences, parseStore, parseUser, type Visit } from "./types";

/** Signs the visitor in; `step` is told what is being waited for. */
export async function loadSession(step: (label: string) => void): Promise<Visit> {
  step("Signing you in…");
  return readJSON(await fetch("api/session?include=all"), parseVisit);
}

function parseVisit(fields: Fields): Visit {
  return {
    user: fields.object("user", parseUser),
    preferences: fields.object("preferences", parsePreferences),
    store: fields.object("store", parseStore),
  };
}
