// The few parts of Node that the tests use. The full Node typings would put
// Node's globals (timers, fetch, process) beside the browser's in every source
// of the agent, where they are not.

declare module "node:test" {
  export interface TestContext {
    readonly name: string;
    test(name: string, fn: (t: TestContext) => void | Promise<void>): Promise<void>;
    diagnostic(message: string): void;
    after(fn: () => void | Promise<void>): void;
  }
  type Body = (t: TestContext) => void | Promise<void>;
  export function test(name: string, fn: Body): Promise<void>;
  export function describe(name: string, fn: () => void): void;
  export function it(name: string, fn: Body): void;
  export function before(fn: () => void | Promise<void>): void;
  export function after(fn: () => void | Promise<void>): void;
  export function beforeEach(fn: () => void | Promise<void>): void;
  export function afterEach(fn: () => void | Promise<void>): void;
  export default test;
}

declare module "node:assert/strict" {
  interface Assert {
    (value: unknown, message?: string): asserts value;
    ok(value: unknown, message?: string): asserts value;
    equal<T>(actual: unknown, expected: T, message?: string): asserts actual is T;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    deepEqual<T>(actual: unknown, expected: T, message?: string): asserts actual is T;
    notDeepEqual(actual: unknown, expected: unknown, message?: string): void;
    match(value: string, pattern: RegExp, message?: string): void;
    doesNotMatch(value: string, pattern: RegExp, message?: string): void;
    throws(fn: () => unknown, expected?: RegExp | object | (new (...args: never[]) => Error), message?: string): void;
    doesNotThrow(fn: () => unknown, message?: string): void;
    rejects(promise: Promise<unknown> | (() => Promise<unknown>), expected?: RegExp | object): Promise<void>;
    fail(message?: string): never;
  }
  const assert: Assert;
  export default assert;
}

declare module "node:fs" {
  export function readFileSync(path: string | URL, encoding: "utf8"): string;
  export function readdirSync(path: string | URL): string[];
  export function existsSync(path: string | URL): boolean;
}

declare module "node:path" {
  export function join(...parts: string[]): string;
  export function resolve(...parts: string[]): string;
}

declare module "node:process" {
  export const env: Readonly<Record<string, string | undefined>>;
  export function cwd(): string;
}
