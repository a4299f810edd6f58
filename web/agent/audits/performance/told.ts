// What a detector found, before its elements have selectors.

import type { Draft } from "../report";

export interface Told extends Omit<Draft, "selector"> {
  /** What it is about, when it is about no element. */
  readonly selector?: string;
  /** The elements at fault, worst first. */
  readonly refs?: readonly number[];
}

export function ms(value: number): string {
  return `${Math.round(value)}ms`;
}

export function kilobytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
