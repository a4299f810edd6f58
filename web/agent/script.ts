// Script elements of the agent's own: with the page's nonce, with Trusted
// Types where a page asks for them, by the platform's own methods, and in the
// document only for as long as the browser needs them there.

import { apply, descriptorOf, quietly } from "./native";

interface TrustedPolicy {
  createScript(text: string): string;
  createScriptURL(url: string): string;
}

interface TrustedFactory {
  createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy;
}

/** The policy's name, which the proxy adds to a page's trusted-types directive. */
export const policyName = "oriel";

const xhtml = "http://www.w3.org/1999/xhtml";
const { createElementNS } = document;
const { appendChild } = Node.prototype;
const { remove } = Element.prototype;
const { addEventListener } = EventTarget.prototype;
/** Asked only when it is needed: the browser builds the factory then. */
const factory: (() => TrustedFactory | undefined) | undefined = descriptorOf(window, "trustedTypes")?.get;
let policy: TrustedPolicy | null | undefined;

/** Made on first use: most pages never need it. */
function trusted(): TrustedPolicy | null {
  if (policy === undefined) {
    const same = (text: string): string => text;
    policy = quietly(() => factory && apply(factory, window, [])?.createPolicy(policyName, { createScript: same, createScriptURL: same })) ?? null;
  }
  return policy;
}

/** A script element; also in XHTML and SVG documents. */
export function scriptElement(nonce: string): HTMLScriptElement {
  const made: unknown = apply(createElementNS, document, [xhtml, "script"]);
  if (!(made instanceof HTMLScriptElement)) throw new TypeError("no script element");
  if (nonce !== "") made.nonce = nonce;
  return made;
}

/** Runs text now; it has run, failed or been refused when this returns. */
export function runText(script: HTMLScriptElement, text: string): void {
  script.text = trusted()?.createScript(text) ?? text;
  attach(script);
}

/** Loads and runs a file; ended is called once, whether it came or not. */
export function runFile(script: HTMLScriptElement, url: string, ended: (loaded: boolean) => void): void {
  apply(addEventListener, script, ["load", () => ended(true)]);
  apply(addEventListener, script, ["error", () => ended(false)]);
  script.src = trusted()?.createScriptURL(url) ?? url;
  attach(script);
}

export function detach(script: HTMLScriptElement): void {
  quietly(() => apply(remove, script, []));
}

function attach(script: HTMLScriptElement): void {
  apply(appendChild, document.head ?? document.documentElement, [script]);
}
