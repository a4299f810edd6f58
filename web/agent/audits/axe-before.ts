// Must be imported before axe-core: what that library would find and leave on
// the window while it loads is put aside here, and put back by `restore`.

/** Module loaders of the page would take the library for theirs; its name may be a library of the page's own. */
const NAMES = ["axe", "define", "doT", "__core-js_shared__"];

const held = NAMES.map((name) => ({ name, before: Reflect.getOwnPropertyDescriptor(window, name) }));

for (const { name, before } of held) {
  if (before === undefined) continue;
  if (before.configurable === true) Reflect.deleteProperty(window, name);
  else Reflect.set(window, name, undefined);
}

/** The window's names as they were before. */
export function restore(): void {
  for (const { name, before } of held) {
    if (before === undefined) Reflect.deleteProperty(window, name);
    else if (before.configurable === true) Reflect.defineProperty(window, name, before);
    else Reflect.set(window, name, before.value);
  }
}
