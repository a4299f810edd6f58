// A value in a few words, for a console line. Accessors are not run and
// nothing of the page's is called; only a Proxy can notice that it was looked
// at, which is why the console tap looks later, outside the page's own code.

import { clip } from "./clip";
import { apply, dataProperty, descriptorOf, isCallable, isObject, lookup, quietly, read } from "./native";
import type { Attribute } from "./native";

const maxKeys = 12;
const maxItems = 20;
const maxDepth = 2;
const maxText = 500;

const ownKeys = Reflect.ownKeys;
const isArray = Array.isArray;
const tagText = Object.prototype.toString;
const dateText = Date.prototype.toISOString;
const regexpText = RegExp.prototype.toString;
const mapSize: Attribute = { of: "Map", key: "size", get: undefined };
const setSize: Attribute = { of: "Set", key: "size", get: undefined };
const nodeName: Attribute = { of: "Node", key: "nodeName", get: undefined };
const elementId: Attribute = { of: "Element", key: "id", get: undefined };

/** A console argument as text: strings bare, everything else as a short literal. */
export function previewArgument(value: unknown): string {
  return typeof value === "string" ? value : preview(value, 0);
}

export function preview(value: unknown, depth = 0): string {
  if (typeof value === "string") return JSON.stringify(clip(value, maxText));
  if (!isObject(value)) return primitive(value);
  return quietly(() => previewObject(value, depth)) ?? "[object]";
}

function primitive(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (Object.is(value, -0)) return "-0";
  return String(value);
}

function previewObject(value: object, depth: number): string {
  if (isCallable(value)) return `ƒ ${nameOf(value)}()`;
  const error = errorText(value);
  if (error !== null) return error;
  const node = read(nodeName, value);
  if (typeof node === "string") return nodeText(value, node);
  const kept = wrapped(value);
  if (kept !== null) return kept;
  if (isArray(value)) return depth >= maxDepth ? `Array(${value.length})` : listText(value, depth);
  const name = className(value);
  if (depth >= maxDepth) return name === "" ? "{…}" : `${name} {…}`;
  return (name === "" ? "" : `${name} `) + recordText(value, depth);
}

/** An error by its name and message, which may be inherited and are read as data only. */
function errorText(value: object): string | null {
  if (!(value instanceof Error) && tag(value) !== "DOMException") return null;
  const name = dataProperty(value, "name");
  const message = dataProperty(value, "message");
  const stack = dataProperty(value, "stack");
  if (typeof stack === "string" && stack !== "") return clip(stack, 2000);
  return `${typeof name === "string" ? name : "Error"}: ${typeof message === "string" ? message : ""}`;
}

function nodeText(value: object, node: string): string {
  const id = read(elementId, value);
  if (typeof id !== "string") return node;
  return `<${node.toLowerCase()}${id === "" ? "" : `#${id}`}>`;
}

/** Built-in objects whose content is not in their properties. */
function wrapped(value: object): string | null {
  switch (tag(value)) {
    case "Date":
      return quietly(() => String(apply(dateText, value, []))) ?? "Invalid Date";
    case "RegExp":
      return quietly(() => String(apply(regexpText, value, []))) ?? null;
    case "Map":
      return `Map(${String(read(mapSize, value) ?? "?")})`;
    case "Set":
      return `Set(${String(read(setSize, value) ?? "?")})`;
    case "Promise":
    case "WeakMap":
    case "WeakSet":
      return tag(value);
  }
  return null;
}

function listText(value: readonly unknown[], depth: number): string {
  let text = "";
  for (let i = 0; i < value.length && i < maxItems; i++) {
    const item = descriptorOf(value, `${i}`);
    text += (i === 0 ? "" : ", ") + (item === undefined ? "empty" : memberText(item, depth));
  }
  if (value.length > maxItems) text += `, … ${value.length - maxItems} more`;
  return `[${text}]`;
}

function recordText(value: object, depth: number): string {
  const keys = ownKeys(value);
  let text = "";
  let shown = 0;
  let left = 0;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    const member = key === undefined ? undefined : descriptorOf(value, key);
    if (member === undefined || member.enumerable !== true) continue;
    if (shown === maxKeys) {
      left++;
      continue;
    }
    text += `${shown === 0 ? "" : ", "}${String(key)}: ${memberText(member, depth)}`;
    shown++;
  }
  if (left > 0) text += `, … ${left} more`;
  return `{${text}}`;
}

function memberText(member: PropertyDescriptor, depth: number): string {
  return member.get === undefined && member.set === undefined ? preview(member.value, depth + 1) : "(…)";
}

function nameOf(value: unknown): string {
  const name = dataProperty(value, "name");
  return typeof name === "string" ? name : "";
}

function className(value: object): string {
  const name = nameOf(dataProperty(value, "constructor"));
  return name === "Object" ? "" : name;
}

function tag(value: object): string {
  const named = lookup(value, Symbol.toStringTag);
  if (named === undefined) return String(apply(tagText, value, [])).slice(8, -1);
  // An accessor would be code of the page: then the object is only an object.
  return typeof named.value === "string" ? named.value : "Object";
}

/**
 * The text of a console call: printf-like directives in a leading string are
 * filled as the console does, the rest is appended.
 */
export function consoleText(args: readonly unknown[]): string {
  const first = args[0];
  let next = 1;
  let text = previewArgument(first);
  if (typeof first === "string" && args.length > 1) {
    text = first.replace(/%([sdifoOc%])/g, (whole: string, letter: string) => {
      if (letter === "%") return "%";
      if (next >= args.length) return whole;
      return directive(letter, args[next++]);
    });
  }
  if (args.length === 0) text = "";
  for (; next < args.length; next++) text += ` ${previewArgument(args[next])}`;
  return text;
}

function directive(letter: string, value: unknown): string {
  switch (letter) {
    case "c":
      return "";
    case "s":
      return previewArgument(value);
    case "d":
    case "i":
      return isObject(value) || typeof value === "symbol" ? "NaN" : String(Math.trunc(Number(value)));
    case "f":
      return isObject(value) || typeof value === "symbol" ? "NaN" : String(Number(value));
  }
  return preview(value);
}
