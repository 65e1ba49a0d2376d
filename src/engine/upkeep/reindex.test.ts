/**
 * Containers indexed anew. First what a change of policy comes to, also when the process ends in
 * the middle of it; then random policies and writes, and an index that is that of its items.
 */
import { describe, expect, test } from "vitest";
import { lsn, millis } from "../../base/units.ts";
import { type Random, seededRandom } from "../../base/world.ts";
import { INDEX_FORMAT } from "../../index/terms.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { StoreFault, type WriteGroup } from "../../store/partitionStore.ts";
import { Account } from "../account.ts";
import { CATALOG_PART } from "../catalog/catalogRecords.ts";
import { formerPoliciesOf } from "../catalog/formerPolicies.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import { objectOf } from "../item/itemBody.ts";
import { epkOfKey } from "../item/itemKey.ts";
import { itemTermsOf } from "../item/itemTerms.ts";
import type { Container } from "../partition/container.ts";
import { stopped } from "../simulatedAccount.fake.ts";

const ALL = { path: "/*" };
const COMPOSITE = {
  compositeIndexes: [[{ path: "/n" }, { path: "/_ts", order: "descending" }]],
};
const NARROW = { includedPaths: [{ path: "/n/?" }], excludedPaths: [ALL] };
const OTHERS = { includedPaths: [ALL], excludedPaths: [{ path: "/n/?" }] };
const POLICIES: readonly JsonObject[] = [{}, NARROW, COMPOSITE, { indexingMode: "none" }];

