/**
 * What goes by itself, on an account whose time is told to pass. First the rounds, and what may get
 * in their way; then random lives of items, where nobody may ever see one that is over, by whatever
 * way he asks, nor miss one that is not.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import type { PartHead, PartitionStore } from "../../store/partitionStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import type { CatalogSetting } from "../catalog/catalog.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { containerIn, databaseIn, settled, simulatedAccount } from "../simulatedAccount.fake.ts";
import {
  batch,
  changesOf,
  KEY,
  objectsOf,
  read,
  redefine,
  write,
} from "../simulatedRequests.fake.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe("what has expired", () => {
  test("is removed within seconds, and gives its room back", async () => {
    const stage = await opened({ defaultTtl: 10 });
    await stage.put("a");
    await stage.put("b", { ttl: 100 });
    await stage.time.advance(9 * SECOND);
    expect(stage.head().itemCount).toBe(2);
    await stage.time.advance(4 * SECOND);
    expect(stage.head().itemCount).toBe(1);
    await stage.time.advance(100 * SECOND);
    expect(stage.head()).toMatchObject({ itemCount: 0, itemBytes: 0 });
  });

  test("waits for a disk that is full", async () => {
    const stage = await opened({ defaultTtl: 10 });
    await stage.put("a");
    stage.trouble.fault = (operation, part) =>
      operation === "commit" && part === stage.part() ? new StoreFault("full") : undefined;
    await stage.time.advance(30 * SECOND);
    expect(stage.head().itemCount).toBe(1);
    stage.trouble.fault = undefined;
    await stage.time.advance(3 * SECOND);
    expect(stage.head().itemCount).toBe(0);
  });

  test("ends once, as expired, in the feed of all versions", async () => {
    const stage = await opened({ defaultTtl: 10, changeFeedPolicy: { retentionDuration: 60 } });
    const { account, container } = stage;
    const { progress } = await changesOf(account, container, { mode: "all", start: NOW });
    await stage.put("a");
    await stage.put("b", { ttl: 5 });
    await stage.time.advance(30 * SECOND);
    const start = { kind: "after", progress } as const;
    const { rows } = await changesOf(account, container, { mode: "all", start });
    const ends = objectsOf(rows).flatMap((row) => {
      const { metadata } = row as { readonly metadata: JsonObject };
      return metadata["operationType"] === "delete" ? [metadata] : [];
    });
    expect(ends).toMatchObject([
      { id: "b", timeToLiveExpired: true },
      { id: "a", timeToLiveExpired: true },
    ]);
  });

  test("is gone in the children, and in what they become, after a split and a merge", async () => {
    const stage = await opened({ defaultTtl: 20 });
    const { account, container, time } = stage;
    for (let n = 0; n < 40; n++) await write(account, container, "create", "i", {}, `k${n}`);
    await time.advance(10 * SECOND);
    const { reshaping } = account;
    await reshaping.request(container, { kind: "split", partitionId: "0", at: "middle" });
    await write(account, container, "create", "late");
    await time.advance(13 * SECOND);
    expect(stage.itemCount()).toBe(1);
    await reshaping.request(container, { kind: "merge", partitionIds: ["1", "2"] });
    await time.advance(20 * SECOND);
    expect(stage.itemCount()).toBe(0);
  });
});

describe("a clock that is set back by two hours", () => {
  test.each(["while the server runs", "between two runs"])(
    "%s, brings nothing back",
    async (when) => {
      let setBack = 0;
      const stage = await opened({ defaultTtl: 10 }, ({ time: { clock } }) => ({
        clock: { now: () => clock.now(), wallNow: () => clock.wallNow() - setBack },
      }));
      await stage.put("over");
      await stage.put("live", { ttl: 60 });
      stage.time.skip(10 * SECOND);
      expect((await read(stage.account, stage.container, "over")).kind).toBe("refused");
      if (when === "between two runs") await stage.stop();
      setBack = 2 * 60 * MINUTE;
      if (when === "between two runs") await stage.restart();
      for (const [seconds, kind] of [
        [0, "found"],
        [49, "found"],
        [150, "refused"],
      ] as const) {
        await stage.time.advance(seconds * SECOND);
        const { account, container } = stage;
        expect((await read(account, container, "over")).kind).toBe("refused");
        expect((await read(account, container, "live")).kind).toBe(kind);
      }
      expect(stage.head().itemCount).toBe(0);
    },
  );
});

describe("a change of the default", () => {
  test.each([
    ["off", undefined],
    ["longer", 1000],
  ])("to %s waits for the end of what was decided before it", async (_rule, defaultTtl) => {
    const held = new HeldCommits();
    const stage = await opened({ defaultTtl: 10 }, ({ store }) => ({ store: held.over(store) }));
    const { account, container, time } = stage;
    await stage.put("a");
    time.skip(10 * SECOND);
    held.hold(stage.part());
    const rounds = time.advance(2 * SECOND);
    for (let times = 0; times < 8 && held.count === 0; times++) await settled();
    expect(held.count).toBe(1);
    const redefined = redefine(account, container, { defaultTtl });
    await settled();
    // Nobody has seen it since it expired, so nobody may see it before it goes.
    expect((await read(account, container, "a")).kind).toBe("refused");
    held.letGo();
    await redefined;
    await rounds;
    expect((await read(account, container, "a")).kind).toBe("refused");
    await stage.put("b");
    await time.advance(20 * SECOND);
    expect((await read(account, container, "b")).kind).toBe("found");
  });
});

/** A store whose commits to one part wait until they are told to go on. */
class HeldCommits {
  #part = -1;
  #release: (() => void)[] = [];

