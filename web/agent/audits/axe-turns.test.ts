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

  constructor(check: string, log: string[]) {
    this.any = [check];
    this.log = log;
  }

  gather(): unknown[] {
    return [1, 2, 3];
  }

  matches(_element: unknown, candidate: unknown): boolean {
    return candidate !== 2;
  }

  gatherAndMatchNodes(): unknown[] {
    this.log.push("gathered in one go");
    return [1, 2, 3];
  }

  runChecks(type: string, candidate: unknown, done: Done): void {
    this.log.push(`${type} ${String(candidate)}`);
    done(candidate);
  }

  run(_context: unknown, _options: unknown, done: Done, failed: Done): void {
    const nodes = this.gatherAndMatchNodes();
    if (nodes.length === 0) failed("empty");
    let left = nodes.length;
    for (const candidate of nodes) {
      this.runChecks("any", candidate, () => {
        left--;
        if (left === 0) done({ nodes: [node([{ result: true }]), node([{ result: false }]), node([{ result: undefined }]), node([], [{ result: true }], [{ result: true }])] });
      });
    }
  }
}

function run(rule: Rule): Promise<unknown> {
  return new Promise((done, failed) => rule.run({}, {}, done, failed));
}

test("a rule matches its nodes beforehand, checks them in turns, and lets go of those that pass", async () => {
  const log: string[] = [];
  const rule = new Rule("plain", log);
  assert(takeTurns({ _audit: { rules: [rule] } }));
  const result = run(rule);
  assert.deepEqual(log, [], "nothing runs before its turn");
  assert.deepEqual(await result, { nodes: [node([{ result: false }]), node([{ result: undefined }]), node([], [{ result: true }], [{ result: true }])] });
  assert.deepEqual(log, ["any 1", "any 3"]);
});

test("a rule that compares its nodes in the end keeps them all", async () => {
  const rule = new Rule("back", []);
  takeTurns({ _audit: { rules: [rule] } });
  const result = JSON.parse(JSON.stringify(await run(rule)));
  assert.equal(result.nodes.length, 4);
});

test("what goes wrong while matching is left to the rule's own way", async () => {
  const log: string[] = [];
  const rule = new Rule("plain", log);
  rule.matches = () => {
    throw new Error("gone");
  };
  takeTurns({ _audit: { rules: [rule] } });
  await run(rule);
  assert.equal(log[0], "gathered in one go");
});

test("what a rule throws goes where its failures go", async () => {
  const rule = new Rule("plain", []);
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
