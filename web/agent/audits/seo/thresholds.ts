// Every limit the SEO audit goes by. All are echoed in the report.

/** Search results show about this many characters of a title. */
export const TITLE_MAX_CHARS = 70;
/** Shorter titles say too little. */
export const TITLE_MIN_CHARS = 5;
/** Descriptions outside these are cut, or replaced by the search engine's own. */
export const DESCRIPTION_MIN_CHARS = 50;
export const DESCRIPTION_MAX_CHARS = 200;
/** A page with fewer words gives a search engine little to find. */
export const WORDS_MIN = 50;
/** Links to `#/…` that show that addresses are behind the hash. */
export const HASH_ROUTES_MIN = 2;
/** Text of one JSON-LD block that is read. */
export const STRUCTURED_MAX_CHARS = 256 * 1024;
/** Links that are looked at. */
export const LINKS_MAX = 3000;

export const THRESHOLDS = {
  titleMinChars: TITLE_MIN_CHARS,
  titleMaxChars: TITLE_MAX_CHARS,
  descriptionMinChars: DESCRIPTION_MIN_CHARS,
  descriptionMaxChars: DESCRIPTION_MAX_CHARS,
  wordsMin: WORDS_MIN,
  hashRoutesMin: HASH_ROUTES_MIN,
  structuredMaxChars: STRUCTURED_MAX_CHARS,
  linksMax: LINKS_MAX,
} as const;
