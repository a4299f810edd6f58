// A URL's path with the parts that name one thing of many written as {id}.

import { isIdLike, isInteger } from "./id-like";

export const PLACE = "{id}";

export type FileKind = "" | "asset" | "media";

export interface PathTemplate {
  /** The path, `{id}` for each id. */
  readonly text: string;
  /** What stood in the places; two paths with the same ids are about the same thing. */
  readonly ids: string;
  readonly places: number;
}

/** `users(17)` as OData writes it. */
const CALL_STYLE = /^([A-Za-z][A-Za-z0-9]*)\(([^()]+)\)$/;
/** `17.json`: a format asked for by suffix. */
const FORMAT_SUFFIX = /^(.+)(\.(?:json|xml|jsonld|csv))$/i;
/** After these an integer is a position, not an identity. */
const POSITION_BEFORE = new Set("page p offset chunk part segment zoom level year years month months week weeks day days step version".split(" "));
/** After these a number that could be a year is one. */
const YEARS_BEFORE = new Set("archive archives calendar report reports stats statistics holidays season seasons history annual budget budgets fiscal results".split(" "));
/** No id is without a digit or an at sign. */
const MAY_BE_ID = /[0-9@]/;
const YEAR = /^(?:19|20)[0-9]{2}$/;
const MONTH = /^(?:0[1-9]|1[0-2])$/;
const MONTH_NEXT = /^(?:0[1-9]|1[0-2])(?:\/|$)/;
const TILE = /\/([0-9]|1[0-9]|2[0-4])\/([0-9]{1,8})\/([0-9]{1,8})(?:@[0-9]x)?$/;
/** How routers ask for the data of a page they may go to. */
const ROUTE_DATA = /[?&]_rsc=|\/__data\.json(?:\?|$)/;
const ASSET =
  /\.(?:m?js|jsx|css|map|png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|otf|eot|mp3|mp4|webm|ogg|wav|flac|wasm|pbf|mvt|m3u8|m4s|mpd|ts|aac|glb|gltf|bin|webmanifest|html?)$/i;
const MEDIA = /\.(?:m3u8|m4s|mpd|ts|aac|mp4|webm|mp3)$/i;

/**
 * Whether a path names a file rather than an answer: chunks, images, fonts,
 * tiles; or a piece of a stream that a player asks for in its own time. A page
 * that a router gets in advance is a file, too.
 */
export function fileKindOf(path: string, query = ""): FileKind {
  if (query !== "" && ROUTE_DATA.test(query)) return "asset";
  if (!path.includes(".", path.lastIndexOf("/"))) return "";
  if (!ASSET.test(path)) return ROUTE_DATA.test(path) ? "asset" : "";
  return MEDIA.test(path) ? "media" : "asset";
}

export function templateOf(path: string): PathTemplate {
  if (!MAY_BE_ID.test(path)) return { text: path, ids: "", places: 0 };
  let text = "";
  let ids = "";
  let places = 0;
  let before = "";
  for (let from = 0; from <= path.length; ) {
    const slash = path.indexOf("/", from);
    const to = slash < 0 ? path.length : slash;
    const segment = path.slice(from, to);
    const place = MAY_BE_ID.test(segment) ? placeOf(segment, before, slash < 0 ? undefined : path.slice(to + 1)) : null;
    if (place !== null) ids += places++ === 0 ? place.id : `/${place.id}`;
    if (from > 0) text += "/";
    text += place === null ? segment : place.text;
    before = segment;
    from = to + 1;
  }
  if (places === 0 || (places > 1 && isTile(path))) return { text: path, ids: "", places: 0 };
  return { text, ids, places };
}

/** What a path begins with, when no part of that is an id and none hangs on what comes next. */
export interface Folder {
  /** With its slash at the end. */
  readonly path: string;
  /** What integers right after it are: positions. */
  readonly positions: boolean;
  /** What those that could be years are. */
  readonly years: boolean;
}

/** What the path begins with, up to its last slash; takes its template's text, too. */
export function folderOf(path: string, template: string): Folder | undefined {
  const end = path.lastIndexOf("/") + 1;
  const own = path.slice(0, end);
  if (!template.startsWith(own)) return undefined;
  const name = own.slice(own.lastIndexOf("/", end - 2) + 1, end - 1).toLowerCase();
  if (MAY_BE_ID.test(own) && (YEAR.test(name) || templateOf(own).places > 0)) return undefined;
  return { path: own, positions: POSITION_BEFORE.has(name), years: YEARS_BEFORE.has(name) };
}

/** Whether an integer that a path ends in names a thing. */
export function isThing(integer: string, { positions, years }: Folder): boolean {
  return !positions && !(years && YEAR.test(integer));
}

export function mayBeId(segment: string): boolean {
  return MAY_BE_ID.test(segment);
}

/** Takes a segment that may be an id, the one before it, and the rest of the path after it, if there is one. */
export function placeOf(segment: string, before: string, after: string | undefined): { text: string; id: string } | null {
  if (isInteger(segment)) return isPosition(segment, before.toLowerCase(), after) ? null : { text: PLACE, id: segment };
  if (isIdLike(segment)) return { text: PLACE, id: segment };
  const call = CALL_STYLE.exec(segment);
  if (call !== null) {
    const id = (call[2] ?? "").replace(/^'(.*)'$/, "$1");
    return isIdLike(id) ? { text: `${call[1] ?? ""}(${PLACE})`, id } : null;
  }
  const suffixed = FORMAT_SUFFIX.exec(segment);
  if (suffixed !== null && isIdLike(suffixed[1] ?? "")) return { text: PLACE + (suffixed[2] ?? ""), id: suffixed[1] ?? "" };
  return null;
}

/** Whether a path ends in the level, column and row of a map's tile. */
function isTile(path: string): boolean {
  const match = TILE.exec(path);
  if (match === null) return false;
  const most = 2 ** Number(match[1]);
  return Number(match[2]) < most && Number(match[3]) < most;
}

/** Whether an integer says where or when instead of which. */
function isPosition(segment: string, before: string, after: string | undefined): boolean {
  if (POSITION_BEFORE.has(before)) return true;
  // `/posts/2024/05`: a month.
  if (YEAR.test(before) && MONTH.test(segment)) return true;
  // `/2/users`, `/api/1/users`: a version.
  if ((before === "" || before === "api") && after !== undefined && segment.length === 1) return true;
  if (!YEAR.test(segment)) return false;
  // `/reports/2024`, `/posts/2024/05`: a year.
  return YEARS_BEFORE.has(before) || (after !== undefined && MONTH_NEXT.test(after));
}