describe("after a change of policy", () => {
  test.each(POLICIES.map((policy) => [JSON.stringify(policy), policy] as const))(
    "the index is that of the new one: %s",
    async (_text, policy) => {
      const stage = await stageWith({ includedPaths: [ALL], excludedPaths: [{ path: "/o/*" }] });
      await stage.create(200);
      await stage.changePolicy(policy);
      await stage.finished();
      expectIndexed(stage);
      expect(stage.container().record.formerPolicies).toEqual([]);
    },
  );

  test("items and log are as they were", async () => {
    const stage = await stageWith({});
    await stage.create(150);
    const before = stage.visible();
    await stage.changePolicy(COMPOSITE);
    await stage.finished();
    expect(stage.visible()).toEqual(before);
  });

  test("its progress can be watched, and ends at 100", async () => {
    const stage = await stageWith({});
    expect(stage.container().indexProgress).toBe(100);
    await stage.create(1_000);
    await stage.changePolicy(NARROW);
    const seen = [stage.container().indexProgress];
    while (seen.at(-1)! < 100) {
      await realTimer.soon();
      seen.push(stage.container().indexProgress);
    }
    expect(seen[0]).toBeLessThan(100);
    expect(new Set(seen).size).toBeGreaterThan(5);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  test("an empty container is done soon", async () => {
    const stage = await stageWith({});
    await stage.changePolicy(NARROW);
    await stage.finished();
    expect(stage.container().indexProgress).toBe(100);
  });

  test("its progress begins at the beginning each time", async () => {
    const stage = await stageWith({});
    await stage.create(300);
    for (const policy of [NARROW, {}, COMPOSITE]) {
      await stage.changePolicy(policy);
      expect(stage.container().indexProgress).toBe(0);
      await stage.finished();
    }
  });

  test("another change starts it again", async () => {
    const stage = await stageWith({});
    await stage.create(500);
    await stage.changePolicy(NARROW);
    for (let turn = 0; turn < 8; turn++) await realTimer.soon();
    await stage.changePolicy(COMPOSITE);
    expect(stage.container().record.formerPolicies).toHaveLength(2);
    expect(stage.container().indexProgress).toBe(0);
    await stage.finished();
    expectIndexed(stage);
  });

  test("a change of anything else does not", async () => {
    const stage = await stageWith({});
    await stage.create(500);
    await stage.changePolicy(NARROW);
    const { formerPolicies } = stage.container().record;
    await stage.change({ defaultTtl: 1_000, indexingPolicy: NARROW });
    expect(stage.container().record.formerPolicies).toBe(formerPolicies);
    await stage.finished();
    expectIndexed(stage);
  });
});

test("the words of texts are indexed, and anew in another language", async () => {
  const stage = await stageWith({});
  await stage.create(100);
  for (const language of ["en-US", "de-DE"]) {
    await stage.change(spoken(language));
    expect(stage.container().indexProgress).toBe(0);
    const text = "SELECT VALUE COUNT(1) FROM c WHERE FullTextContains(c.o.s, 'X3')";
    expect(await stage.query(text)).toEqual([14]);
    await stage.finished();
    expectIndexed(stage);
    expect(await stage.query(text)).toEqual([14]);
  }
  await stage.change(spoken("de-DE"));
  expect(stage.container().indexProgress).toBe(100);
});

describe("the end of a process in the middle", () => {
  test("is a pause: the next one goes on", async () => {
    const stage = await stageWith({});
    await stage.create(500);
    await stage.changePolicy(NARROW);
    await realTimer.soon();
    const headBefore = stage.store.head(stage.parts()[0]!);
    await stopped(stage.account());
    expect(stage.container().indexProgress).toBeLessThan(100);
    await realTimer.soon();
    expect(stage.store.head(stage.parts()[0]!)!.lsn - headBefore!.lsn).toBeLessThan(3);
    await stage.reopen();
    expect(stage.container().formerPolicies).toHaveLength(1);
    await stage.finished();
    expectIndexed(stage);
  });

  test("a deleted container is left alone", async () => {
    const stage = await stageWith({});
    await stage.create(500);
    await stage.changePolicy(NARROW);
    const { catalog } = stage.account();
    await catalog.deleteContainer(catalog.database("d")!, stage.container());
    expect(stage.store.parts()).toEqual([CATALOG_PART]);
    await stopped(stage.account());
  });

  test("a full disk is waited out", async () => {
    const stage = await stageWith({});
    await stage.create(100);
    const commit = stage.store.commit.bind(stage.store);
    let failureCount = 0;
    stage.store.commit = async (part, epoch, groups) => {
      const isReterm = groups.flat().some(({ kind }) => kind === "reterm");
      if (isReterm && failureCount++ < 1) throw new StoreFault("no space left");
      return commit(part, epoch, groups);
    };
    await stage.changePolicy(NARROW);
    await stage.finished();
    expect(failureCount).toBeGreaterThan(1);
    expectIndexed(stage);
  });
});

describe("a query that is under way when the policy changes", () => {
  test.each([
    ["COUNT(1)", "SELECT VALUE COUNT(1) FROM c WHERE c.n >= 0", [3_000]],
    ["DISTINCT", "SELECT DISTINCT VALUE c.n FROM c", [0, 1, 2, 3, 4, 5, 6]],
    ["a range", "SELECT VALUE COUNT(c.id) FROM c WHERE c.n > 0 AND c.n < 6", [2_143]],
    ["a sum of values", "SELECT VALUE SUM(c.n) FROM c", [8_994]],
  ])("loses nothing: %s", async (_what, text, rows) => {
    const stage = await stageWith({});
    await stage.create(3_000);
    for (let turns = 0; turns < 2; turns++) {
      const asked = stage.query(text);
      for (let turn = 0; turn < turns; turn++) await realTimer.soon();
      await stage.changePolicy(turns % 2 === 0 ? { indexingMode: "none" } : OTHERS);
      expect(await asked).toEqual(rows);
      await stage.changePolicy({});
      await stage.finished();
    }
  });

  test("is refused if it may not be asked any more", async () => {
    const stage = await stageWith({});
    await stage.create(3_000);
    const asked = stage.query("SELECT VALUE c.n FROM c ORDER BY c.n");
    await stage.changePolicy(OTHERS);
    expect(await asked).toContain("order-by item is excluded");
  });
});

test("a container of an older format gets the terms it has not", async () => {
  const stage = await stageWith(COMPOSITE);
  await stage.create(100);
  await stopped(stage.account());
  for (const part of stage.parts()) await forgetJointTerms(stage, part);
  await forgetFormat(stage.store);
  await stage.reopen();
  expect(stage.container().indexProgress).toBe(0);
  await stage.change({ defaultTtl: 1_000, indexingPolicy: COMPOSITE });
  await stage.finished();
  expectIndexed(stage);
  expect(stage.container().record.indexFormat).toBe(INDEX_FORMAT);
  await stage.reopen();
  expect(stage.container().indexProgress).toBe(100);
});

test("one of the format before words is indexed anew only if it has an index of them", async () => {
  const stage = await stageWith({});
  await stage.create(20);
  for (const [definition, progress] of [[{}, 100] as const, [spoken("en-US"), 0] as const]) {
    await stage.change(definition);
    await stage.finished();
    await stopped(stage.account());
    await forgetFormat(stage.store, '"indexFormat":3,');
    await stage.reopen();
    expect(stage.container().indexProgress).toBe(progress);
    await stage.finished();
    expectIndexed(stage);
  }
});

test("the former policies are those that items may be indexed under", async () => {
  const stage = await stageWith({});
  await stage.create(1);
  const { record } = stage.container();
  const [a, b, c] = [{}, NARROW, COMPOSITE].map((policy) => policyOf(policy));
  const under = (policy: typeof a) => ({ ...record.definition, indexingPolicy: policy! });
  const state = (policy: typeof a, formerPolicies: readonly (typeof a)[]) => ({
    ...record,
    definition: under(policy),
    formerPolicies: formerPolicies.map((former) => former!),
  });
  expect(formerPoliciesOf(state(a, []), under(a))).toEqual([]);
  expect(formerPoliciesOf(state(a, []), under(b))).toEqual([a]);
  expect(formerPoliciesOf(state(b, [a]), under(c))).toEqual([a, b]);
  expect(formerPoliciesOf(state(b, [a]), under(a))).toEqual([b]);
  expect(formerPoliciesOf(state(a, [a]), under(a))).toEqual([a]);
});

test.each([1, 2, 3, 4])("random writes and changes of policy, seed %i", async (seed) => {
  const random = seededRandom(seed);
  const stage = await stageWith({}, 2);
  for (let step = 0; step < 60; step++) {
    const choice = random.next();
    if (choice < 0.1) await stage.changePolicy(POLICIES[Math.floor(random.next() * 4)]!);
    else if (choice < 0.15) {
      await stopped(stage.account());
      await stage.reopen();
    } else {
      const writes = Array.from({ length: 40 }, () => randomWrite(stage, random));
      if (random.next() < 0.8) await Promise.all(writes);
    }
  }
  await stage.finished();
  expectIndexed(stage);
});

interface Stage {
  readonly store: EmbeddedStore;
  account(): Account;
  container(): Container;
  parts(): readonly number[];
  create(count: number): Promise<void>;
  write(kind: "upsert" | "delete", item: JsonObject): Promise<unknown>;
  change(members: JsonObject): Promise<void>;
  changePolicy(policy: JsonObject): Promise<void>;
  finished(): Promise<void>;
  reopen(): Promise<void>;
  /** All rows, or why there are none. Takes its time: others have a turn whenever they may. */
  query(text: string): Promise<readonly unknown[] | string>;
  /** Everything a client can see. */
  visible(): unknown;
}

async function stageWith(indexingPolicy: JsonObject, partitionCount = 1): Promise<Stage> {
  const store = EmbeddedStore.inMemory(realTimer);
  let now = 0;
  const setting = {
    store,
    timer: realTimer,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
    clock: { now: () => millis(now++ * 10), wallNow: () => 1_700_000_000_000 },
  };
  let account = await Account.open(setting);
  const database = await account.catalog.createDatabase("d", undefined);
  if (!database.ok) throw new Error("no database");
  const provisioning = { partitionCount, throughput: undefined };
  const definition = definitionOf({ indexingPolicy });
  await account.catalog.createContainer(database.value, definition, provisioning);
  const container = (): Container => account.catalog.container("d", "c")!;
  const parts = (): readonly number[] => container().map.entries.map(({ part }) => part);
  const write: Stage["write"] = async (kind, item) => {
    const key = [item["pk"] as string];
    const request = kind === "delete" ? { kind, id: item["id"] as string } : { kind, body: item };
    const submitted = account.writeItem(container(), { ...request, key });
    if (!submitted.ok) throw new Error(submitted.error.kind);
    return submitted.value;
  };
  const change = async (members: JsonObject): Promise<void> => {
    const changed = await account.catalog.replaceContainer(container(), definitionOf(members));
    if (!changed.ok) throw new Error(changed.error.kind);
  };
  return {
    store,
    account: () => account,
    container,
    parts,
    write,
    change,
    async create(count) {
      const items = Array.from({ length: count }, (_, n) => itemOf(n, n % 7));
      await Promise.all(items.map((item) => write("upsert", item)));
    },
    changePolicy: (policy) => change({ indexingPolicy: policy }),
    async finished() {
      while (container().indexProgress < 100) await realTimer.soon();
    },
    async reopen() {
      account = await Account.open(setting);
    },
    query: (text) => queryAll(account, container(), text),
    visible: () =>
      parts().map((part) => [
        store.scanItems(part, 0, { countMax: 10_000, bytesMax: 1e9 }).items,
        store.readLog(part, lsn(0), 10_000).entries,
      ]),
  };
}

async function queryAll(
  account: Account,
  container: Container,
  text: string,
): Promise<readonly unknown[] | string> {
  const rows: unknown[] = [];
  let continuation: string | undefined;
  do {
    const page = await account.queryItems(container, {
      text,
      parameters: new Map(),
      parameterNames: new Set(),
      scope: { kind: "container" },
      isFanOutAllowed: true,
      continuation,
      countMax: 10_000,
    });
    if (!page.ok) return JSON.stringify(page.error);
    rows.push(...page.value.rows.map((row) => JSON.parse(row.toString()) as unknown));
    continuation = page.value.continuation;
  } while (continuation !== undefined);
  return rows;
}

function expectIndexed({ store, container, parts }: Stage): void {
  const limits = { countMax: 1e6, bytesMax: 1e9 };
  const range = { min: "", max: "\xff\xff\xff\xff\xff\xff\xff\xff" };
  for (const part of parts()) {
    const expected = store.scanItems(part, 0, limits).items.flatMap(({ key, number, body }) => {
      const { terms } = itemTermsOf(container(), epkOfKey(key), objectOf(body));
      return terms.map((term) => `${term} ${number}`);
    });
    const { entries } = store.scanTerms(part, { range, withItems: false, ...limits });
    const found = entries.map(({ term, number }) => `${term} ${number}`);
    expect(found.toSorted().join("\n") === expected.toSorted().join("\n")).toBe(true);
  }
}

function itemOf(id: number, n: number): JsonObject {
  return { id: String(id), pk: `k${id % 5}`, n, o: { s: `x${n}` }, l: [n, { m: n }] };
}

function randomWrite({ write }: Stage, random: Random): Promise<unknown> {
  const item = itemOf(Math.floor(random.next() * 300), Math.floor(random.next() * 9));
  return write(random.next() < 0.2 ? "delete" : "upsert", item);
}

/** Takes the terms away that containers had not before there were formats. */
async function forgetJointTerms({ store, container }: Stage, part: number): Promise<void> {
  const { items } = store.scanItems(part, 0, { countMax: 10_000, bytesMax: 1e9 });
  const prefixes = ["\x03", ...container().policy.composites.map(({ hash }) => hash)];
  const group: WriteGroup = items.map(({ key, number, body }) => {
    const { terms } = itemTermsOf(container(), epkOfKey(key), objectOf(body));
    const isJoint = (term: string): boolean => prefixes.some((prefix) => term.startsWith(prefix));
    return {
      kind: "reterm",
      key,
      number,
      termsAdded: [],
      termsRemoved: terms.filter(isJoint),
    };
  });
  await store.commit(part, store.head(part)!.epoch, [group]);
}

function spoken(language: string): JsonObject {
  return {
    indexingPolicy: { fullTextIndexes: [{ path: "/o/s" }] },
    fullTextPolicy: { defaultLanguage: "en-US", fullTextPaths: [{ path: "/o/s", language }] },
  };
}

async function forgetFormat(store: EmbeddedStore, former = ""): Promise<void> {
  const { items } = store.scanItems(CATALOG_PART, 0, { countMax: 100, bytesMax: 1e9 });
  const item = items.find(({ key }) => key.startsWith("container "))!;
  const body = Buffer.from(item.body.toString().replace(`"indexFormat":${INDEX_FORMAT},`, former));
  expect(body.equals(item.body)).toBe(false);
  const before = { lsn: item.lsn, bodyBytes: item.body.length };
  const put = { ...item, kind: "put", body, before, termsAdded: [], termsRemoved: [] } as const;
  await store.commit(CATALOG_PART, store.head(CATALOG_PART)!.epoch, [[put]]);
}

function policyOf(indexingPolicy: JsonObject): ContainerDefinition["indexingPolicy"] {
  return definitionOf({ indexingPolicy }).indexingPolicy;
}

function definitionOf(members: JsonObject): ContainerDefinition {
  const body = { id: "c", partitionKey: { paths: ["/pk"] }, ...members };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  if (!definition.ok) throw new Error(JSON.stringify(definition.error));
  return definition.value;
}
