// What the security audit knows about a page: plain values, elements by number.

import type { SeenCookie } from "../input";
import type { Where } from "../where";
import type { SecretKind } from "./secrets";

/** A third party's or the page's own `<script src>`. */
export interface ScriptFact {
  readonly ref: number;
  readonly url: string;
  readonly integrity: boolean;
}

/** Something the page loads over plain http. */
export interface InsecureFact {
  readonly ref: number;
  readonly url: string;
  /** Can change the page: script, style, frame. */
  readonly active: boolean;
}

export interface FormFact {
  readonly ref: number;
  /** As it is written; undefined when it is not. */
  readonly action: string | undefined;
  readonly method: string;
  readonly password: boolean;
}

export interface SecretFact {
  readonly kind: SecretKind;
  /** Its first four characters; the rest never leaves the page. */
  readonly start: string;
  readonly where: "script" | "attribute" | "comment" | "localStorage" | "sessionStorage";
  /** The storage's key, or nothing. */
  readonly key: string;
  readonly ref?: number;
}

export interface LibraryFact {
  readonly name: string;
  readonly version: string;
}

export interface SecurityFacts {
  readonly where: Where;
  /** Undefined when nobody told what the server sent. */
  readonly headers: readonly (readonly [name: string, value: string])[] | undefined;
  readonly cookies: readonly SeenCookie[];
  /** Names of cookies that scripts can read and that no answer was seen to set. */
  readonly strayCookies: readonly string[];
  /** `<meta http-equiv="Content-Security-Policy">`. */
  readonly metaPolicies: readonly string[];
  /** `<meta name="referrer">`. */
  readonly metaReferrer: string;
  readonly scripts: readonly ScriptFact[];
  readonly insecure: readonly InsecureFact[];
  readonly forms: readonly FormFact[];
  /** Password fields, and those among them that ask not to be filled in. */
  readonly passwords: readonly number[];
  readonly passwordsOff: readonly number[];
  /** Links that hand their opener to another site. */
  readonly openers: readonly number[];
  /** Elements with `on…` attributes or `javascript:` addresses. */
  readonly handlers: readonly number[];
  /** Frames whose sandbox can be taken off from inside. */
  readonly voidSandboxes: readonly number[];
  readonly secrets: readonly SecretFact[];
  readonly libraries: readonly LibraryFact[];
}
