// Replacing a method so that the page cannot tell.
//
// The replacement is a Proxy around the native function, not a function of our
// own: name, length, prototype, own keys, expandos and the refusal to be
// constructed all remain the native function's, and a pristine
// Function.prototype.toString from another realm still reads "[native code]".
// Only the text that this realm's Function.prototype.toString gives for a
// Proxy lacks the name, so that one method is replaced too.

import { agentURL, apply, construct, defineProperty, descriptorOf, isCallable, isObject, NativeError, ownWeakMap } from "./native";
import type { Callable, Undo } from "./native";

/** Stands in for a call of the native function; it must call it exactly once, with what it was given. */
export type Trap = (native: Callable, self: unknown, args: unknown[]) => unknown;

const natives = ownWeakMap<object, Callable>();

/** The native function behind a replacement, or the value itself. */
export function unmask(value: unknown): unknown {
  return (isObject(value) ? natives.get(value) : undefined) ?? value;
}

/**
 * Puts a trap before the method `key` of `owner`, keeping its place and its
 * property attributes. The undo takes it away again, unless the page has
 * replaced it meanwhile. Where the property cannot be replaced, nothing happens.
 * While `wanted` says no, a call goes to the native method without any frame of
 * ours on the stack: the browser names the file on top of it in its reports.
 */
export function replaceMethod(owner: object, key: string, trap: Trap, wanted?: () => boolean): Undo {
  const before = descriptorOf(owner, key);
  const native: unknown = before?.value;
  if (before === undefined || !isCallable(native)) return () => {};
  // No prototype: a page that sets Object.prototype.get must not thereby install a trap here.
  const handler: ProxyHandler<Callable> & { __proto__: null } = { __proto__: null, apply: trap };
  if (wanted !== undefined) defineProperty(handler, "apply", { get: () => (wanted() ? trap : undefined) });
  const mask = new Proxy(native, handler);
  natives.set(mask, native);
  if (!defineProperty(owner, key, { ...before, value: mask })) return () => {};
  return () => {
    if (descriptorOf(owner, key)?.value === mask) defineProperty(owner, key, before);
  };
}

/**
 * Puts `rewrite` before the arguments of the constructor `key` of `owner`. What
 * is constructed, also by a subclass, is the native constructor's own.
 */
export function replaceConstructor(owner: object, key: string, rewrite: (args: unknown[]) => unknown[]): Undo {
  const before = descriptorOf(owner, key);
  const native: unknown = before?.value;
  if (before === undefined || !isCallable(native)) return () => {};
  const prototype: unknown = descriptorOf(native, "prototype")?.value;
  const link = isObject(prototype) ? descriptorOf(prototype, "constructor") : undefined;
  const handler: ProxyHandler<Callable> & { __proto__: null } = {
    __proto__: null,
    construct(_target, args: unknown[], newTarget) {
      try {
        return construct(native, rewrite(args), newTarget === mask ? native : newTarget);
      } catch (error) {
        throw cleaned(error);
      }
    },
    apply(_target, self, args: unknown[]) {
      try {
        return apply(native, self, args);
      } catch (error) {
        throw cleaned(error);
      }
    },
  };
  const mask: Callable = new Proxy(native, handler);
  natives.set(mask, native);
  if (!defineProperty(owner, key, { ...before, value: mask })) return () => {};
  if (isObject(prototype) && link?.value === native) defineProperty(prototype, "constructor", { ...link, value: mask });
  return () => {
    if (descriptorOf(owner, key)?.value === mask) defineProperty(owner, key, before);
    if (isObject(prototype) && link !== undefined) defineProperty(prototype, "constructor", link);
  };
}

/** Makes Function.prototype.toString give the native text for every replaced method, itself included. */
export function maskToString(): Undo {
  return replaceMethod(Function.prototype, "toString", (native, self, args) => {
    try {
      return apply(native, unmask(self), args);
    } catch (error) {
      throw cleaned(error);
    }
  });
}

/**
 * Takes the agent's own lines out of the stack of an error that a native
 * function threw (or rejected with) while called from a trap, and returns the
 * same error. Errors that do not mention the agent are not touched, nor is
 * anything when the page formats stacks itself.
 */
export function cleaned(error: unknown): unknown {
  try {
    if (agentURL === "" || !isObject(error) || NativeError.prepareStackTrace !== undefined) return error;
    const at = descriptorOf(error, "stack");
    if (at === undefined || at.configurable !== true) return error;
    const stack: unknown = "value" in at ? at.value : at.get && apply(at.get, error, []);
    if (typeof stack !== "string" || stack.indexOf(agentURL) < 0) return error;
    const text = withoutAgent(stack);
    if ("value" in at) defineProperty(error, "stack", { ...at, value: text });
    else if (at.set) apply(at.set, error, [text]);
  } catch {
    // The error stays as it is.
  }
  return error;
}

/** A stack's text without the lines of the agent's own script. */
export function withoutAgent(stack: string): string {
  if (agentURL === "" || stack.indexOf(agentURL) < 0) return stack;
  let kept = "";
  let from = 0;
  while (from <= stack.length) {
    const end = stack.indexOf("\n", from);
    const line = end < 0 ? stack.slice(from) : stack.slice(from, end);
    if (line.indexOf(agentURL) < 0) kept += (kept === "" ? "" : "\n") + line;
    from = end < 0 ? stack.length + 1 : end + 1;
  }
  return kept;
}
