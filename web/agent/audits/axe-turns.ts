// axe-core runs every rule on every element in one go. Its rules call back when
// they are done, so each piece of their work can wait for its turn: the same
// rules give the same results, but the page's main thread is given back between
// them. This rests on names inside the pinned version; where they are missing
// the library runs as it is.

import { Slice } from "./slice";

type Work = () => void;

/** Pieces of work, first come, first served, in slices. */
class Turns {
  private readonly waiting: Work[] = [];
  private next = 0;
  private running = false;

  add(work: Work): void {
    this.waiting.push(work);
    if (!this.running) void this.run();
  }

  private async run(): Promise<void> {
    this.running = true;
    const slice = new Slice();
    await slice.yield();
    for (let work = this.take(); work !== undefined; work = this.take()) {
      if (slice.due()) await slice.yield();
      work();
    }
    this.running = false;
  }

  private take(): Work | undefined {
    const work = this.waiting[this.next];
    if (work === undefined) {
      this.waiting.length = 0;
      this.next = 0;
      return undefined;
    }
    this.next++;
    return work;
  }
}

/** Makes the rules of this axe wait for their turns. Says whether it could. */
export function takeTurns(axe: object): boolean {
  const audit: unknown = Reflect.get(axe, "_audit");
  const rules: unknown = typeof audit === "object" && audit !== null ? Reflect.get(audit, "rules") : undefined;
  if (!Array.isArray(rules)) return false;
  const turns = new Turns();
  for (const rule of rules) {
    if (typeof rule !== "object" || rule === null) return false;
    for (const name of ["run", "runChecks"]) wait(rule, name, turns);
  }
  return rules.length > 0;
}

/** The method's last argument takes its failure; what it throws goes there. */
function wait(rule: object, name: string, turns: Turns): void {
  const method: unknown = Reflect.get(rule, name);
  if (typeof method !== "function") return;
  const later = (...args: unknown[]): void => {
    turns.add(() => {
      try {
        Reflect.apply(method, rule, args);
      } catch (error) {
        const failed: unknown = args[args.length - 1];
        if (typeof failed === "function") Reflect.apply(failed, undefined, [error]);
      }
    });
  };
  Reflect.set(rule, name, later);
}
