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
const ASSET =
  /\.(?:m?js|jsx|css|map|png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|otf|eot|mp3|mp4|webm|ogg|wav|flac|wasm|pbf|mvt|m3u8|m4s|mpd|ts|aac|glb|gltf|bin|webmanifest|html?)$/i;
const MEDIA = /\.(?:m3u8|m4s|mpd|ts|aac|mp4|webm|mp3)$/i;

/** Whether a path names a file rather than an answer: chunks, images, fonts, tiles; or a piece of a stream that a player asks for in its own time. */
export function fileKindOf(path: string): FileKind {
  if (!path.includes(".", path.lastIndexOf("/")) || !ASSET.test(path)) return "";
  return MEDIA.test(path) ? "media" : "asset";
}

export function templateOf(path: string): PathTemplate {
  if (!MAY_BE_ID.test(path)) return { text: path, ids: "", places: 0 };
  const segments = path.split("/");
  const ids: string[] = [];
  const out = segments.map((segment, index) => {
    const place = placeOf(segment, segments[index - 1] ?? "", segments[index + 1]);
    if (place === null) return segment;
    ids.push(place.id);
    return place.text;
  });
  return { text: ids.length === 0 ? path : out.join("/"), ids: ids.join("/"), places: ids.length };
}

function placeOf(segment: string, before: string, after: string | undefined): { text: string; id: string } | null {
  if (!MAY_BE_ID.test(segment) || isPosition(segment, before.toLowerCase(), after)) return null;
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

/** Whether an integer says where or when instead of which. */
function isPosition(segment: string, before: string, after: string | undefined): boolean {
  if (!isInteger(segment)) return false;
  if (POSITION_BEFORE.has(before)) return true;
  // `/posts/2024/05`: a month.
  if (YEAR.test(before) && MONTH.test(segment)) return true;
  // `/2/users`, `/api/1/users`: a version.
  if ((before === "" || before === "api") && after !== undefined && segment.length === 1) return true;
  if (!YEAR.test(segment)) return false;
  // `/reports/2024`, `/posts/2024/05`: a year.
  return YEARS_BEFORE.has(before) || (after !== undefined && MONTH.test(after));
}
