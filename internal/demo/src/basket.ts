// The basket as the page holds it, and who wants to know when it changes.

import { Fields } from "./json";

export interface Item {
  readonly name: string;
  readonly art: string;
  readonly tone: string;
  readonly price: number;
  readonly quantity: number;
}

export interface Basket {
  readonly items: readonly Item[];
  readonly count: number;
  readonly total: number;
}

type Listener = (basket: Basket) => void;

const listeners: Listener[] = [];

export function onBasket(listener: Listener): void {
  listeners.push(listener);
}

export function announce(basket: Basket): void {
  for (const listener of listeners) listener(basket);
}

export function parseBasket(fields: Fields): Basket {
  return { items: fields.list("items", parseItem), count: fields.number("count"), total: fields.number("total") };
}

function parseItem(value: unknown): Item {
  const fields = new Fields(value);
  return {
    name: fields.text("name"),
    art: fields.text("art"),
    tone: fields.text("tone"),
    price: fields.number("price"),
    quantity: fields.number("quantity"),
  };
}
