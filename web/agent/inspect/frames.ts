// A picture as frames of the channel: a message, and behind it the base64, in
// pieces that a browser sends fast.

import type { Shot } from "../wire";

/** Most characters in one frame; a multiple of four, so that each piece is base64 by itself. */
export const frameLength = 1 << 15;

export function frames(head: Omit<Shot, "parts">, base64: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < base64.length || from === 0; from += frameLength) pieces.push(base64.slice(from, from + frameLength));
  const message: Shot = { ...head, parts: pieces.length - 1 };
  pieces[0] = `${JSON.stringify(message)}\n${pieces[0] ?? ""}`;
  return pieces;
}

export async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const step = 3 << 13;
  let text = "";
  for (let from = 0; from < bytes.length; from += step) text += btoa(String.fromCharCode(...bytes.subarray(from, from + step)));
  return text;
}
