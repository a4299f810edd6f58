// Content-Security-Policy: what a page's policies forbid together. A browser
// enforces all of them, so a hole is one only where every policy has it.

export type Directives = ReadonlyMap<string, readonly string[]>;

/** The policies of some header lines or meta elements; a comma separates two in one line. */
export function parsePolicies(lines: readonly string[]): Directives[] {
  const out: Directives[] = [];
  for (const line of lines) {
    for (const text of line.split(",")) {
      const directives = parsePolicy(text);
      if (directives.size > 0) out.push(directives);
    }
  }
  return out;
}

function parsePolicy(text: string): Directives {
  const out = new Map<string, readonly string[]>();
  for (const part of text.split(";")) {
    const [name, ...sources] = part.trim().split(/\s+/);
    if (name === undefined || name === "") continue;
    const key = name.toLowerCase();
    // The first of two wins, as in browsers.
    if (!out.has(key)) out.set(key, sources);
  }
  return out;
}

function sourcesOf(policy: Directives, ...names: readonly string[]): readonly string[] | undefined {
  for (const name of [...names, "default-src"]) {
    const sources = policy.get(name);
    if (sources !== undefined) return sources;
  }
  return undefined;
}

const lower = (sources: readonly string[]): string[] => sources.map((source) => source.toLowerCase());

/** A nonce, a hash or strict-dynamic makes browsers ignore 'unsafe-inline'. */
function guarded(sources: readonly string[]): boolean {
  return sources.some((source) => /^'(?:nonce-|sha(?:256|384|512)-|strict-dynamic)/i.test(source));
}

/** Inline scripts of anybody run. */
export function allowsInline(policy: Directives): boolean {
  const sources = sourcesOf(policy, "script-src-elem", "script-src");
  if (sources === undefined) return true;
  return lower(sources).includes("'unsafe-inline'") && !guarded(sources);
}

/** Inline scripts run because the policy says so, not because it says nothing. */
export function saysInline(policy: Directives): boolean {
  return sourcesOf(policy, "script-src-elem", "script-src") !== undefined && allowsInline(policy);
}

export function allowsHandlers(policy: Directives): boolean {
  const sources = sourcesOf(policy, "script-src-attr", "script-src");
  if (sources === undefined) return true;
  return lower(sources).includes("'unsafe-inline'") && !guarded(sources);
}

export function allowsEval(policy: Directives): boolean {
  const sources = sourcesOf(policy, "script-src");
  return sources === undefined || lower(sources).includes("'unsafe-eval'");
}

/** Scripts of any site run. strict-dynamic turns host sources off. */
export function allowsAnySite(policy: Directives): boolean {
  const sources = sourcesOf(policy, "script-src-elem", "script-src");
  if (sources === undefined) return true;
  const all = lower(sources);
  if (all.includes("'strict-dynamic'")) return false;
  return all.some((source) => ["*", "http:", "https:", "data:", "http://*", "https://*"].includes(source));
}

/** Whether it says anything about scripts at all. */
export function coversScripts(policy: Directives): boolean {
  return sourcesOf(policy, "script-src-elem", "script-src") !== undefined;
}

export function coversObjects(policy: Directives): boolean {
  return sourcesOf(policy, "object-src") !== undefined;
}

export function coversBase(policy: Directives): boolean {
  return policy.has("base-uri");
}

export function coversFraming(policy: Directives): boolean {
  return policy.has("frame-ancestors");
}

/** Directives that browsers ignore in a meta element. */
export function ignoredInMeta(policy: Directives): string[] {
  return ["frame-ancestors", "report-uri", "sandbox"].filter((name) => policy.has(name));
}
