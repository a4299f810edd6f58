// A short hash of a request body, so that two calls to one URL with different
// bodies (GraphQL, JSON-RPC) are not taken for duplicates. The body itself is
// never kept, never consumed, never copied.

import { isObject } from "./native";

/** Bodies up to this many units are hashed whole, longer ones by their ends, a sample, and their length. */
const wholeLimit = 8192;
const endLimit = 2048;

/** Most fields of a form that are looked at. */
const fieldLimit = 64;

/** The key of a body, or null when there is none or it cannot be told without reading it. */
export function bodyKey(body: unknown): string | null {
  try {
    if (typeof body === "string") return hash(body.length, (i) => body.charCodeAt(i));
    if (!isObject(body)) return null;
    if (body instanceof URLSearchParams) return bodyKey(body.toString());
    if (body instanceof FormData) return bodyKey(formText(body));
    if (body instanceof Blob) return bodyKey(`blob ${body.size} ${body.type}`);
    if (body instanceof ArrayBuffer) return bytesKey(new Uint8Array(body));
    if (ArrayBuffer.isView(body)) return bytesKey(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  } catch {
    // A body that resists inspection has no key.
  }
  return null;
}

function bytesKey(bytes: Uint8Array): string {
  return hash(bytes.length, (i) => bytes[i] ?? 0);
}

function formText(form: FormData): string {
  let text = "form";
  let fields = 0;
  form.forEach((value, name) => {
    if (fields++ >= fieldLimit) return;
    text += `\n${name}=` + (typeof value === "string" ? value : `${value.name} ${value.size} ${value.type}`);
  });
  return `${text}\n${fields}`;
}

/** Two 32-bit FNV-1a lanes over at most about 12,000 units, as 16 hex digits. */
function hash(length: number, unit: (i: number) => number): string {
  let a = 0x811c9dc5 ^ length;
  let b = 0xc2b2ae35 ^ length;
  const mix = (value: number): void => {
    a = Math.imul(a ^ value, 0x01000193);
    b = Math.imul(b ^ value, 0x85ebca6b);
    b ^= b >>> 15;
  };
  if (length <= wholeLimit) {
    for (let i = 0; i < length; i++) mix(unit(i));
  } else {
    for (let i = 0; i < endLimit; i++) mix(unit(i));
    for (let i = length - endLimit; i < length; i++) mix(unit(i));
    const step = Math.ceil((length - 2 * endLimit) / (wholeLimit - 2 * endLimit));
    for (let i = endLimit; i < length - endLimit; i += step) mix(unit(i));
  }
  return hex(a) + hex(b);
}

function hex(value: number): string {
  return `0000000${(value >>> 0).toString(16)}`.slice(-8);
}
