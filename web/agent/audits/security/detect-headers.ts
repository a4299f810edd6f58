// What the server said with the page: policies and headers.

import type { Fault } from "../fault";
import type { SecurityFacts } from "./facts";
import { allowsAnySite, allowsEval, coversBase, coversFraming, coversObjects, coversScripts, ignoredInMeta, parsePolicies, saysInline } from "./policy";
import type { Directives } from "./policy";
import type { Rule } from "./rules";
import { HSTS_MIN_DAYS } from "./thresholds";

type Found = Fault<Rule>[];

/** The values of one header, in order. */
function values(facts: SecurityFacts, name: string): string[] {
  return (facts.headers ?? []).filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
}

/** Every policy the browser enforces. */
export function enforced(facts: SecurityFacts): Directives[] {
  return parsePolicies([...values(facts, "content-security-policy"), ...facts.metaPolicies]);
}

export function detectHeaders(facts: SecurityFacts): Found {
  const found: Found = [...policyFaults(facts)];
  if (facts.headers === undefined) return [...found, ...referrer(facts), { rule: "headers-not-seen", severity: "info" }];
  const absent: string[] = [];
  found.push(...missingPolicy(facts, absent), ...framing(facts, absent), ...sniffing(facts, absent), ...transport(facts, absent), ...referrer(facts), ...banner(facts));
  if (!facts.where.local && values(facts, "permissions-policy").length === 0) found.push({ rule: "permissions-policy", severity: "info" });
  if (absent.length > 0) found.push({ rule: "production-headers", severity: "info", name: absent.join(", ") });
  return found;
}

/** What is missing on a developer's machine is collected in one note. */
function missingPolicy(facts: SecurityFacts, absent: string[]): Found {
  if (enforced(facts).length > 0) return [];
  if (parsePolicies(values(facts, "content-security-policy-report-only")).length > 0) {
    return [{ rule: "csp-report-only", severity: facts.where.local ? "info" : "warning" }];
  }
  if (!facts.where.local) return [{ rule: "csp-missing", severity: "warning" }];
  absent.push("Content-Security-Policy");
  return [];
}

function framing(facts: SecurityFacts, absent: string[]): Found {
  // Only a header's frame-ancestors counts.
  if (parsePolicies(values(facts, "content-security-policy")).some(coversFraming)) return [];
  const [option] = values(facts, "x-frame-options");
  if (option !== undefined) {
    const works = /^(?:deny|sameorigin)(?:\s*,\s*(?:deny|sameorigin))*$/i.test(option.trim());
    return works ? [] : [{ rule: "frame-options-invalid", severity: "warning", name: option }];
  }
  if (!facts.where.local) return [{ rule: "clickjacking", severity: "warning" }];
  absent.push("X-Frame-Options");
  return [];
}

function sniffing(facts: SecurityFacts, absent: string[]): Found {
  const [option] = values(facts, "x-content-type-options");
  if (option !== undefined && /^\s*nosniff\b/i.test(option)) return [];
  if (option !== undefined || !facts.where.local) return [{ rule: "content-type-sniffing", severity: "warning", name: option ?? "" }];
  absent.push("X-Content-Type-Options");
  return [];
}

function transport(facts: SecurityFacts, absent: string[]): Found {
  if (facts.where.local) {
    if (values(facts, "strict-transport-security").length === 0) absent.push("Strict-Transport-Security");
    return [];
  }
  if (!facts.where.https) return [];
  const [header] = values(facts, "strict-transport-security");
  const seconds = /max-age\s*=\s*"?(\d+)/i.exec(header ?? "")?.[1];
  if (seconds === undefined || Number(seconds) === 0) return [{ rule: "hsts-missing", severity: "warning" }];
  const days = Math.floor(Number(seconds) / 86_400);
  return days < HSTS_MIN_DAYS ? [{ rule: "hsts-short", severity: "info", amount: days }] : [];
}

/** Browsers' default is a good one; only a policy that gives more away is a fault. The last one that is known counts. */
function referrer(facts: SecurityFacts): Found {
  const said = [...values(facts, "referrer-policy").flatMap((value) => value.split(",")), facts.metaReferrer];
  const policy = said.map((value) => value.trim().toLowerCase()).filter((value) => KNOWN_REFERRER.test(value)).pop();
  const leaks = policy === "unsafe-url" || policy === "no-referrer-when-downgrade" || policy === "always";
  return leaks ? [{ rule: "referrer-leak", severity: "warning", name: policy }] : [];
}

const KNOWN_REFERRER = /^(?:no-referrer|no-referrer-when-downgrade|same-origin|origin|strict-origin|origin-when-cross-origin|strict-origin-when-cross-origin|unsafe-url|always|never|default)$/;

function banner(facts: SecurityFacts): Found {
  if (facts.where.local) return [];
  for (const name of ["server", "x-powered-by", "x-aspnet-version"]) {
    const told = values(facts, name).find((value) => /\d+\.\d+/.test(value));
    if (told !== undefined) return [{ rule: "version-banner", severity: "info", name, other: told }];
  }
  return [];
}

/** What a policy leaves open. On a developer's machine it may be open for the dev server's sake. */
function policyFaults(facts: SecurityFacts): Found {
  const policies = enforced(facts);
  const scripts = policies.filter(coversScripts);
  const found: Found = [];
  const severity = facts.where.local ? "info" : "warning";
  if (scripts.length > 0) {
    if (scripts.every(saysInline)) found.push({ rule: "csp-unsafe-inline", severity });
    if (scripts.every(allowsEval)) found.push({ rule: "csp-unsafe-eval", severity });
    if (scripts.every(allowsAnySite)) found.push({ rule: "csp-any-site", severity });
    const gaps = [
      ...(policies.some(coversObjects) ? [] : ["object-src"]),
      ...(policies.some(coversBase) ? [] : ["base-uri"]),
    ];
    if (gaps.length > 0) found.push({ rule: "csp-gaps", severity: "info", name: gaps.join(" and ") });
  }
  const ignored = [...new Set(parsePolicies(facts.metaPolicies).flatMap(ignoredInMeta))];
  if (ignored.length > 0) found.push({ rule: "csp-meta-ignored", severity: "warning", name: ignored.join(", ") });
  return found;
}
