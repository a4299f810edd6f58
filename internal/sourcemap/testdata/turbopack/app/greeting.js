'use client';

export function Greeting() {
  return <p id="greeting">hello one</p>;
}
