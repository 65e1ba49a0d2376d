/**
 * Transactional batches: rules one by one, then random batches among other writes against a model
 * that copies its state, and goes back to the copy when an operation is refused.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { epkOf } from "../../partition/epk.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  simulatedAccount,
  spend,
} from "../simulatedAccount.fake.ts";
import type { Step } from "../simulatedRequests.fake.ts";
import {
  batch,
  changesOf,
  KEY,
  objectsOf,
  operationsOf,
  read,
  write,
} from "../simulatedRequests.fake.ts";
import type { BatchOutcome } from "./itemCommand.ts";

const UNIQUE = { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/mail"] }] } };
const setN = (n: number): JsonObject => ({ operations: [{ op: "set", path: "/n", value: n }] });
const setMail = (mail: string): JsonObject => ({
  operations: [{ op: "set", path: "/mail", value: mail }],
});

describe("a batch, on an item a and an item b whose mail is m", () => {
  test.each<[rule: string, steps: readonly Step[], results: string, left: string, groups: number]>([
    ["happens", [["create", "c"]], "created", "a b c", 1],
    [
      "shows each what those before it did",
      [
        ["create", "c"],
        ["read", "c"],
        ["delete", "c"],
        ["upsert", "c"],
        ["patch", "c", setN(1)],
      ],
      "created found deleted created replaced",
      "a b c",
      1,
    ],
    [
      "is undone by the first that is refused",
      [
        ["create", "c"],
        ["patch", "a", setN(1)],
        ["delete", "b"],
        ["create", "a"],
        ["read", "a"],
      ],
      "undone undone undone idTaken undone",
      "a b",
      0,
    ],
    [
      "is undone by a read of nothing",
      [
        ["create", "c"],
        ["read", "x"],
      ],
      "undone notFound",
      "a b",
      0,
    ],
    [
      "is undone by a condition",
      [
        ["delete", "b"],
        ["replace", "a", {}, { ifMatch: '"other"' }],
      ],
      "undone preconditionFailed",
      "a b",
      0,
    ],
    [
      "goes on after a read of what the client has",
      [
        ["read", "a", {}, { ifNoneMatch: "*" }],
        ["create", "c"],
      ],
      "unchanged created",
      "a b c",
      1,
    ],
    [
      "that only reads writes nothing",
      [
        ["read", "a"],
        ["read", "b"],
      ],
      "found found",
      "a b",
      0,
    ],
    [
      "leaves nothing of what came and went",
      [
        ["create", "c"],
        ["delete", "c"],
      ],
      "created deleted",
      "a b",
      0,
    ],
    [
      "may delete all",
      [
        ["delete", "a"],
        ["delete", "b"],
      ],
      "deleted deleted",
      "",
      1,
    ],
    [
      "may pass a unique value on",
      [
        ["delete", "b"],
        ["create", "c", { mail: "m" }],
      ],
      "deleted created",
      "a c",
      1,
    ],
    [
      "may take a unique value back",
      [
        ["patch", "b", setMail("o")],
        ["patch", "b", setMail("m")],
        ["create", "c", { mail: "o" }],
      ],
      "replaced replaced created",
      "a b c",
      1,
    ],
    [
      "may not have a unique value twice",
      [
        ["create", "c", { mail: "o" }],
        ["create", "d", { mail: "o" }],
      ],
      "undone uniqueKeyTaken",
      "a b",
      0,
    ],
  ])("%s", async (_rule, steps, results, left, groups) => {
    const stage = await opened({ body: UNIQUE });
    await write(stage.account, stage.container, "create", "a", { mail: "a" });
    await write(stage.account, stage.container, "create", "b", { mail: "m" });
    const before = stage.lsn();
    const outcome = await stage.batch(steps);
    expect(wordsOf(outcome)).toBe(results);
    expect(outcome.kind).toBe(/undone/.test(results) ? "rolledBack" : "committed");
    expect(stage.ids()).toBe(left);
    expect(stage.lsn() - before).toBe(groups);
    expect(outcome.lsn).toBe(stage.lsn());
  });
});

describe("a batch", () => {
  test("has one LSN for all it wrote, between those of its neighbours", async () => {
    const { account, container, batch: run, store, part } = await opened();
    const outcomes = await Promise.all([
      write(account, container, "create", "before"),
      run([
        ["create", "a"],
        ["create", "b"],
        ["upsert", "a"],
      ]),
      run([
        ["create", "c"],
        ["create", "before"],
      ]),
      write(account, container, "create", "after"),
    ]);
    expect(outcomes.map(({ lsn }) => lsn)).toEqual([3, 3, 3, 3]);
    const { items } = store.scanItems(part(), 0, { countMax: 9, bytesMax: 1e6 });
    expect(items.map(({ lsn }) => lsn as number)).toEqual([1, 2, 2, 3]);
    expect(outcomes[3]).toMatchObject({ itemLsn: 3 });
  });

  test("costs what its operations do, those that are undone included", async () => {
    const { container, batch: run } = await opened();
    const { totals } = container.partitions.get("0")!.spending;
    for (const last of ["b", "a"]) {
      const before = totals.ru;
      const outcome = await run([
        ["upsert", "a", { text: "x".repeat(2000) }],
        ["create", last],
      ]);
      expect(outcome.kind === "refused").toBe(false);
      const charges = outcome.kind === "refused" ? [] : outcome.results.map(({ charge }) => charge);
      expect(outcome.charge).toBeCloseTo(
        charges.reduce((sum, charge) => sum + charge, 0),
        6,
      );
      expect(totals.ru - before).toBeCloseTo(outcome.charge, 6);
      expect(Math.min(...charges)).toBeGreaterThan(0);
    }
    const undone = await run([
      ["create", "b"],
      ["read", "a"],
      ["read", "b"],
    ]);
    const charges = undone.kind === "refused" ? [] : undone.results.map(({ charge }) => charge);
    expect(charges.slice(1)).toEqual([0, 0]);
  });

  test("gives back the room of what it undoes", async () => {
    const limits = { ...SERVICE_LIMITS, logicalPartitionBytesMax: 2000 };
    const { account, container, batch: run } = await opened({ limits });
    const text = "x".repeat(1000);
    const outcomes = await Promise.all([
      run([
        ["create", "a", { text }],
        ["read", "nobody"],
      ]),
      write(account, container, "create", "b", { text }),
      run([["create", "c", { text }]]),
      run([
        ["delete", "b"],
        ["create", "c", { text }],
      ]),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      "rolledBack",
      "created",
      "rolledBack",
      "committed",
    ]);
    expect(wordsOf(outcomes[2] as BatchOutcome)).toBe("logicalPartitionFull");
  });

  test("whose answer would be too large does not happen", async () => {
    const { account, container, ids } = await opened();
    const steps: readonly Step[] = [
      ["create", "a", { text: "x".repeat(900) }],
      ["read", "a"],
    ];
    const terms = { caller: HIGH_CALLER, consistency: "session", answerBytesMax: 2000 } as const;
    const [partition] = container.partitions.values();
    const outcome = await partition!.submitTogether(operationsOf(account, container, steps), terms);
    expect(wordsOf(outcome)).toBe("undone answerTooLarge");
    expect(ids()).toBe("");
  });

  test("is throttled as a whole, and is not tried", async () => {
    const { container, batch: run, lsn } = await opened({ isLimited: true });
    spend(container, "0", 1000);
    expect(
      await run([
        ["create", "a"],
        ["create", "b"],
      ]),
    ).toMatchObject({
      kind: "refused",
      refusal: { kind: "throttled" },
    });
    expect(lsn()).toBe(0);
  });

  test("on a disk that fails is refused, and the next one is not concerned", async () => {
    const { batch: run, trouble, ids } = await opened();
    trouble.fault = (operation) =>
      operation === "commit" ? new StoreFault("the disk is full") : undefined;
    const refused = await run([
      ["create", "a"],
      ["create", "b"],
    ]);
    expect(refused).toMatchObject({ kind: "refused", refusal: { kind: "unavailable" } });
    trouble.fault = undefined;
    expect(wordsOf(await run([["create", "a"]]))).toBe("created");
    expect(ids()).toBe("a");
  });

  test("waits for the children when its physical partition is split, and stays whole", async () => {
    const { account, container, batch: run, trouble, ids } = await opened();
    await run([["create", "a"]]);
    trouble.isDistant = true;
    const { reshaping } = account;
    const split = reshaping.request(container, { kind: "split", partitionId: "0", at: "middle" });
    const runs: Promise<BatchOutcome>[] = [];
    for (let n = 0; n < 60; n++) {
      runs.push(
        run([["create", `x${n}`], ["create", `y${n}`], n % 3 ? ["read", "a"] : ["create", "a"]]),
      );
      for (let turn = 0; turn < 7; turn++) await Promise.resolve();
    }
    expect((await split).ok).toBe(true);
    const kinds = (await Promise.all(runs)).map(({ kind }) => kind);
    expect(kinds).toEqual(kinds.map((_, n) => (n % 3 ? "committed" : "rolledBack")));
    expect(new Set((await Promise.all(runs)).map(({ rangeId }) => rangeId)).size).toBeGreaterThan(
      1,
    );
    expect(ids().split(" ").length).toBe(1 + 40 * 2);
  });
});

describe("time and a batch", () => {
  test("does not pass within it", async () => {
    const stage = await opened({ body: { ...UNIQUE, defaultTtl: 10 } });
    const { account, container, time, trouble } = stage;
    await write(account, container, "create", "a", { mail: "a" });
    // A unique value has to be looked up, and that takes long.
    trouble.fault = (operation) => {
      if (operation === "scanTerms") time.skip(11_000);
      return undefined;
    };
    const outcome = await stage.batch([
      ["read", "a"],
      ["create", "b", { mail: "b" }],
      ["patch", "a", setN(1)],
    ]);
    expect(wordsOf(outcome)).toBe("found created replaced");
  });

  test("finds nothing where an item has expired, and clears it when it takes its place", async () => {
    const {
      account,
      container,
      time,
      batch: run,
      ids,
    } = await opened({ body: { defaultTtl: 10 } });
    await write(account, container, "create", "a");
    time.skip(10_000);
    for (const verb of ["read", "delete", "replace"] as const) {
      expect(wordsOf(await run([[verb, "a"]]))).toBe("notFound");
    }
    expect(
      wordsOf(
        await run([
          ["create", "b"],
          ["create", "a"],
          ["create", "b"],
        ]),
      ),
    ).toBe("undone undone idTaken");
    expect(
      wordsOf(
        await run([
          ["create", "a"],
          ["delete", "a"],
        ]),
      ),
    ).toBe("created deleted");
    expect(ids()).toBe("");
  });
});

test("who deletes what he has just changed ends the version that others have seen", async () => {
  const stage = await opened({ body: { changeFeedPolicy: { retentionDuration: 10 } } });
  const { account, container } = stage;
  await write(account, container, "create", "a", { n: 1 });
  await stage.batch([
    ["patch", "a", setN(2)],
    ["delete", "a"],
  ]);
  const start = { kind: "after", progress: { kind: "number", lsn: 1 } } as const;
  const page = await changesOf(account, container, { mode: "all", start: start as never });
  expect(objectsOf(page.rows)).toMatchObject([
    { current: {}, previous: { id: "a", n: 1 }, metadata: { previousImageLSN: 1 } },
  ]);
});

test("random batches among other writes do what a copy of the state says", async () => {
  const anyId = fc.constantFrom("a", "b", "c");
  const anyMail = fc.constantFrom("m", "n", "o", "p");
  const anyStep = fc.oneof(
    fc.tuple(fc.constantFrom("create", "upsert", "replace"), anyId, anyMail),
    fc.tuple(fc.constantFrom("patch"), anyId, anyMail),
    fc.tuple(fc.constantFrom("delete", "read"), anyId, anyMail),
  );
  const anyRun = fc.record({ steps: fc.array(anyStep, { minLength: 1, maxLength: 5 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyRun, { maxLength: 6 })),
      fc.boolean(),
      async (turns, isDistant) => {
        const stage = await opened({ body: UNIQUE });
        stage.trouble.isDistant = isDistant;
        const model = new Model();
        for (const turn of turns) {
          const asked = turn.map(({ steps }) => stage.batch(steps.map(stepOf)));
          const outcomes = (await Promise.all(asked)).map(wordsOf);
          expect(outcomes).toEqual(turn.map(({ steps }) => model.run(steps)));
        }
        stage.trouble.isDistant = false;
        expect(await stage.state()).toEqual(model.state());
        expect(stage.lsn()).toBe(model.groupCount);
      },
    ),
    { numRuns: 60 },
  );
});

type Ask = readonly [kind: string, id: string, mail: string];

function stepOf([kind, id, mail]: Ask): Step {
  return [kind as Step[0], id, kind === "patch" ? setMail(mail) : { mail }];
}

/** Ids with their mails, no mail twice; every life of an item has a number. */
class Model {
  groupCount = 0;
  #items = new Map<string, { readonly mail: string; readonly life: number }>();
  #lives = 0;

