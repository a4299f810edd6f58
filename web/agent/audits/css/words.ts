// The only place where the CSS audit's faults become words.

import type { Fault, Words } from "../fault";
import { counted, quoted, shownAddress } from "../words";
import type { Rule } from "./rules";
import { TEXT_MIN_PX, Z_INDEX_MAX } from "./thresholds";

const number = (fault: Fault): number => fault.refs?.length ?? 0;
const named = (fault: Fault): string => quoted(fault.name ?? "");
const sheet = (fault: Fault): string => (fault.name === "" || fault.name === undefined ? "a style element" : shownAddress(fault.name, "", 60));

export const WORDS: Words<Rule> = {
  "horizontal-overflow": (fault) => `sticks out ${fault.amount ?? 0}px to the side at ${fault.name ?? ""}px: the whole page scrolls sideways → max-width: 100%, or let it wrap or scroll`,
  "text-tiny": (fault) => `${counted(number(fault), "text")} under ${TEXT_MIN_PX}px, the smallest ${fault.amount ?? 0}px → at least 12px, in rem`,
  "unknown-property": (fault) => `no browser property is called ${named(fault)}: the declaration is dropped → ${fault.other === "" ? "correct or remove it" : `did you mean ${fault.other ?? ""}?`}`,
  "layout-animation": (fault) => `${quoted(fault.other ?? "", 30)} animates ${fault.name ?? ""} without end: layout in every frame → transform or opacity`,
  "stylesheet-twice": (fault) => `${sheet(fault)} is loaded twice → once`,
  "stylesheet-failed": (fault) =>
    fault.severity === "warning"
      ? `${sheet(fault)} did not load → correct its address, or take the link out`
      : `${counted(number(fault), "stylesheet")} of other sites did not load, e.g. ${sheet(fault)}: not judged → get_errors says why`,
  "import-chain": (fault) =>
    fault.severity === "warning"
      ? `@import inside @import, ${fault.amount ?? 0} deep: the files load one after the other → <link>, or bundle them`
      : `@import of ${sheet(fault)}: it is asked for late → <link>, or bundle it`,
  "stylesheet-large": (fault) => `${sheet(fault)} has ${Math.round((fault.amount ?? 0) / 1024)} KB of rules → split it by page, drop what is unused`,
  "unused-rules": (fault) => `${fault.amount ?? 0}% of the rules (${fault.name ?? ""} KB) fit nothing on this page as it is now → purge or split, if other pages do not need them`,
  "important-overuse": (fault) => `${fault.count ?? 0} declarations (${fault.amount ?? 0}%) say !important → order by @layer or lower the specificity of what they fight`,
  "specificity-high": (fault) => `${counted(fault.count ?? 0, "rule")} with two ids or more (${named(fault)}) can hardly be overridden → classes`,
  "duplicate-rules": (fault) => `${counted(fault.count ?? 0, "rule")} stand twice in one sheet, word for word (${named(fault)}) → once`,
  "z-index-escalation": (fault) => `z-index ${fault.amount ?? 0} (${named(fault)}): over ${Z_INDEX_MAX} it is a race → a small scale of layers, isolation: isolate`,
  "motion-not-reduced": (fault) => `${quoted(fault.name ?? "", 30)} moves without end and no rule asks for prefers-reduced-motion → stop it for those who ask`,
  "font-unused": (fault) => `the font ${named(fault)} is loaded, and no element has it → do not load it`,
  "stylesheet-unreadable": (fault) => `${counted(number(fault), "stylesheet")} of other sites could not be read → crossorigin on the link, if they are to be judged`,
};
