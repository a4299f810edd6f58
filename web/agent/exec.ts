// Running code that the server sends, without eval.
//
// The server sends the code in several forms: as an expression, as statements
// whose last one is returned, as plain statements. Each is a whole classic
// script that runs nothing but hands an async function to the script element
// it stands in. A form that does not parse hands nothing over, so trying the
// next one can never run the code twice.
//
// The element carries the page's nonce and, where the page asks for Trusted
// Types, text from the policy "oriel". It is in the document only while the
// browser compiles it. Where inline scripts do not run at all, the same forms
// come as files.

import { apply, isCallable, isObject, quietly } from "./native";
import type { Callable } from "./native";
import { detach, runFile, runText, scriptElement } from "./script";
import { encode } from "./encode";
import { inWords, write } from "./values";
import type { ExecFailure, ExecRequest, ExecValue } from "./wire";

interface Fault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** What became of one form. */
type Compiled =
  | { readonly kind: "ready"; readonly run: () => unknown }
  | { readonly kind: "fault"; readonly fault: Fault }
  | { readonly kind: "blocked" };

/** The property of the script element under which a form finds where to hand its function. */
export const hook = "o";

/** Made for the first exec. */
export class Runner {
  private expected: Fault[] | null = null;
  private violations = 0;
  private readonly nonce: string;

  constructor(nonce: string) {
    this.nonce = nonce;
  }

  /**
   * Whether an error or a violation is of code that is being compiled here. Then neither the page nor the browser's
   * console hears of it; it must be asked before any listener of the page.
   */
  owns(event: Event): boolean {
    const own = event.type === "error" ? this.isFault(event) : this.isViolation(event);
    if (own) {
      event.stopImmediatePropagation();
      event.preventDefault();
    }
    return own;
  }

  /** Runs the request and returns the frames to send back. */
  async run(request: ExecRequest): Promise<string[]> {
    let last: Compiled = { kind: "blocked" };
    let form = 0;
    for (; form < request.forms.length; form++) {
      const source = request.forms[form] ?? "";
      last = request.files === true ? await this.fromFile(source) : this.inline(source);
      if (last.kind !== "fault") break;
    }
    switch (last.kind) {
      case "ready":
        return settle(request, last.run, form);
      case "blocked":
        return [encode(failure(request.id, "blocked", "Error", "the page runs no such script"))];
      case "fault":
        return [encode({ ...failure(request.id, "syntax", "SyntaxError", last.fault.message), ...place(last.fault), form: form - 1 })];
    }
  }

  private inline(source: string): Compiled {
    const slot: { run?: Callable } = {};
    const script = this.element(slot);
    const faults: Fault[] = [];
    this.expected = faults;
    try {
      runText(script, source);
    } catch {
      return { kind: "blocked" };
    } finally {
      this.expected = null;
      detach(script);
    }
    const result = outcome(slot.run, faults);
    if (result.kind === "blocked") this.violations++;
    return result;
  }

  private fromFile(url: string): Promise<Compiled> {
    return new Promise((done) => {
      const slot: { run?: Callable } = {};
      const script = this.element(slot);
      const faults: Fault[] = [];
      const finish = (): void => {
        this.expected = null;
        detach(script);
        done(outcome(slot.run, faults));
      };
      this.expected = faults;
      try {
        runFile(script, url, finish);
      } catch {
        finish();
      }
    });
  }

  private element(slot: { run?: Callable }): HTMLScriptElement {
    const made = scriptElement(this.nonce);
    Object.defineProperty(made, hook, {
      value: (run: unknown) => {
        if (isCallable(run)) slot.run = run;
      },
    });
    return made;
  }

  private isFault(event: Event): boolean {
    if (this.expected === null || !(event instanceof ErrorEvent)) return false;
    if (!isExec(event.filename) && !isSyntaxError(event.error)) return false;
    this.expected[this.expected.length] = { message: event.message, line: event.lineno, column: event.colno };
    return true;
  }

  /** Our own blocked script is not the page's violation. */
  private isViolation(event: Event): boolean {
    if (this.violations === 0 || !(event instanceof SecurityPolicyViolationEvent) || event.blockedURI !== "inline") return false;
    this.violations--;
    return true;
  }
}

function isExec(filename: string): boolean {
  return filename.indexOf("oriel-exec") >= 0 || filename.indexOf("/__devtool/x/") >= 0;
}

function isSyntaxError(error: unknown): boolean {
  return error instanceof SyntaxError;
}

function outcome(run: Callable | undefined, faults: readonly Fault[]): Compiled {
  if (run !== undefined) return { kind: "ready", run: () => apply(run, undefined, []) };
  const fault = faults[0];
  return fault === undefined ? { kind: "blocked" } : { kind: "fault", fault };
}

async function settle(request: ExecRequest, run: () => unknown, form: number): Promise<string[]> {
  try {
    return valueFrames(request, await run());
  } catch (error) {
    return [encode({ ...describe(request.id, error), form })];
  }
}

/** Most characters of a value in one frame. */
export const partLength = 1 << 15;

function valueFrames(request: ExecRequest, value: unknown): string[] {
  const { json, type, exact, cut } = write(value, request.limit);
  const parts: string[] = [];
  let from = 0;
  while (json.length - from > partLength) {
    let to = from + partLength;
    const last = json.charCodeAt(to - 1);
    if (last >= 0xd800 && last < 0xdc00) to--; // both halves of a character in one frame
    parts[parts.length] = json.slice(from, to);
    from = to;
  }
  parts[parts.length] = from === 0 ? json : json.slice(from);
  const head: ExecValue = { t: "result", id: request.id, ok: true, type, exact, parts: parts.length - 1, ...(cut === null ? {} : { cut }) };
  parts[0] = `${encode(head)}\n${parts[0]}`;
  return parts;
}

function place(fault: Fault): { line: number; column: number } {
  return { line: fault.line, column: fault.column };
}

function failure(id: number, why: ExecFailure["why"], name: string, message: string): ExecFailure {
  return { t: "result", id, ok: false, why, name, message };
}

function describe(id: number, error: unknown): ExecFailure {
  const part = (key: string): unknown => quietly(() => (isObject(error) ? Reflect.get(error, key) : undefined));
  const name = part("name");
  const message = part("message");
  const stack = part("stack");
  if (typeof message !== "string") return failure(id, "threw", "", inWords(error));
  const found = failure(id, "threw", typeof name === "string" ? name : "Error", message);
  return typeof stack === "string" ? { ...found, stack } : found;
}