  run(asks: readonly Ask[]): string {
    const before = new Map(this.#items);
    const words: string[] = [];
    let hasPut = false;
    for (const [kind, id, mail] of asks) {
      const word = this.#wordFor(kind, id, mail);
      words.push(word);
      if (!DONE.has(word)) {
        this.#items = before;
        return asks.map((_, at) => (at === words.length - 1 ? word : "undone")).join(" ");
      }
      if (word === "replaced") hasPut ||= before.get(id)?.life === this.#items.get(id)!.life;
    }
    const lives = (items: typeof before): string =>
      JSON.stringify([...items.values()].map(({ life }) => life).sort());
    if (hasPut || lives(before) !== lives(this.#items)) this.groupCount++;
    return words.join(" ");
  }

  state(): unknown {
    return [...this.#items].map(([id, { mail }]) => [id, mail]).sort();
  }

  #wordFor(kind: string, id: string, mail: string): string {
    const found = this.#items.get(id);
    if (found === undefined && kind !== "create" && kind !== "upsert") return "notFound";
    if (kind === "read") return "found";
    if (kind === "delete") {
      this.#items.delete(id);
      return "deleted";
    }
    if (found !== undefined && kind === "create") return "idTaken";
    const isTaken = [...this.#items].some(([other, held]) => other !== id && held.mail === mail);
    if (isTaken) return "uniqueKeyTaken";
    this.#items.set(id, { mail, life: found?.life ?? ++this.#lives });
    return found === undefined ? "created" : "replaced";
  }
}

const DONE: ReadonlySet<string> = new Set(["created", "replaced", "deleted", "found"]);

function wordsOf(outcome: BatchOutcome): string {
  if (outcome.kind === "refused") return outcome.refusal.kind;
  return outcome.results
    .map((result) => (result.kind === "refused" ? result.refusal.kind : result.kind))
    .join(" ");
}

interface Stage extends Simulated {
  readonly container: Container;
  readonly part: () => number;
  readonly lsn: () => number;
  readonly batch: (steps: readonly Step[]) => Promise<BatchOutcome>;
  /** In order. */
  readonly ids: () => string;
  readonly state: () => Promise<unknown>;
}

async function opened(
  asked: { body?: JsonObject; limits?: Account["limits"]; isLimited?: boolean } = {},
): Promise<Stage> {
  const { body = {}, limits = SERVICE_LIMITS } = asked;
  const rates = asked.isLimited === true ? { rates: LIMITED } : {};
  const simulated = await simulatedAccount({ limits, ...rates });
  const { account, store } = simulated;
  const database = await databaseIn(account);
  const throughput = { kind: "manual", ratePerSecond: 400 } as const;
  const container = await containerIn(account, database, throughput, body);
  const part = (): number =>
    container.ownerOf(epkOf(container.definition.partitionKey, [KEY])).entry.part;
  const items = (): readonly string[] =>
    store
      .scanItems(part(), 0, { countMax: 1000, bytesMax: 1e9 })
      .items.map(({ key }) => key.slice(key.indexOf("\x00") + 1))
      .sort();
  return {
    ...simulated,
    container,
    part,
    lsn: () => store.head(part())!.lsn,
    batch: (steps) => batch(account, container, steps),
    ids: () => items().join(" "),
    state: () =>
      Promise.all(
        items().map(async (id) => {
          const found = await read(account, container, id);
          const bodyText = found.kind === "refused" ? "{}" : found.body!.toString();
          return [id, (JSON.parse(bodyText) as { readonly mail: string }).mail];
        }),
      ),
  };
}
