// Who is visiting, what they like, and the store nearest to them.

import { type Fields, readJSON } from "./json";
import { parsePreferences, parseStore, parseUser, type Visit } from "./types";

/** Signs the visitor in; `step` is told what is being waited for. */
export async function loadSession(step: (label: string) => void): Promise<Visit> {
  step("Signing you in…");
  const session = await readJSON(await fetch("api/session"), parseSession);

  step("Loading your profile…");
  const user = await readJSON(await fetch(`api/users/${session.userId}`), parseUser);

  step("Loading your preferences…");
  const preferences = await readJSON(await fetch(`api/users/${session.userId}/preferences`), parsePreferences);

  step("Finding your store…");
  const store = await readJSON(await fetch(`api/stores/${user.storeId}`), parseStore);

  return { user, preferences, store };
}

function parseSession(fields: Fields): { readonly userId: string } {
  return { userId: fields.text("userId") };
}
