// What was thrown or rejected with, in words. It may be anything at all, an
// object whose accessors throw included.

import { isObject, quietly } from "./native";
import { clip } from "./clip";
import { preview } from "./preview";

export interface Reason {
  /** The error's name, "" when it has none. */
  readonly name: string;
  /** `name: message`, or the value itself. */
  readonly full: string;
  readonly stack: string | null;
}

function property(value: object, key: string): string {
  const found: unknown = quietly(() => Reflect.get(value, key));
  return typeof found === "string" ? found : "";
}

export function reasonText(reason: unknown): Reason {
  if (!isObject(reason)) return { name: "", full: clip(primitive(reason)), stack: null };
  const name = property(reason, "name");
  const message = property(reason, "message");
  const stack = property(reason, "stack");
  const full = message === "" ? name : name === "" ? message : `${name}: ${message}`;
  return { name, full: clip(full === "" ? preview(reason) : full), stack: stack === "" ? null : stack };
}

function primitive(value: unknown): string {
  return typeof value === "bigint" ? `${value}n` : String(value);
}