  over(store: EmbeddedStore): PartitionStore {
    return new Proxy<PartitionStore>(store, {
      get: (_target, name) => {
        const member: unknown = Reflect.get(store, name, store);
        if (typeof member !== "function") return member;
        const method = member.bind(store) as (...args: unknown[]) => unknown;
        if (name !== "commit") return method;
        return async (...args: unknown[]) => {
          if (args[0] === this.#part) await new Promise<void>((go) => this.#release.push(go));
          return method(...args);
        };
      },
    });
  }

  get count(): number {
    return this.#release.length;
  }

  hold(part: number): void {
    this.#part = part;
  }

  letGo(): void {
    this.#part = -1;
    for (const go of this.#release) go();
  }
}

describe("a round is not disturbed", () => {
  test.each(["by the end of the server", "by a container that is deleted"])("%s", async (rule) => {
    for (let at = 1; at <= 12; at++) {
      const stage = await opened({ defaultTtl: 10 });
      const { account, container, time, trouble } = stage;
      for (let n = 0; n < 70; n++) await stage.put(`${n}`);
      time.skip(10 * SECOND);
      let ended: Promise<unknown> | undefined;
      let callCount = 0;
      trouble.isDistant = true;
      trouble.fault = () => {
        if (ended === undefined && ++callCount === at) {
          const { catalog } = account;
          ended = /server/.test(rule)
            ? account.close()
            : catalog.deleteContainer(catalog.databaseOf(container), container);
        }
        return undefined;
      };
      await time.advance(2 * SECOND);
      expect(ended).toBeDefined();
      await ended;
      trouble.fault = undefined;
      // A defect in a round would be told now.
      await account.close();
    }
  });
});

describe("ends", () => {
  test("leave the log after a minute, and no item does", async () => {
    const stage = await opened({});
    await stage.put("a");
    await stage.put("b");
    await write(stage.account, stage.container, "delete", "a");
    expect(stage.logged()).toBe("created deleted");
    await stage.time.advance(MINUTE + 3 * SECOND);
    expect(stage.logged()).toBe("created");
  });

  test("stay as long as a copy may need them", async () => {
    const stage = await opened({});
    const { account, container, time, trouble } = stage;
    for (let n = 0; n < 20; n++) await write(account, container, "create", "i", {}, `k${n}`);
    trouble.isDistant = true;
    const { reshaping } = account;
    // The disk is full for the copy alone, so that it takes long.
    trouble.fault = (operation) => (operation === "adopt" ? new StoreFault("full") : undefined);
    void reshaping.start(container, SPLIT, "storage").result;
    for (let n = 0; n < 20; n += 2) await write(account, container, "delete", "i", {}, `k${n}`);
    await time.advance(2 * MINUTE);
    expect(stage.head().sweptLsn).toBe(0);
    trouble.fault = undefined;
    await time.advance(MINUTE);
    expect(container.map.entries.length).toBe(2);
    expect(stage.itemCount()).toBe(10);
  });

  test("and versions are forgotten when they were kept long enough, the oldest first", async () => {
    const stage = await opened({ changeFeedPolicy: { retentionDuration: 3 } });
    for (const id of ["a", "b", "c"]) {
      await stage.put(id);
      await write(stage.account, stage.container, "delete", id);
      await stage.time.advance(MINUTE);
    }
    expect(stage.head()).toMatchObject({ lsn: 6, sweptLsn: 0 });
    await stage.time.advance(MINUTE + 3 * SECOND);
    expect(stage.head().sweptLsn).toBeOneOf([2, 4]);
    await stage.time.advance(3 * MINUTE);
    expect(stage.head().sweptLsn).toBe(6);
  });

  test("and nothing is forgotten that is not out, not even LSNs that have none", async () => {
    const stage = await opened({ changeFeedPolicy: { retentionDuration: 60 } });
    const { account, container, time } = stage;
    const other = "elsewhere";
    for (let n = 0; n < 20; n++) await write(account, container, "upsert", "a", { n });
    await write(account, container, "upsert", "b", {}, other);
    const partitionId = container.map.entries[0]!.id;
    const request = { kind: "split", partitionId, at: "middle" } as const;
    expect((await account.reshaping.request(container, request)).ok).toBe(true);
    await time.advance(5 * MINUTE);
    // The child of the other key has no version before the last; readers come with older LSNs.
    for (const { head } of container.partitions.values()) expect(head.sweptLsn).toBe(0);
  });
});

test("nobody sees what is over, nor misses what is not, whatever he asks", async () => {
  const anyTtl = fc.constantFrom(undefined, -1, 3, 8);
  const anyAct = fc.oneof(
    fc.record({ kind: fc.constant("put" as const), id: fc.nat(5), ttl: anyTtl }),
    fc.record({ kind: fc.constant("batch" as const), id: fc.nat(5), ttl: anyTtl }),
    fc.record({ kind: fc.constantFrom("delete", "patch", "replace", "create"), id: fc.nat(5) }),
    fc.record({ kind: fc.constantFrom("skip", "advance", "restart", "split"), id: fc.nat(5) }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(undefined, -1, 5),
      fc.array(anyAct, { maxLength: 25, size: "max" }),
      async (defaultTtl, acts) => {
        const stage = await opened(defaultTtl === undefined ? {} : { defaultTtl });
        const model = new Lives(defaultTtl);
        for (const act of acts) {
          await perform(stage, model, act);
          expect(await seen(stage, model.ids)).toEqual(model.ids);
        }
        await stage.time.advance(12 * SECOND);
        model.pass(12);
        expect(stage.itemCount()).toBe(model.ids.length);
      },
    ),
    { numRuns: 12 },
  );
});

type Act = { readonly kind: string; readonly id: number; readonly ttl?: number | undefined };

async function perform(stage: Stage, model: Lives, { kind, id, ttl }: Act): Promise<void> {
  const name = `i${id}`;
  const members = ttl === undefined ? {} : { ttl };
  const { account, container } = stage;
  if (kind === "skip" || kind === "advance") {
    if (kind === "skip") stage.time.skip(id * SECOND);
    else await stage.time.advance(id * SECOND);
    model.pass(id);
  } else if (kind === "restart") {
    await settled();
    await stage.restart();
  } else if (kind === "split") {
    const { entries } = container.map;
    if (entries.length > 2) return;
    const request = { ...SPLIT, partitionId: entries[0]!.id };
    await account.reshaping.request(container, request);
  } else if (kind === "batch") {
    const done = await batch(account, container, [
      ["upsert", name, members],
      ["read", name],
    ]);
    expect(done.kind).toBe("committed");
    model.put(name, ttl);
  } else if (kind === "put") {
    const done = await write(account, container, "upsert", name, members);
    expect(done.kind).toBe(model.ids.includes(name) ? "replaced" : "created");
    model.put(name, ttl);
  } else {
    const body = kind === "patch" ? { operations: [{ op: "set", path: "/n", value: 1 }] } : {};
    const done = await write(account, container, kind as "delete", name, body);
    const isThere = model.ids.includes(name);
    expect(done.kind === "refused").toBe(kind === "create" ? isThere : !isThere);
    if (done.kind === "refused") return;
    if (kind === "delete") model.remove(name);
    else model.put(name, kind === "patch" ? model.ttlOf(name) : undefined);
  }
}

/** The ids that there are, by every way of asking; all must agree. */
async function seen(stage: Stage, expected: readonly string[]): Promise<readonly string[]> {
  const { account, container } = stage;
  const ids = ["i0", "i1", "i2", "i3", "i4", "i5"];
  const query = async (text: string): Promise<readonly string[]> => {
    const answer = await account.queryItems(container, { ...QUERY, text });
    return answer.ok ? answer.value.rows.map(String) : ["refused"];
  };
  const found = await Promise.all(ids.map((id) => read(account, container, id)));
  const byRead = ids.filter((_, index) => found[index]!.kind === "found");
  const scope = { range: WHOLE_RANGE, order: "creation" } as const;
  const feed = await account.readItems(container, { scope, position: undefined, countMax: 100 });
  const idsIn = (rows: readonly Buffer[]): readonly unknown[] =>
    objectsOf(rows)
      .map(({ id }) => id)
      .sort();
  expect(feed.ok && idsIn(feed.value.bodies)).toEqual(expected);
  expect(idsIn((await changesOf(account, container)).rows)).toEqual(expected);
  const quoted = expected.map((id) => `"${id}"`);
  expect(await query("SELECT VALUE c.id FROM c ORDER BY c.id")).toEqual(quoted);
  expect([...(await query(`SELECT VALUE c.id FROM c WHERE c.pk = "${KEY}"`))].sort()).toEqual(
    quoted,
  );
  for (const text of COUNTS) expect(await query(text)).toEqual([String(expected.length)]);
  const most = expected.length === 0 ? [] : [`"${expected.at(-1)}"`];
  expect(await query("SELECT VALUE MAX(c.id) FROM c")).toEqual(most);
  expect([...(await query("SELECT DISTINCT VALUE c.id FROM c"))].sort()).toEqual(quoted);
  return byRead;
}

const QUERY = {
  parameters: new Map<string, never>(),
  parameterNames: new Set<string>(),
  scope: { kind: "container" },
  isFanOutAllowed: true,
  continuation: undefined,
  countMax: 100,
} as const;

const COUNTS: readonly string[] = [
  "SELECT VALUE COUNT(1) FROM c",
  `SELECT VALUE COUNT(1) FROM c WHERE c.pk = "${KEY}"`,
  'SELECT VALUE COUNT(1) FROM c WHERE c.id >= "i"',
];

const NOW = { kind: "now" } as const;
const SPLIT = { kind: "split", partitionId: "0", at: "middle" } as const;

/** Seconds that items have left; those without an end last for ever. */
class Lives {
  readonly #defaultTtl: number | undefined;
  readonly #left = new Map<
    string,
    { readonly seconds: number; readonly ttl: number | undefined }
  >();

  constructor(defaultTtl: number | undefined) {
    this.#defaultTtl = defaultTtl;
  }

  get ids(): readonly string[] {
    return [...this.#left.keys()].sort();
  }

  ttlOf(id: string): number | undefined {
    return this.#left.get(id)?.ttl;
  }

  put(id: string, ttl: number | undefined): void {
    const lasts = this.#defaultTtl === undefined ? -1 : (ttl ?? this.#defaultTtl);
    this.#left.set(id, { seconds: lasts === -1 ? Number.POSITIVE_INFINITY : lasts, ttl });
  }

  remove(id: string): void {
    this.#left.delete(id);
  }

  pass(duration: number): void {
    for (const [id, { seconds, ttl }] of [...this.#left]) {
      if (seconds <= duration) this.#left.delete(id);
      else this.#left.set(id, { seconds: seconds - duration, ttl });
    }
  }
}

interface Stage {
  /** Those of the last start. */
  readonly account: Account;
  readonly container: Container;
  readonly time: Simulated["time"];
  readonly trouble: Simulated["trouble"];
  readonly put: (id: string, members?: JsonObject) => Promise<unknown>;
  /** Of the first physical partition. */
  readonly part: () => number;
  readonly head: () => PartHead;
  /** In all of them, seen or not. */
  readonly itemCount: () => number;
  readonly logged: () => string;
  /** Ends the server but for its store, as if that were on a disk. */
  readonly stop: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

async function opened(
  body: JsonObject,
  moreOn?: (simulated: Simulated) => Partial<CatalogSetting>,
): Promise<Stage> {
  const simulated = await simulatedAccount();
  const { time, store, trouble } = simulated;
  const more = moreOn?.(simulated);
  let account = more === undefined ? simulated.account : await simulated.reopen(more);
  await containerIn(account, await databaseIn(account), undefined, body);
  let container = account.catalog.container("d", "c")!;
  const part = (): number => container.map.entries[0]!.part;
  const stage: Stage = {
    get account() {
      return account;
    },
    get container() {
      return container;
    },
    time,
    trouble,
    put: (id, members) => write(account, container, "upsert", id, members),
    part,
    head: () => store.head(part())!,
    itemCount: () =>
      container.map.entries.reduce((sum, entry) => sum + store.head(entry.part)!.itemCount, 0),
    logged: () =>
      store
        .readLog(part(), lsn(0), 1000)
        .entries.map(({ kind }) => kind)
        .join(" "),
    stop: async () => {
      trouble.fault = (operation) =>
        operation === "close" ? new StoreFault("the store stays open") : undefined;
      await account.close().catch(() => undefined);
      trouble.fault = undefined;
    },
    restart: async () => {
      account = await simulated.reopen(more);
      container = account.catalog.container("d", "c")!;
    },
  };
  return stage;
}
