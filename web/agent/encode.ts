// The agent's own messages as JSON. Much less than values.ts can do, and so
// ready at once on a page that has just been opened.

import { jsonStringify } from "./native";

const { keys } = Object;
const { isArray } = Array;

/** A message of the agent's own as JSON: complete, and whatever toJSON methods the page has put on prototypes. Names are taken to need no escaping. */
export function encode(message: unknown): string {
  switch (typeof message) {
    case "string":
      return jsonStringify(message);
    case "number":
      // Not by a template: turning a number into a string makes the engine grow a cache of such strings, by 50 KB and more.
      return jsonStringify(message);
    case "boolean":
      return message ? "true" : "false";
    case "object":
      return message === null ? "null" : isArray(message) ? list(message) : record(message);
  }
  return "null";
}

function list(members: readonly unknown[]): string {
  let out = "";
  for (let i = 0; i < members.length; i++) out += (i > 0 ? "," : "") + encode(members[i]);
  return `[${out}]`;
}

function record(message: object): string {
  if (!isBag(message)) return "null";
  const names = keys(message);
  let out = "";
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? "";
    const member = message[name];
    if (member !== undefined) out += `${out === "" ? "" : ","}"${name}":${encode(member)}`;
  }
  return `{${out}}`;
}

/** Every object can be asked for a property; this only tells the type checker. */
function isBag(message: object): message is Record<string, unknown> {
  return message !== null;
}
