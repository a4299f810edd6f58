// The same endpoint asked once per thing instead of once for all of them.

import { ABORTED, FILE, PREFLIGHT, TICK, type Call, type Kind, type Place, type Question } from "./call";
import type { Calls } from "./calls";
import { groupBy, upperBound } from "./collect";
import { serialCost } from "./chains";
import { isIdLike, isNoiseParam, mayBeIdParam } from "./id-like";
import { slugGroups } from "./slugs";
import type { Stack } from "./stack";
import { PLACE } from "./template";
import { ACTION_REACH_MS, CHAIN_MIN_CALLS, N_PLUS_ONE_MIN_CALLS, N_PLUS_ONE_MIN_VALUES } from "./thresholds";
import type { SerialCost } from "./types";
import { decode, shownQuery, type Param } from "./url";

export interface NPlusOne {
  readonly method: string;
  readonly origin: string;
  /** Path, and query where that is what varies. */
  readonly template: string;
  /** By start. */
  readonly calls: readonly Call[];
  readonly distinct: number;
  /** What it cost that they also ran one after the other, if they did. */
  readonly serial: SerialCost | undefined;
}

/** Prefetches nearer to each other than this were not made by a hand moving over links. */
const HAND_MS = 100;
/** Calls of others that may stand between two calls of a serial loop. */
const MAX_BETWEEN = 3;

/** A field of JSON with a text or a whole number in it. */
const FIELD = /"(\w+)":(?:"([^"\\]*)"|([0-9]+)(?=[,}]))/g;

interface Group {
  readonly template: string;
  readonly calls: readonly Call[];
  readonly valueOf: (call: Call) => string;
}

/** Every fan-out; no call is in two. Paths are looked at first, then queries, then names. */
export function findNPlusOnes(calls: Calls, actions: readonly number[]): NPlusOne[] {
  const found: NPlusOne[] = [];
  const taken = new Uint8Array(calls.list.length);
  const take = (groups: readonly Group[]): void => {
    for (let index = 0, total = groups.length; index < total; index++) {
      const group = groups[index];
      const fan = group === undefined ? undefined : fanOut(group, taken, actions);
      if (fan === undefined) continue;
      found.push(fan);
      for (let member = 0, size = fan.calls.length; member < size; member++) taken[fan.calls[member]?.at ?? 0] = 1;
    }
  };
  const { paths, queried } = sift(calls.list, taken);
  take(paths);
  take(queryGroups(queried, taken));
  take(slugGroups(calls.stacks.all, taken));
  return found;
}

/** Takes out what can be in no fan-out, groups the others by path, and picks those with a query. */
function sift(calls: readonly Call[], taken: Uint8Array): { paths: Group[]; queried: Call[] } {
  const queried: Call[] = [];
  const kinds: Kind[] = [];
  for (let index = 0, total = calls.length; index < total; index++) {
    const call = calls[index];
    if (call === undefined) continue;
    const state = call.state;
    if ((state & (ABORTED | FILE | PREFLIGHT)) !== 0 || state >= TICK) {
      taken[index] = 1;
      continue;
    }
    const asks = call.asks;
    const kind = asks.kind;
    if (kind === undefined) continue;
    // With one, its URL has parameters.
    if (asks.series !== undefined) queried[queried.length] = call;
    if (asks.url.template.places === 0) continue;
    if (kind.calls.length === 0) kinds.push(kind);
    kind.calls[kind.calls.length] = call;
  }
  const paths: Group[] = [];
  for (const kind of kinds) if (kind.calls.length >= N_PLUS_ONE_MIN_CALLS) paths.push({ template: kind.template, calls: kind.calls, valueOf: idsIn });
  return { paths, queried };
}

function fanOut(group: Group, taken: Uint8Array, actions: readonly number[]): NPlusOne | undefined {
  const calls = unprompted(untaken(group.calls, taken), actions);
  const first = calls[0];
  if (first === undefined || calls.length < N_PLUS_ONE_MIN_CALLS) return undefined;
  const values = new Set<string>();
  for (let index = 0, total = calls.length; index < total; index++) {
    const call = calls[index];
    if (call !== undefined) values.add(group.valueOf(call));
  }
  if (values.size < N_PLUS_ONE_MIN_VALUES) return undefined;
  const method = first.asks.method;
  const url = first.asks.url;
  return { method, origin: url.origin, template: group.template, calls, distinct: values.size, serial: serialRun(calls) };
}

function untaken(calls: readonly Call[], taken: Uint8Array): readonly Call[] {
  for (let index = 0, total = calls.length; index < total; index++) {
    if (taken[calls[index]?.at ?? 0] === 1) return calls.filter((call) => taken[call.at] === 0);
  }
  return calls;
}

function idsIn(call: Call): string {
  return call.asks.url.ids;
}

