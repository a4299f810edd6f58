// Which component of a framework drew an element, and where its source is, as
// far as development builds tell.

import { ancestors, get, text } from "./words";

export interface Component {
  readonly framework: string;
  readonly name: string;
  /** file:line:column, when the build tells. */
  readonly source?: string;
  /** The components around it, innermost first. */
  readonly within?: readonly string[];
  readonly props?: readonly string[];
}

const mostWithin = 6;
const mostProps = 20;

/** The nearest component; null when no framework is known to have drawn the element. */
export function componentOf(element: Element): Component | null {
  for (const at of [element, ...ancestors(element)].slice(0, 40)) {
    const found = react(at) ?? vue(at) ?? svelte(at) ?? angular(at) ?? marked(at);
    if (found !== null) return found;
  }
  return null;
}

function place(file: string, line?: unknown, column?: unknown): { source?: string } {
  if (file === "") return {};
  const short = file.replace(/^.*?\/((?:src|app|pages|components|lib)\/)/, "$1");
  const at = typeof line === "number" ? `:${line}` : "";
  return { source: `${short}${at}${at !== "" && typeof column === "number" ? `:${column}` : ""}` };
}

function keyed(element: Element, prefix: string): unknown {
  const key = Object.keys(element).find((name) => name.startsWith(prefix));
  return key === undefined ? undefined : get(element, key);
}

/** The name of a component's type: of a function or class, or of one wrapped by memo or forwardRef. */
export function typeName(type: unknown): string {
  if (typeof type === "function") return text(get(type, "displayName")) || type.name;
  if (typeof type !== "object" || type === null) return "";
  return text(get(type, "displayName")) || typeName(get(type, "render")) || typeName(get(type, "type"));
}

function react(element: Element): Component | null {
  const fiber = keyed(element, "__reactFiber$") ?? keyed(element, "__reactInternalInstance$");
  const names: string[] = [];
  let nearest: unknown;
  let source: { source?: string } = {};
  for (let at: unknown = fiber, steps = 0; at !== null && at !== undefined && steps < 300; at = get(at, "return"), steps++) {
    if (source.source === undefined) source = debugPlace(at);
    const name = typeName(get(at, "type"));
    if (name === "") continue;
    nearest ??= at;
    if (names.push(name) > mostWithin) break;
  }
  const name = names[0];
  if (name === undefined) return null;
  const props = get(nearest, "memoizedProps");
  return {
    framework: "React",
    name,
    ...source,
    ...(names.length > 1 ? { within: names.slice(1) } : {}),
    ...(typeof props === "object" && props !== null ? { props: Object.keys(props).slice(0, mostProps) } : {}),
  };
}

/** React up to 18 keeps the source; 19 keeps the stack of where the element was made. */
function debugPlace(fiber: unknown): { source?: string } {
  const source = get(fiber, "_debugSource");
  if (source !== undefined && source !== null) return place(text(get(source, "fileName")), get(source, "lineNumber"), get(source, "columnNumber"));
  return stackPlace(text(get(get(fiber, "_debugStack"), "stack")));
}

/** The first place of a stack that is the application's own. */
export function stackPlace(stack: string): { source?: string } {
  for (const line of stack.split("\n")) {
    const found = /(?:\(|@|at )((?:https?|webpack-internal|file):[^\s)]*?):(\d+):(\d+)\)?$/.exec(line.trim());
    if (found === null || /node_modules|\/\.vite\/|react-stack|jsx-(?:dev-)?runtime/.test(line)) continue;
    const path = (found[1] ?? "").replace(/^\w+:\/\/[^/]*\//, "").replace(/\?.*$/, "");
    return { source: `${path}:${found[2]}:${found[3]} (compiled)` };
  }
  return {};
}

function vue(element: Element): Component | null {
  const three = get(element, "__vueParentComponent");
  if (three !== undefined && three !== null) {
    const names: string[] = [];
    for (let at: unknown = three; at !== null && at !== undefined && names.length <= mostWithin; at = get(at, "parent")) names.push(vueName(get(at, "type")));
    return { framework: "Vue", name: names[0] ?? "Anonymous", ...place(text(get(get(three, "type"), "__file"))), ...(names.length > 1 ? { within: names.slice(1) } : {}) };
  }
  const options = get(get(element, "__vue__"), "$options");
  if (options === undefined || options === null) return null;
  return { framework: "Vue", name: text(get(options, "name")) || text(get(options, "_componentTag")) || "Anonymous", ...place(text(get(options, "__file"))) };
}

function vueName(type: unknown): string {
  const file = text(get(type, "__file"));
  return text(get(type, "name")) || text(get(type, "__name")) || (/([^/]+)\.vue$/.exec(file)?.[1] ?? "Anonymous");
}

function svelte(element: Element): Component | null {
  const loc = get(get(element, "__svelte_meta"), "loc");
  const file = text(get(loc, "file"));
  if (file === "") return null;
  return { framework: "Svelte", name: /([^/]+)\.svelte$/.exec(file)?.[1] ?? file, ...place(file, get(loc, "line"), get(loc, "column")) };
}

function angular(element: Element): Component | null {
  const ask = get(get(window, "ng"), "getComponent");
  if (typeof ask !== "function") return null;
  try {
    const made: unknown = Reflect.apply(ask, undefined, [element]);
    const name = text(get(get(made, "constructor"), "name"));
    return name === "" ? null : { framework: "Angular", name: name.replace(/^_/, "") };
  } catch {
    return null;
  }
}

/** Attributes that tools leave for inspectors. */
function marked(element: Element): Component | null {
  const astro = element.getAttribute("data-astro-source-file");
  if (astro !== null) return { framework: "Astro", name: /([^/]+)\.\w+$/.exec(astro)?.[1] ?? astro, source: `${place(astro).source ?? astro}:${element.getAttribute("data-astro-source-loc") ?? "1"}` };
  const other = element.getAttribute("data-v-inspector") ?? element.getAttribute("data-source") ?? element.getAttribute("data-source-loc");
  if (other === null || !/\.\w+:\d+/.test(other)) return null;
  return { framework: "source attribute", name: /([^/]+)\.\w+:/.exec(other)?.[1] ?? other, source: other.slice(0, 200) };
}
