// What looks like the identity of one thing among many, and what only looks
// like it: versions, years, page numbers, names of files.

import { decode } from "./url";

const UUID = /^\{?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\}?$/i;
const ULID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i;
const LONG_HEX = /^[0-9a-f]{16,}$/i;
const INTEGER = /^[0-9]{1,20}$/;
const VERSION = /^v[0-9]{1,4}(?:[._-][0-9]+)*(?:[._-]?(?:alpha|beta|rc|preview|pre)[0-9]*)?$/i;
const TOKEN = /^[A-Za-z0-9_-]{6,64}$/;
/** `order-1001`, `INV-2024-001`: a name, then groups of digits. */
const NAMED_NUMBER = /^[A-Za-z][A-Za-z0-9]{0,15}(?:[_:-][0-9]+)+$/;
/** `user_8fk2m`, `cus_NffrFeUfNV2Hib`: a name, then one mixed token. */
const NAMED_TOKEN = /^[A-Za-z][A-Za-z]{0,15}[_:-]([A-Za-z0-9]{4,})$/;
const EMAIL = /^[^@\s/]+@[^@\s/]+\.[^@\s/]+$/;

export function isInteger(value: string): boolean {
  return INTEGER.test(value);
}

/** Whether a path segment or a query value names one thing of many. */
export function isIdLike(raw: string): boolean {
  if (INTEGER.test(raw)) return true;
  const value = decode(raw);
  if (value.includes("@")) return EMAIL.test(value);
  // Every kind below carries a digit in practice; words do not.
  if (!/[0-9]/.test(value)) return false;
  if (UUID.test(value) || ULID.test(value) || LONG_HEX.test(value)) return true;
  if (VERSION.test(value)) return false;
  if (NAMED_NUMBER.test(value)) return true;
  const named = NAMED_TOKEN.exec(value);
  if (named !== null && isMixed(named[1] ?? "", 1)) return true;
  return TOKEN.test(value) && isMixed(value, 3);
}

/**
 * Whether letters, digits and cases alternate as in a random token and not as
 * in words: at least `least` changes and one for every five characters.
 */
function isMixed(value: string, least: number): boolean {
  // A capitalised word inside a name is no sign of chance.
  const flat = value.replace(/[A-Z](?=[a-z]{2})/g, "a");
  let changes = 0;
  let digits = 0;
  let letters = 0;
  let before = "";
  for (const char of flat) {
    const kind = kindOf(char);
    if (kind === "") continue;
    if (kind === "digit") digits++;
    else letters++;
    if (before !== "" && kind !== before) changes++;
    before = kind;
  }
  return digits > 0 && letters > 0 && changes >= Math.max(least, Math.floor(value.length / 5));
}

function kindOf(char: string): "digit" | "lower" | "upper" | "" {
  if (char >= "0" && char <= "9") return "digit";
  if (char >= "a" && char <= "z") return "lower";
  return char >= "A" && char <= "Z" ? "upper" : "";
}

/** Parameters that page, search, sort, slice time or defeat caches, and so never name a thing. */
const NOT_AN_ID = new Set(
  (
    "page p pg pagenumber pageno pageindex pagesize perpage offset skip start startindex from to limit size count first last take top max min " +
    "cursor after before since until maxid sinceid minid startafter startat endat next prev continuation continuationtoken pagetoken nextpagetoken " +
    "q query search term s keyword keywords text input prefix filter sort order orderby dir direction fields include expand select " +
    "lang locale hl tz timezone date day week month year hour minute time period range interval w h width height x y z lat lng lon zoom bbox dpr quality " +
    "version ver v rev part partnumber chunk chunkindex segment step level depth batch retry attempt timeout wait seq sequence amount price qty quantity"
  ).split(" "),
);
/** Parameters that only keep a cache from answering. */
const NOISE = new Set("_ t ts timestamp cb cachebust cachebuster nocache nonce rnd rand random r".split(" "));
/** Parameters by which a poll says what it has seen. */
const CURSOR = new Set("since after cursor lasteventid lastid last from seq sequence offset version rev etag token position sinceid wait timeout".split(" "));

/** What is known of a parameter's name. */
interface Name {
  readonly noise: boolean;
  readonly cursor: boolean;
  readonly mayBeId: boolean;
}

/** A page has few names of parameters and uses them again and again. */
const names = new Map<string, Name>();
const MAX_NAMES = 500;

function nameOf(raw: string): Name {
  let name = names.get(raw);
  if (name === undefined) {
    const lower = decode(raw).toLowerCase();
    const bare = lower === "_" ? lower : lower.replace(/[^a-z0-9]/g, "");
    const noise = NOISE.has(bare);
    name = { noise, cursor: CURSOR.has(bare), mayBeId: !noise && !NOT_AN_ID.has(bare) };
    if (names.size >= MAX_NAMES) names.clear();
    names.set(raw, name);
  }
  return name;
}

export function isNoiseParam(name: string): boolean {
  return nameOf(name).noise;
}

export function isCursorParam(name: string): boolean {
  return nameOf(name).cursor;
}

export function mayBeIdParam(name: string): boolean {
  return nameOf(name).mayBeId;
}
