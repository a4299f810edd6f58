"use client";
export function Part({ a }) {
  return <i>{a.b.c}</i>;
}
