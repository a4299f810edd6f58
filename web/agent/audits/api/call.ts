import type { CallRecord } from "../../call-record";
import type { Link } from "./links";
import type { Stack } from "./stack";
import type { UrlParts } from "./url";

// What is known of a call, a bit each: an object with few properties is made
// and read in less time, most of all by engines that keep them in tables.

/** An error of the network, or a status of 400 and above. */
export const FAILED = 1;
/** The page gave it up. */
export const ABORTED = 2;
/** Asks again what failed or was given up before. */
export const RETRY = 4;
/** A fan-out has it; nothing else may. */
export const TAKEN = 8;
/** Only asks; changes nothing. */
export const READS = 16;
/** Calls with the same question really ask the same: a body that was not read makes that unknowable. */
export const COMPARABLE = 32;
/** The browser's own question before a cross-origin call. */
export const PREFLIGHT = 64;
/** Asks for a file, a stream's piece among them. */
export const FILE = 128;
/** Asks for a piece of a stream. */
export const MEDIA = 256;
/** From here on the calls in the regular series it belongs to are counted; none: it belongs to none. */
export const TICK = 512;

/** What a path is when the parts that name one thing of many are left out. One object for all such paths. */
export interface Template {
  /** The path, `{id}` for each id. */
  readonly text: string;
  readonly places: number;
  /** Its endpoints, one for each method. */
  readonly kinds: Kind[];
  /** The parts of its text, once somebody asked. */
  segments: readonly string[] | undefined;
}

/** One URL, read once however often it was asked for. */
export interface Address extends UrlParts {
  readonly template: Template;
  /** What stood in the template's places; two paths with the same ids are about the same thing. */
  readonly ids: string;
  /** The first question to it, mostly the only one. */
  question: Question | undefined;
  /** All of its questions by method and body, once there is more than one. */
  questions?: Map<string, Question>;
  /** As it is written in findings, once somebody asked. */
  shown?: string;
}

/** Calls by start. */
export interface Series {
  first: Call | undefined;
  /** All of them, once there is more than one. */
  calls: Call[] | undefined;
}

/** What makes calls ask the same: URL, method and body. One object for all that do. */
export interface Question extends Series {
  readonly url: Address;
  readonly method: string;
  readonly bodyKey: string | null;
  /** The bits that all its calls have. */
  readonly traits: number;
  /** Those that would be turns of one poll, whatever they say they have seen; undefined where only the same question would. */
  readonly series: Series | undefined;
  /** Those of the same method, origin and path template; undefined where nothing in the URL can vary. */
  readonly kind: Kind | undefined;
  /** The parameters that may name one thing of many, once somebody asked. */
  places?: readonly Place[];
}

/** A parameter of one URL that may be the one that varies. */
export interface Place {
  readonly name: string;
  /** Equal for calls that differ in it alone. */
  readonly key: string;
  readonly template: string;
}

/** Calls to one endpoint. */
export interface Kind {
  readonly number: number;
  readonly method: string;
  readonly template: string;
  /** Those that may be part of a fan-out, by start. */
  calls: Call[];
}

/** One record as the detectors see it. */
export interface Call {
  readonly record: CallRecord;
  readonly asks: Question;
  readonly stack: Stack;
  readonly start: number;
  /** Infinity while in flight, or when the clock makes no sense. */
  readonly end: number;
  /** The bits above. */
  state: number;
  /** Place among the calls by start. */
  at: number;
  /** What made it wait. */
  link: Link | undefined;
}
