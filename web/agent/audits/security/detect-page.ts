// What is in the page itself.

import type { Fault } from "../fault";
import type { Severity } from "../types";
import { isLocalHost, resolve } from "../where";
import type { Where } from "../where";
import { enforced } from "./detect-headers";
import type { SecretFact, SecurityFacts } from "./facts";
import { holeOf } from "./libraries";
import { allowsHandlers } from "./policy";
import type { Rule } from "./rules";
import { HANDLERS_MIN } from "./thresholds";

type Found = Fault<Rule>[];

export function detectPage(facts: SecurityFacts): Found {
  return [...secrets(facts), ...passwords(facts), ...insecure(facts), ...forms(facts), ...libraries(facts), ...scripts(facts), ...markup(facts)];
}

/** Public by design, or somebody's own in their own browser; the rest opens a door for everybody. */
function secretSeverity(secret: SecretFact): Severity {
  if (secret.kind === "Google API key") return "info";
  return secret.kind === "JSON Web Token" ? "warning" : "critical";
}

function secrets(facts: SecurityFacts): Found {
  return facts.secrets.map((secret) => ({
    rule: "secret-in-page",
    severity: secretSeverity(secret),
    name: secret.kind,
    other: `${secret.start}\n${secret.where}\n${secret.key}`,
    key: `${secret.kind} ${secret.start} ${secret.where} ${secret.key}`,
    ...(secret.ref === undefined ? {} : { refs: [secret.ref] }),
  }));
}

function passwords(facts: SecurityFacts): Found {
  const found: Found = [];
  if (facts.passwords.length > 0 && !facts.where.https && !facts.where.local) {
    found.push({ rule: "password-over-http", severity: "critical", refs: facts.passwords });
  }
  if (facts.passwordsOff.length > 0) found.push({ rule: "password-autocomplete-off", severity: "info", refs: facts.passwordsOff });
  return found;
}

/** Over https browsers block or upgrade it now; on a developer's machine they will once it is deployed. A deployed page over http has no safe part to mix with. */
function insecure(facts: SecurityFacts): Found {
  if (!facts.where.https && !facts.where.local) return [];
  const remote = facts.insecure.filter((item) => isRemote(item.url, facts.where));
  const active = remote.filter((item) => item.active);
  const passive = remote.filter((item) => !item.active);
  const found: Found = [];
  const add = (severity: Severity, items: typeof remote): void => {
    const [first] = items;
    if (first !== undefined) found.push({ rule: "mixed-content", severity, refs: items.map((item) => item.ref), name: first.url, key: items === active ? "active" : "passive" });
  };
  add(facts.where.https ? "critical" : "info", active);
  add(facts.where.https ? "warning" : "info", passive);
  return found;
}

function isRemote(url: string, where: Where): boolean {
  const at = resolve(url, where.url);
  return at !== undefined && at.protocol === "http:" && !isLocalHost(at.hostname) && !where.origins.includes(at.origin);
}

function forms(facts: SecurityFacts): Found {
  const found: Found = [];
  const safe = facts.where.https || facts.where.local;
  const plain = facts.forms.filter((form) => form.action !== undefined && safe && (form.method === "post" || form.password) && isRemote(form.action, facts.where));
  if (plain.length > 0) found.push({ rule: "form-insecure-action", severity: "warning", refs: plain.map((form) => form.ref), name: plain[0]?.action ?? "" });
  // A form without an address of its own is sent by a script, whatever its method says.
  const inAddress = facts.forms.filter((form) => form.password && form.method === "get" && form.action !== undefined && !/^\s*(?:#|javascript:|$)/i.test(form.action));
  if (inAddress.length > 0) found.push({ rule: "form-password-get", severity: "warning", refs: inAddress.map((form) => form.ref) });
  return found;
}

function libraries(facts: SecurityFacts): Found {
  const found: Found = [];
  for (const library of facts.libraries) {
    const hole = holeOf(library);
    if (hole === undefined) continue;
    found.push({
      rule: "vulnerable-library",
      severity: hole.serious ? "warning" : "info",
      name: `${library.name} ${library.version}`,
      other: `${hole.what}\n${hole.fixed ?? ""}`,
      key: library.name,
    });
  }
  return found;
}

/** Hosts that serve packages by name and version: the same address is the same file, so a hash can be given. */
const PACKAGE_HOSTS = /^(?:cdn\.jsdelivr\.net|unpkg\.com|cdnjs\.cloudflare\.com|code\.jquery\.com|ajax\.googleapis\.com|ajax\.aspnetcdn\.com|stackpath\.bootstrapcdn\.com|maxcdn\.bootstrapcdn\.com|netdna\.bootstrapcdn\.com|cdn\.bootcss\.com|cdn\.datatables\.net|esm\.sh|use\.fontawesome\.com|cdn\.skypack\.dev)$/;

/** A whole version: `@1.2.3`, `/1.2.3/`, `-1.2.3.`. */
const VERSION = /[@/-]v?\d+\.\d+\.\d+(?=[^\d]|$)/;

function scripts(facts: SecurityFacts): Found {
  const found: Found = [];
  const packages = facts.scripts.filter((script) => !script.integrity && PACKAGE_HOSTS.test(resolve(script.url, facts.where.url)?.hostname ?? ""));
  const pinned = packages.filter((script) => VERSION.test(script.url));
  const loose = packages.filter((script) => !VERSION.test(script.url));
  if (pinned.length > 0) found.push({ rule: "script-no-integrity", severity: "warning", refs: pinned.map((script) => script.ref), name: pinned[0]?.url ?? "" });
  if (loose.length > 0) found.push({ rule: "script-unpinned", severity: "info", refs: loose.map((script) => script.ref), name: loose[0]?.url ?? "" });
  return found;
}

function markup(facts: SecurityFacts): Found {
  const found: Found = [];
  if (facts.voidSandboxes.length > 0) found.push({ rule: "sandbox-void", severity: "warning", refs: facts.voidSandboxes });
  if (facts.openers.length > 0) found.push({ rule: "blank-opener", severity: "info", refs: facts.openers });
  const blocked = enforced(facts).some((policy) => !allowsHandlers(policy));
  if (facts.handlers.length > 0 && blocked) found.push({ rule: "inline-handlers", severity: "warning", refs: facts.handlers });
  else if (facts.handlers.length >= HANDLERS_MIN) found.push({ rule: "inline-handlers", severity: "info", refs: facts.handlers });
  return found;
}
