// Strings that have the shape of a key. Shapes only: who gave it, never what
// it opens. Made to be wrong rarely; a random string without a known prefix is
// not looked for.

export type SecretKind =
  | "AWS access key"
  | "Stripe secret key"
  | "GitHub token"
  | "Slack token"
  | "SendGrid key"
  | "npm token"
  | "GitLab token"
  | "OpenAI key"
  | "Anthropic key"
  | "private key"
  | "service key"
  | "JSON Web Token"
  | "Google API key";

/** A key in some text. */
export interface Secret {
  readonly kind: SecretKind;
  readonly text: string;
}

interface Shape {
  readonly kind: SecretKind;
  readonly form: RegExp;
  /** More than the shape, where the shape alone is too common. */
  readonly holds?: (text: string) => boolean;
}

const AFTER = "(?![A-Za-z0-9_-])";

const SHAPES: readonly Shape[] = [
  { kind: "AWS access key", form: /(?<![A-Za-z0-9/+=])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9/+=])/g, holds: mixed },
  { kind: "Stripe secret key", form: new RegExp(`(?<![A-Za-z0-9_])[sr]k_(?:live|test)_[A-Za-z0-9]{16,}${AFTER}`, "g"), holds: mixed },
  { kind: "GitHub token", form: new RegExp(`(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})${AFTER}`, "g"), holds: mixed },
  { kind: "GitLab token", form: new RegExp(`(?<![A-Za-z0-9_])glpat-[A-Za-z0-9_-]{20,}${AFTER}`, "g"), holds: mixed },
  { kind: "Slack token", form: new RegExp(`(?<![A-Za-z0-9_])xox[abprs]-\\d{8,}-[A-Za-z0-9-]{10,}${AFTER}`, "g") },
  { kind: "SendGrid key", form: new RegExp(`(?<![A-Za-z0-9_])SG\\.[\\w-]{22}\\.[\\w-]{43}${AFTER}`, "g"), holds: mixed },
  { kind: "npm token", form: new RegExp(`(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{36}${AFTER}`, "g"), holds: mixed },
  { kind: "Anthropic key", form: new RegExp(`(?<![A-Za-z0-9_-])sk-ant-[A-Za-z0-9_-]{32,}${AFTER}`, "g"), holds: mixed },
  { kind: "OpenAI key", form: new RegExp(`(?<![A-Za-z0-9_-])sk-(?:proj-[A-Za-z0-9_-]{32,}|[A-Za-z0-9]{40,})${AFTER}`, "g"), holds: mixed },
  { kind: "private key", form: /-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED )?PRIVATE KEY-----(?:\\n|\s)+[A-Za-z0-9+/]{40}/g },
  { kind: "JSON Web Token", form: new RegExp(`(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{16,}${AFTER}`, "g") },
  { kind: "Google API key", form: new RegExp(`(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}${AFTER}`, "g"), holds: mixed },
];

/** A cheap look before the regular expressions: most texts hold none of these. */
const HINT = /AKIA|ASIA|[sr]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|SG\.|npm_|sk-|PRIVATE KEY|eyJ|AIza/;

/** What documentation and placeholders say instead of a key. */
const PLACEHOLDER = /EXAMPLE|x{6}|X{6}|0{8}|1234567|abcdefg|your[-_]|(.)\1{7}/i;

/** Every key in a text. A public token is none: it says itself that it is anonymous. */
export function findSecrets(text: string): Secret[] {
  const out: Secret[] = [];
  if (!HINT.test(text)) return out;
  for (const { kind, form, holds } of SHAPES) {
    for (const [found] of text.matchAll(form)) {
      if (PLACEHOLDER.test(found) || holds?.(found) === false) continue;
      const named = kind === "JSON Web Token" ? tokenKind(found) : kind;
      if (named !== undefined) out.push({ kind: named, text: found });
    }
  }
  return out;
}

/** Letters and digits both: a word in capitals or a row of dashes is no key. */
function mixed(text: string): boolean {
  const tail = text.slice(8);
  return /\d/.test(tail) && /[A-Za-z]/.test(tail);
}

/** Hosted databases give out tokens that are made to be public; they name their role. */
function tokenKind(token: string): SecretKind | undefined {
  const head = claims(token.split(".")[0] ?? "");
  const body = claims(token.split(".")[1] ?? "");
  if (head === undefined || body === undefined || !/"alg"/.test(head)) return undefined;
  const role = /"role"\s*:\s*"([^"]*)"/.exec(body)?.[1];
  if (role === "anon") return undefined;
  return role === "service_role" ? "service key" : "JSON Web Token";
}

function claims(part: string): string | undefined {
  try {
    return atob(part.replace(/-/g, "+").replace(/_/g, "/"));
  } catch {
    return undefined;
  }
}
