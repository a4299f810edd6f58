// The only place where the SEO audit's faults become words.

import type { Fault, Words } from "../fault";
import { counted, quoted, shownAddress } from "../words";
import type { Rule } from "./rules";
import { DESCRIPTION_MAX_CHARS, DESCRIPTION_MIN_CHARS, TITLE_MAX_CHARS, TITLE_MIN_CHARS } from "./thresholds";

const named = (fault: Fault): string => quoted(fault.name ?? "");
const address = (fault: Fault): string => quoted(shownAddress(fault.name ?? "", "", 50), 52);
const number = (fault: Fault): number => fault.refs?.length ?? 0;

export const WORDS: Words<Rule> = {
  "status-error": (fault) => `the page came with status ${fault.amount ?? 0}: search engines drop it → answer 200`,
  "noindex": (fault) =>
    fault.severity === "info" ? `${fault.name ?? ""} says noindex → leave it out where you deploy` : `${fault.name ?? ""} says noindex: search engines leave the page out → remove it, if it is to be found`,
  "title-missing": (fault) => `${fault.refs === undefined ? "no" : "an empty"} title: results show the address → <title> in the head, saying what the page is about`,
  "title-several": (fault) => `${number(fault)} title elements: only the first counts → keep one`,
  "title-generic": (fault) => `the title ${named(fault)} is the template's → say what the page is about`,
  "title-length": (fault) => `the title has ${counted(fault.amount ?? 0, "character")} → ${TITLE_MIN_CHARS} to ${TITLE_MAX_CHARS}`,
  "description-missing": (fault) =>
    `${fault.refs === undefined ? "no" : "an empty"} meta description: results show a piece of the text → <meta name="description" content="…">`,
  "description-several": (fault) => `${number(fault)} meta descriptions → keep one`,
  "description-length": (fault) => `the meta description has ${counted(fault.amount ?? 0, "character")} → ${DESCRIPTION_MIN_CHARS} to ${DESCRIPTION_MAX_CHARS}`,
  "h1-missing": () => "no h1 → one that says what the page is about",
  "h1-several": (fault) => `${number(fault)} h1 on one page → one for the page, h2 for its parts`,
  "lang-missing": (fault) => (fault.name === "" ? "<html> has no lang → lang=\"en\", or the page's language" : `lang ${named(fault)} is no language tag → e.g. "en" or "pt-BR"`),
  "charset": (fault) => `the page is read as ${named(fault)} → <meta charset="utf-8"> first in the head`,
  "viewport-missing": () => "no viewport: phones show a shrunk desktop page → <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
  "viewport-fixed": (fault) => `the viewport ${named(fault)} does not follow the device → width=device-width, initial-scale=1`,
  "canonical-missing": () => "no canonical link: variants of the address compete → <link rel=\"canonical\" href=\"https://…\">",
  "canonical-several": (fault) => `${number(fault)} canonical links that differ: search engines ignore them all → keep one`,
  "canonical-empty": () => "the canonical link has no address → the page's own, with https://",
  "canonical-relative": (fault) => `the canonical link ${address(fault)} is relative → the whole address, with https://`,
  "canonical-elsewhere": (fault) => `the canonical link names another site (${named(fault)}): this page will not be listed → only if that is meant`,
  "canonical-root": (fault) => `the canonical link ${address(fault)} is the home page: this page will not be listed → the page's own address`,
  "hreflang-invalid": (fault) => `hreflang ${quoted(fault.name ?? "", 20)}: ${quoted(fault.other ?? "", 60).slice(1, -1)} → ISO codes, e.g. "en-gb"`,
  "hreflang-relative": (fault) => `hreflang with the relative address ${address(fault)} → the whole address, with https://`,
  "meta-refresh": (fault) =>
    fault.severity === "warning" ? "a meta refresh leads elsewhere → redirect with status 301" : "a meta refresh reloads the page → fetch what changed instead",
  "structured-data-broken": (fault) => `JSON-LD that is no JSON${fault.name === "" ? "" : `, near ${named(fault)}`} → correct it; as it is, it is ignored`,
  "structured-data-untyped": () => "JSON-LD without @type: nobody knows what it describes → add @context and @type",
  "link-not-crawlable": (fault) => `${counted(number(fault), "link")} that only a script can follow (${quoted(fault.name ?? "", 30)}) → a real href, or a button`,
  "link-no-text": (fault) => `${counted(number(fault), "link")} without text, e.g. to ${address(fault)} → text, aria-label or the image's alt`,
  "link-vague-text": (fault) => `${counted(number(fault), "link")} with a text that says nothing (${named(fault)}) → name the page behind`,
  "hash-routing": (fault) => `pages behind the hash (${named(fault)}) are one page to search engines → real paths`,
  "social-incomplete": (fault) => `shared links look bare: no ${fault.name ?? ""} → Open Graph tags`,
  "social-image-relative": (fault) => `the preview image ${address(fault)} is relative: other sites cannot load it → the whole address`,
  "favicon-missing": () => "no <link rel=\"icon\">: browsers ask for /favicon.ico → name one, unless that file is there",
  "text-thin": (fault) => `${counted(fault.amount ?? 0, "word")} can be seen → more text, if the page is to be found by it`,
};
