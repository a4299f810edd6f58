import assert from "node:assert/strict";
import { test } from "node:test";
import { takeTurns } from "./axe-turns";

type Done = (result: unknown) => void;

interface Check {
  readonly result: boolean | undefined;
}

const node = (any: readonly Check[], all: readonly Check[] = [], none: readonly Check[] = []) => ({ any, all, none });

/** A rule as axe-core makes them: gathers, matches, checks each node, calls back. */
class Rule {
  readonly all: readonly unknown[] = [];
  readonly none: readonly unknown[] = [];
  readonly any: readonly unknown[];
  readonly _audit = { checks: { plain: {}, back: { after: () => {} } } };
  readonly log: string[];
  breaks: unknown = undefined;

  constructor(check: string, log: string[]) {
    this.any = [check];
    this.log = log;
  }

  gather(): unknown[] {
    return [1, 2, 3, 4, 5];
  }

  matches(_element: unknown, candidate: unknown): boolean {
    return candidate !== 2;
  }

  gatherAndMatchNodes(): unknown[] {
    this.log.push("gathered in one go");
    return [1, 3, 4, 5];
  }

  /** What the rule says of 1, 3 and 4; the others are not asked about. */
  runSync(): unknown {
    const said = new Map<unknown, unknown>([
      [1, node([{ result: false }])],
      [3, node([{ result: true }])],
      [4, node([], [{ result: true }], [{ result: true }])],
      [5, node([{ result: undefined }])],
    ]);
    const nodes = this.gatherAndMatchNodes();
    if (nodes.length > 0) this.log.push(`asked about ${nodes.join()}`);
    if (nodes.includes(this.breaks)) throw new Error("broken check");
    return { id: "rule", nodes: nodes.map((one) => said.get(one)) };
  }

  run(_context: unknown, _options: unknown, done: Done, failed: Done): void {
    try {
      done(this.runSync());
    } catch (error) {
      failed(error);
    }
  }
}

function run(rule: Rule): Promise<unknown> {
  return new Promise((done, failed) => rule.run({}, {}, done, failed));
}

test("a rule matches its nodes beforehand, is asked about one at a time, and lets go of those that pass", async () => {
  const log: string[] = [];
  const rule = new Rule("plain", log);
  assert(takeTurns({ _audit: { rules: [rule] } }));
  const result = run(rule);
  assert.deepEqual(log, [], "nothing runs before its turn");
  assert.deepEqual(await result, { id: "rule", nodes: [node([{ result: false }]), node([], [{ result: true }], [{ result: true }]), node([{ result: undefined }])] });
  assert.deepEqual(log, ["asked about 1", "asked about 3", "asked about 4", "asked about 5"]);
});

test("a rule that compares its nodes in the end keeps them all", async () => {
  const rule = new Rule("back", []);
  takeTurns({ _audit: { rules: [rule] } });
  const result = JSON.parse(JSON.stringify(await run(rule)));
  assert.equal(result.nodes.length, 4);
});

test("a check that fails is left to the rule's own way, in one go", async () => {
  const log: string[] = [];
  const rule = new Rule("plain", log);
  rule.breaks = 4;
  takeTurns({ _audit: { rules: [rule] } });
  await assert.rejects(run(rule), /broken check/);
  assert.deepEqual(log.slice(-2), ["gathered in one go", "asked about 1,3,4,5"]);
});

test("a colour is read once", () => {
  class Color {
    static read = 0;
    r = 0;
    g = 0;
    b = 0;
    alpha = 0;
    parseString(text: string): this {
      if (text === "none") throw new Error("no colour");
      Color.read++;
      this.r = text.length;
      this.alpha = 0.5;
      return this;
    }
  }
  takeTurns({ _audit: { rules: [new Rule("plain", [])] }, commons: { color: { Color } } });
  assert.deepEqual({ ...new Color().parseString("red") }, { r: 3, g: 0, b: 0, alpha: 0.5 });
  assert.deepEqual({ ...new Color().parseString("red") }, { r: 3, g: 0, b: 0, alpha: 0.5 });
  assert.deepEqual({ ...new Color().parseString("green") }, { r: 5, g: 0, b: 0, alpha: 0.5 });
  assert.equal(Color.read, 2);
  assert.throws(() => new Color().parseString("none"), /no colour/);
});

test("what goes wrong while matching is left to the rule's own way", async () => {
  const log: string[] = [];
  const rule = new Rule("plain", log);
  rule.matches = () => {
    throw new Error("gone");
  };
  takeTurns({ _audit: { rules: [rule] } });
  await run(rule);
  assert.deepEqual(log, ["gathered in one go", "asked about 1,3,4,5"]);
});

test("what a rule throws goes where its failures go", async () => {
  const rule = new Rule("plain", []);
  rule.breaks = 1;
  rule.run = () => {
    throw new Error("broken");
  };
  takeTurns({ _audit: { rules: [rule] } });
  await assert.rejects(run(rule), /broken/);
});

test("another library, or another version of it, is left as it is", () => {
  assert.equal(takeTurns({}), false);
  assert.equal(takeTurns({ _audit: { rules: [] } }), false);
  assert.equal(takeTurns({ _audit: { rules: [{ run: () => {} }] } }), false);
});
