/**
 * A replace whose body has another id: the item goes on under that name. Rules one by one, then
 * random batches against a model; the whole store is verified in the end, terms and tallies too.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import { LINK, simulatedScripts } from "../script/simulatedScripts.fake.ts";
import { containerIn, databaseIn, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { Step } from "../simulatedRequests.fake.ts";
import { batch, changesOf, KEY, objectsOf, write } from "../simulatedRequests.fake.ts";
import { Findings } from "../verify/findings.ts";
import { verifyStore } from "../verify/verifyStore.ts";
import type { BatchOutcome } from "./itemCommand.ts";

const UNIQUE = { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/mail"] }] } };

describe("a replace with another id, on an item a and an item b whose mail is b", () => {
  test.each<[rule: string, steps: readonly Step[], results: string, left: string]>([
    ["gives the item that id", [rename("a", "c")], "replaced", "b:b c:a"],
    ["may change its values too", [rename("a", "c", "x")], "replaced", "b:b c:x"],
    ["is refused if the id is taken", [rename("a", "b", "x")], "idTaken", "a:a b:b"],
    ["is refused if a unique value is", [rename("a", "c", "b")], "uniqueKeyTaken", "a:a b:b"],
    ["needs an item", [rename("x", "c")], "notFound", "a:a b:b"],
    [
      "has conditions on the item as it was",
      [["replace", "a", { id: "c", mail: "a" }, { ifMatch: '"other"' }]],
      "preconditionFailed",
      "a:a b:b",
    ],
    [
      "frees the former id",
      [rename("a", "c"), ["create", "a", { mail: "x" }]],
      "replaced created",
      "a:x b:b c:a",
    ],
    [
      "can be taken back",
      [rename("a", "c"), rename("c", "a", "a")],
      "replaced replaced",
      "a:a b:b",
    ],
    [
      "takes an id that was given up",
      [["delete", "b"], rename("a", "b")],
      "deleted replaced",
      "b:a",
    ],
    [
      "works on what was made just now",
      [["create", "n", { mail: "n" }], rename("n", "m"), ["read", "m"]],
      "created replaced found",
      "a:a b:b m:n",
    ],
    [
      "is undone like anything else",
      [rename("a", "c"), ["read", "a"]],
      "undone notFound",
      "a:a b:b",
    ],
  ])("%s", async (_rule, steps, results, left) => {
    const stage = await opened();
    await stage.batch([
      ["create", "a", { mail: "a" }],
      ["create", "b", { mail: "b" }],
    ]);
    expect(wordsOf(await stage.batch(steps))).toBe(results);
    expect(await stage.state()).toBe(left);
    expect(await stage.problems()).toEqual([]);
  });
});

test("an expired item does not hold its id", async () => {
  const { account, container, time, state, problems } = await opened({ defaultTtl: 10 });
  await write(account, container, "create", "b", { mail: "b" });
  time.skip(11_000);
  await write(account, container, "create", "a", { mail: "a" });
  const renamed = await write(account, container, "replace", "a", { id: "b", mail: "b" });
  expect(renamed.kind).toBe("replaced");
  expect(await state()).toBe("b:b");
  expect(await problems()).toEqual([]);
});

test("the change feed shows the item once, or the end and the beginning of one LSN", async () => {
  const policy = { changeFeedPolicy: { retentionDuration: 10 } };
  const { account, container } = await opened(policy);
  await write(account, container, "create", "a", { mail: "a" });
  await write(account, container, "replace", "a", { id: "b", mail: "a" });
  const latest = await changesOf(account, container);
  expect(objectsOf(latest.rows)).toMatchObject([{ id: "b", _lsn: 2 }]);
  const start = { kind: "after", progress: { kind: "number", lsn: 1 } } as never;
  const all = await changesOf(account, container, { mode: "all", start });
  expect(objectsOf(all.rows)).toMatchObject([
    { previous: { id: "a" }, metadata: { operationType: "delete", lsn: 2, id: "a" } },
    { current: { id: "b" }, metadata: { operationType: "create", lsn: 2 } },
  ]);
});

test("a script renames, sees it, and does not take an id that was taken meanwhile", async () => {
  const text = "SELECT VALUE c.id FROM c";
  const resource = JSON.stringify({ id: "c", pk: KEY });
  let isTaken = false;
  const scripts = simulatedScripts({
    rename: async (ask) => {
      const renamed = await ask({ kind: "replace", link: `${LINK}/docs/a`, resource });
      const seen = await ask({ kind: "query", text, parameters: [] });
      if (isTaken) await write(account, container, "create", "c");
      isTaken = false;
      return renamed.kind === "done" ? String(seen.kind === "done" && seen.resource) : "refused";
    },
  });
  const { account } = await simulatedAccount({ scripts });
  const container = await containerIn(account, await databaseIn(account));
  const run = async (): Promise<unknown> => {
    await write(account, container, "create", "a");
    const call = { name: "rename", body: "rename", args: [], key: [KEY], isLogging: false };
    const terms = { caller: HIGH_CALLER, consistency: "session" } as const;
    const ran = await account.runProcedure(container, { ...call, ...terms });
    return ran.ok && ran.value.result.ok && ran.value.result.value;
  };
  expect(await run()).toBe('["c"]');
  await write(account, container, "delete", "c");
  isTaken = true;
  expect(await run()).toBe("refused");
});

test("a rename costs what the same replace does", async () => {
  const { account, container } = await opened();
  await write(account, container, "create", "a", { mail: "a" });
  const changed = await write(account, container, "replace", "a", { mail: "b" });
  const renamed = await write(account, container, "replace", "a", { id: "b", mail: "b" });
  expect(renamed.charge).toBeGreaterThan(changed.charge / 2);
  expect(renamed.charge).toBeLessThanOrEqual(changed.charge);
});

test("random batches do what a map of names says, and the store agrees with itself", async () => {
  const anyId = fc.constantFrom("a", "b", "c");
  const anyStep = fc.tuple(
    fc.constantFrom("rename", "rename", "create", "delete"),
    anyId,
    anyId,
    fc.constantFrom("m", "n", "o"),
  );
  const anyTurns = fc.array(fc.array(fc.array(anyStep, { minLength: 1, maxLength: 4 })));
  await fc.assert(
    fc.asyncProperty(anyTurns, fc.boolean(), async (turns, isDistant) => {
      const stage = await opened();
      stage.trouble.isDistant = isDistant;
      let model = new Map<string, string>();
      for (const turn of turns) {
        const outcomes = await Promise.all(turn.map((asks) => stage.batch(asks.map(stepOf))));
        for (const [index, asks] of turn.entries()) {
          const tried = new Map(model);
          const words = asks.map((ask) => wordFor(tried, ask));
          const isDone = words.every((word) => !REFUSED.has(word));
          expect(outcomes[index]!.kind).toBe(isDone ? "committed" : "rolledBack");
          if (isDone) expect(wordsOf(outcomes[index]!)).toBe(words.join(" "));
          if (isDone) model = tried;
        }
      }
      stage.trouble.isDistant = false;
      const left = [...model].map(([id, mail]) => `${id}:${mail}`);
      expect(await stage.state()).toBe(left.sort().join(" "));
      expect(await stage.problems()).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

type Ask = readonly [kind: string, id: string, newId: string, mail: string];

const REFUSED: ReadonlySet<string> = new Set(["notFound", "idTaken", "uniqueKeyTaken"]);

function stepOf([kind, id, newId, mail]: Ask): Step {
  if (kind === "rename") return rename(id, newId, mail);
  return kind === "create" ? ["create", id, { mail }] : ["delete", id];
}

function wordFor(model: Map<string, string>, [kind, id, newId, mail]: Ask): string {
  if (kind === "delete") return model.delete(id) ? "deleted" : "notFound";
  const isRename = kind === "rename";
  if (isRename && !model.has(id)) return "notFound";
  const isTaken = isRename ? newId !== id && model.has(newId) : model.has(id);
  if (isTaken) return "idTaken";
  const isOther = (other: string): boolean => !isRename || other !== id;
  if ([...model].some(([other, held]) => isOther(other) && held === mail)) return "uniqueKeyTaken";
  if (isRename) model.delete(id);
  model.set(isRename ? newId : id, mail);
  return isRename ? "replaced" : "created";
}

function rename(id: string, newId: string, mail: string = id): Step {
  return ["replace", id, { id: newId, mail }];
}

function wordsOf(outcome: BatchOutcome): string {
  if (outcome.kind === "refused") return outcome.refusal.kind;
  return outcome.results
    .map((result) => (result.kind === "refused" ? result.refusal.kind : result.kind))
    .join(" ");
}

async function opened(body: JsonObject = {}) {
  const simulated = await simulatedAccount();
  const { account, store } = simulated;
  const container = await containerIn(account, await databaseIn(account), undefined, {
    ...UNIQUE,
    ...body,
  });
  /** Ids with their mails, as a read feed shows them. */
  const state = async (): Promise<string> => {
    const scope = { range: WHOLE_RANGE, order: "placement" } as const;
    const page = await account.readItems(container, { scope, position: undefined, countMax: 100 });
    const items = objectsOf(page.ok ? page.value.bodies : []).map(
      ({ id, mail }) => `${String(id)}:${String(mail)}`,
    );
    return items.sort().join(" ");
  };
  const problems = async (): Promise<readonly unknown[]> => {
    const findings = new Findings();
    const setting = { store, findings, isQuick: false, hasTallies: true };
    await verifyStore({ ...setting, onProgress: () => undefined });
    return findings.kept;
  };
  const run = (steps: readonly Step[]): Promise<BatchOutcome> => batch(account, container, steps);
  return { ...simulated, container, state, problems, batch: run };
}
