// What the API speaks of.

import { Fields } from "./json";

export interface Stock {
  readonly available: number;
  /** When it is there again; empty when that is not known. */
  readonly back: string;
}

export interface Product {
  readonly id: number;
  readonly name: string;
  readonly maker: string;
  readonly category: string;
  /** In pence. */
  readonly price: number;
  /** The price before; 0 when there was none. */
  readonly was: number;
  readonly rating: number;
  readonly reviews: number;
  readonly badge: string;
  readonly art: string;
  readonly tone: string;
  /** Only when it was asked for. */
  readonly stock: Stock | undefined;
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly storeId: string;
}

export interface Preferences {
  readonly locale: string;
  readonly currency: string;
}

export interface Store {
  readonly name: string;
  readonly hours: string;
  readonly ready: string;
}

/** Who is here, and what the shop knows of them. */
export interface Visit {
  readonly user: User;
  readonly preferences: Preferences;
  readonly store: Store;
}

export function parseStock(fields: Fields): Stock {
  return { available: fields.number("available"), back: fields.has("back") ? fields.text("back") : "" };
}

export function parseProduct(value: unknown): Product {
  const fields = new Fields(value);
  return {
    id: fields.number("id"),
    name: fields.text("name"),
    maker: fields.text("maker"),
    category: fields.text("category"),
    price: fields.number("price"),
    was: fields.has("was") ? fields.number("was") : 0,
    rating: fields.number("rating"),
    reviews: fields.number("reviews"),
    badge: fields.has("badge") ? fields.text("badge") : "",
    art: fields.text("art"),
    tone: fields.text("tone"),
    stock: fields.has("stock") ? fields.object("stock", parseStock) : undefined,
  };
}

export function parseProducts(fields: Fields): Product[] {
  return fields.list("products", parseProduct);
}

export function parseUser(fields: Fields): User {
  return { id: fields.text("id"), name: fields.text("name"), storeId: fields.text("storeId") };
}

export function parsePreferences(fields: Fields): Preferences {
  return { locale: fields.text("locale"), currency: fields.text("currency") };
}

export function parseStore(fields: Fields): Store {
  return { name: fields.text("name"), hours: fields.text("hours"), ready: fields.text("ready") };
}
