// The only place where the DOM audit's faults become words.

import type { Fault, Words } from "../fault";
import { counted, quoted } from "../words";
import type { Rule } from "./rules";
import { DEPTH_MAX, ELEMENTS_INFO } from "./thresholds";

const number = (fault: Fault): number => fault.refs?.length ?? 0;
const named = (fault: Fault): string => quoted(fault.name ?? "");
const kilobytes = (fault: Fault): string => `${Math.round((fault.amount ?? 0) / 1024)} KB`;

export const WORDS: Words<Rule> = {
  "quirks-mode": () => "the page is laid out by the rules of the nineties → <!doctype html> as its first line",
  "dom-size": (fault) => `${fault.amount ?? 0} elements: style and layout slow down with each → under ${ELEMENTS_INFO}; show long lists in parts`,
  "dom-depth": (fault) => `${fault.amount ?? 0} levels of nesting → under ${DEPTH_MAX}; drop wrappers that only wrap`,
  "many-children": (fault) => `${fault.amount ?? 0} children in one <${fault.name ?? ""}> → show what is in view, or in pages`,
  "duplicate-id": (fault) => {
    const others = (fault.count ?? 1) - 1;
    const rest = others > 0 ? `, and ${counted(others, "more id")} so` : "";
    return `id ${named(fault)} is on ${counted(fault.amount ?? 0, "element")}${rest}: labels, links and scripts find the first only → make ids unique`;
  },
  "invalid-nesting": nestingWords,
  "obsolete-element": (fault) => `${counted(number(fault), "obsolete element")} (${fault.name ?? ""}) → CSS, or the element that replaced it`,
  "broken-fragment": (fault) => `${counted(number(fault), "link")} to a place that is not on the page (${quoted(`#${fault.name ?? ""}`)}) → correct the id`,
  "label-for-nothing": (fault) => `a label is for ${named(fault)}, which is not on the page → the field's id`,
  "positive-tabindex": (fault) => `${counted(number(fault), "element")} with tabindex over 0: they come before everything else → tabindex="0" and the right order`,
  "several-autofocus": (fault) => `${number(fault)} elements with autofocus: only one gets it → keep one`,
  "field-without-name": (fault) => `${counted(number(fault), "field")} without name in a form that is sent: what is filled in is left out → add name`,
  "empty-src": (fault) => `${counted(number(fault), "element")} with an empty src → leave the attribute out until there is an address`,
  "large-attribute": (fault) => `the attribute ${named(fault)} holds ${kilobytes(fault)} → a class, or data that is fetched`,
  "large-data-uri": (fault) => `a data: address of ${kilobytes(fault)} in ${quoted(fault.name ?? "", 20)}: it delays the page and is never cached → a file`,
  "large-inline-script": (fault) => `${kilobytes(fault)} of inline script: parsed before anything is shown → send what the page uses, fetch the rest`,
};

function nestingWords(fault: Fault): string {
  const inner = `<${fault.name ?? ""}>`;
  const outer = `<${fault.other ?? ""}>`;
  if (fault.other === "a" || fault.other === "button") return `${inner} inside ${outer}: one click, two meanings → put them side by side`;
  if (fault.other === "form") return `${inner} inside ${outer}: which one is sent is chance → put them side by side`;
  return `${inner} inside ${outer}: a parser would not build this, so server-rendered pages differ → ${fault.other === "p" ? "<div> instead of <p>" : "only the parts of a table"}`;
}
