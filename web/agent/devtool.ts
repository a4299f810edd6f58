// window.__devtool: what code run by exec, and a person at the console, can
// call. The core holds only names; the helpers are in bundles that are loaded
// on first use and add themselves.

import type { Keep } from "./channel";
import type { LoaderRecords } from "./loader-record";
import { apply, defineLazily, defineProperty, drawing, isCallable, jsonStringify, quietly } from "./native";
import type { Callable } from "./native";
import { unmask } from "./mask";
import { detach, runFile, scriptElement } from "./script";

export interface Devtool {
  /** One line per helper. */
  help(): Promise<string>;
  /** Loads a bundle, once. */
  load(bundle: string): Promise<void>;
  /** For bundles: adds a helper under a name. */
  add(name: string, help: string, run: Callable): void;
  /** The loading indicators that this page has shown, as copies. */
  loaders(): LoaderRecords;
  /** Calls back with this page's id, now if it is known and whenever it changes. */
  onPage(seen: (page: string) => void): void;
  /** For bundles: sends a picture to the server. */
  readonly keep: Keep;
  /** For bundles: the function behind one that the agent stands before, so that their own calls are not recorded. */
  unmask(value: unknown): unknown;
  /** For bundles: how many pictures are being drawn. */
  readonly drawing: { pictures: number };
}

declare global {
  interface Window {
    __devtool?: Devtool;
  }
}

/** Which bundle brings which helper. */
export const bundles: Readonly<Record<string, string>> = {
  inspect:
    "getElementInfo inspect getComputed getBox getLayout getStacking walkChildren walkParents isVisible isInViewport " +
    "checkOverlap findOverflows highlight click fill press waitFor captureState getA11yInfo getContrast log pick indicator",
  raster: "screenshot",
  vitals: "vitals",
  api: "auditApi",
  audits: "auditAll auditSecurity auditAccessibility auditPerformance auditLoading auditSeo auditDom auditCss",
};

/** The bundles that help() loads to say what is in them; the rasteriser is large, and has one helper. */
const described = ["inspect", "api", "audits"];

export const globalName = "__devtool";

export interface Exposed {
  /** The server has told this page its id. */
  name(page: string): void;
}

/** Puts __devtool on the window; parentNamed is called with the id of the frame's same-origin parent page. */
export function expose(nonce: string, loaders: Devtool["loaders"], keep: Keep, parentNamed: (page: string) => void): Exposed {
  let page = "";
  const watchers: ((page: string) => void)[] = [];
  const onPage = (seen: (page: string) => void): void => {
    watchers.push(seen);
    if (page !== "") seen(page);
  };
  defineLazily(globalName, () => make(nonce, loaders, keep, onPage));
  if (window.parent !== window) {
    quietly(() => window.parent[globalName]?.onPage((id) => quietly(() => parentNamed(String(id)))));
  }
  return {
    name(id) {
      page = id;
      for (const seen of watchers) quietly(() => seen(id));
    },
  };
}

function make(nonce: string, loaders: Devtool["loaders"], keep: Keep, onPage: Devtool["onPage"]): Devtool {
  const lines = new Map<string, string>();
  const loads = new Map<string, Promise<void>>();

  const load = (bundle: string): Promise<void> => {
    const running = loads.get(bundle) ?? insert(`/__devtool/${bundle}.js`, bundle, nonce);
    loads.set(bundle, running);
    running.catch(() => loads.delete(bundle)); // may work the next time
    return running;
  };
  const tool: Devtool = {
    async help() {
      for (const bundle of described) {
        try {
          await load(bundle);
        } catch {
          // Its lines stay as they are.
        }
      }
      return [...lines].map(([name, text]) => `${name}: ${text}`).join("\n");
    },
    load,
    add(name, help, run) {
      lines.set(name, help);
      put(tool, name, run);
    },
    loaders,
    onPage,
    keep,
    unmask,
    drawing,
  };
  for (const [bundle, names] of Object.entries(bundles)) {
    for (const name of names.split(" ")) {
      lines.set(name, bundle === "raster" ? "screenshot(name): a picture of the page, kept on disk" : `in the ${bundle} bundle, which could not be loaded`);
      put(tool, name, lazily(tool, bundle, name));
    }
  }
  return tool;
}

function put(tool: Devtool, name: string, run: Callable): void {
  defineProperty(tool, name, { value: run, writable: true, configurable: true, enumerable: true });
}

function lazily(tool: Devtool, bundle: string, name: string): Callable {
  const stub = async (...args: unknown[]): Promise<unknown> => {
    await tool.load(bundle);
    const run: unknown = Reflect.get(tool, name);
    if (!isCallable(run) || run === stub) throw new Error(`the ${bundle} bundle has no ${name}`);
    return apply(run, tool, args);
  };
  return stub;
}

function insert(url: string, bundle: string, nonce: string): Promise<void> {
  return new Promise((done, failed) => {
    const script = scriptElement(nonce);
    runFile(script, url, (loaded) => {
      detach(script);
      if (loaded) done();
      else failed(new Error(`the ${jsonStringify(bundle)} bundle could not be loaded`));
    });
  });
}