/** One group for each parameter that may be the one that varies; the biggest first, since a call joins one only. */
function queryGroups(calls: readonly Call[], taken: Uint8Array): Group[] {
  const groups = new Map<string, { template: string; name: string; calls: Call[] }>();
  for (let index = 0, total = calls.length; index < total; index++) {
    const call = calls[index];
    if (call === undefined || taken[call.at] === 1) continue;
    const asks = call.asks;
    const places = (asks.places ??= placesIn(asks));
    for (let place = 0, total = places.length; place < total; place++) {
      const varying = places[place];
      if (varying === undefined) continue;
      const group = groups.get(varying.key);
      if (group === undefined) groups.set(varying.key, { template: varying.template, name: varying.name, calls: [call] });
      else group.calls.push(call);
    }
  }
  return [...groups.values()]
    .filter((group) => group.calls.length >= N_PLUS_ONE_MIN_CALLS)
    .sort((a, b) => b.calls.length - a.calls.length || (a.template < b.template ? -1 : 1))
    .map((group) => ({
      template: group.template,
      calls: group.calls,
      valueOf: (call: Call): string => call.asks.url.params.find((param) => param.name === group.name)?.value ?? "",
    }));
}

function placesIn(asks: Question): Place[] {
  const places: Place[] = [];
  const params = asks.url.params;
  const template = asks.url.template;
  for (const param of params) {
    const hollow = hollowOf(param);
    if (hollow === undefined) continue;
    const kept = params.filter((other) => !isNoiseParam(other.name));
    const raw = kept.map((other) => `${other.name}=${other === param ? hollow : other.value}`).join("&");
    const shown = kept.map((other) => (other === param ? { name: param.name, value: PLACE } : other));
    places.push({ name: param.name, key: `${asks.kind?.number ?? ""}?${raw}`, template: template.text + shownQuery(shown) });
  }
  return places;
}

/** A parameter's value with the place for an id in it; undefined when it has none. */
function hollowOf({ name, value }: Param): string | undefined {
  // What tRPC calls input and GraphQL variables: the id is one of the fields.
  if (value.startsWith("%7B") || value.startsWith("{")) return isNoiseParam(name) ? undefined : hollowFields(decode(value));
  return mayBeIdParam(name) && isIdLike(value) ? PLACE : undefined;
}

/** JSON with a place for the only id in it; undefined when there is none, or more than one. */
function hollowFields(json: string): string | undefined {
  let ids = 0;
  const hollow = json.replace(FIELD, (field: string, name: string, text: string | undefined, number: string | undefined) => {
    if (!mayBeIdParam(name) || !isIdLike(text ?? number ?? "")) return field;
    ids++;
    return `"${name}":${PLACE}`;
  });
  return ids === 1 ? hollow : undefined;
}

/**
 * Leaves out calls that a person asked for one at a time: the only one of its
 * kind between two actions and soon after the first, or a lone prefetch.
 */
function unprompted(calls: readonly Call[], actions: readonly number[]): readonly Call[] {
  if (actions.length === 0 && !areGuesses(calls)) return calls;
  const turnOf = (call: Call): number => upperBound(actions, call.start);
  const turns = groupBy(calls, turnOf);
  return calls.filter((call, index) => {
    const turn = turnOf(call);
    const action = actions[turn - 1];
    const alone = turns.get(turn)?.length === 1;
    if (alone && action !== undefined && call.start - action <= ACTION_REACH_MS) return false;
    if (!call.stack.speculative) return true;
    return areQuick(calls[index - 1], call) || areQuick(call, calls[index + 1]);
  });
}

function areGuesses(calls: readonly Call[]): boolean {
  let before: Stack | undefined;
  for (let index = 0, total = calls.length; index < total; index++) {
    const stack = calls[index]?.stack;
    if (stack === undefined || stack === before) continue;
    if (stack.speculative) return true;
    before = stack;
  }
  return false;
}

/** Whether B came too soon after A's start or end to be another movement of a hand. */
function areQuick(a: Call | undefined, b: Call | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return b.start - a.start <= HAND_MS || Math.abs(b.start - a.end) <= HAND_MS;
}

/** The cost of the longest stretch that ran one after the other, when that is most of the calls. */
function serialRun(calls: readonly Call[]): SerialCost | undefined {
  const runs = new Map<Call, Call[] | undefined>();
  const total = calls.length;
  for (let index = 0; index < total; index++) {
    const call = calls[index];
    if (call !== undefined) runs.set(call, undefined);
  }
  let longest: Call[] = [];
  for (let index = 0; index < total; index++) {
    const call = calls[index];
    if (call === undefined) break;
    const before = waitedFor(call, runs);
    const run = before === undefined ? undefined : runs.get(before);
    // A run is handed on, not copied: each call continues at most one.
    const last = run?.[run.length - 1];
    const mine = run !== undefined && last === before ? run : [call];
    if (mine === run) mine.push(call);
    runs.set(call, mine);
    if (mine.length > longest.length) longest = mine;
  }
  if (longest.length < CHAIN_MIN_CALLS || longest.length * 2 < calls.length) return undefined;
  return serialCost(longest);
}

/** The call of the group that this one waited for, directly or through a few others. */
function waitedFor(call: Call, members: ReadonlyMap<Call, unknown>): Call | undefined {
  let link = call.link;
  for (let step = 0; link !== undefined && step <= MAX_BETWEEN; step++) {
    if (members.has(link.from)) return link.from;
    link = link.from.link;
  }
  return undefined;
}
