/**
 * What the log of one physical partition says, as rows: which changes have one in either mode, how
 * far a look has come, and that a transaction is never cut apart.
 */
import { describe, expect, test } from "vitest";
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import { epkOf } from "../../partition/epk.ts";
import { pointRange, WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { ItemWrite } from "../../store/partitionStore.ts";
import { itemKeyOf } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import {
  containerIn,
  databaseIn,
  simulatedAccount,
  troubledStore,
} from "../simulatedAccount.fake.ts";
import type { Step } from "../simulatedRequests.fake.ts";
import { batch, KEY, objectsOf, write } from "../simulatedRequests.fake.ts";
import type { Changes, ChangesRequest } from "./changes.ts";
import { changesIn } from "./changes.ts";

type Act = Step | readonly Step[] | number;

/** Writes, batches, and seconds that pass. */
const ACTS: readonly [rule: string, acts: readonly Act[], latest: string, all: string][] = [
  [
    "what was created",
    [
      ["create", "a"],
      ["create", "b"],
    ],
    "1a 2b",
    "1+a 2+b",
  ],
  [
    "what was changed",
    [
      ["create", "a"],
      ["create", "b"],
      ["upsert", "a"],
    ],
    "2b 3a",
    "1+a 2+b 3=a",
  ],
  [
    "what was deleted",
    [
      ["create", "a"],
      ["create", "b"],
      ["delete", "a"],
    ],
    "2b",
    "1+a 2+b 3-a",
  ],
  [
    "what was made again",
    [
      ["create", "a"],
      ["delete", "a"],
      ["create", "a"],
    ],
    "3a",
    "1+a 2-a 3+a",
  ],
  [
    "what was refused",
    [
      ["create", "a"],
      ["create", "a"],
      ["delete", "x"],
    ],
    "1a",
    "1+a",
  ],
  [
    "a batch",
    [
      [
        ["create", "a"],
        ["create", "b"],
      ],
      ["create", "c"],
    ],
    "1a 1b 2c",
    "1+a 1+b 2+c",
  ],
  [
    "a batch of which something is over",
    [
      [
        ["create", "a"],
        ["create", "b"],
      ],
      ["upsert", "a"],
    ],
    "1b 2a",
    "1+a 1+b 2=a",
  ],
  [
    "a batch that makes something anew",
    [
      ["create", "a"],
      [
        ["delete", "a"],
        ["create", "a"],
        ["upsert", "a"],
      ],
    ],
    "2a",
    "1+a 2-a 2+a",
  ],
  [
    "a batch that comes to nothing",
    [
      ["create", "a"],
      [
        ["create", "b"],
        ["create", "a"],
      ],
    ],
    "1a",
    "1+a",
  ],
  ["what has expired", [["create", "a", { ttl: 5 }], 5], "", "1+a"],
  ["what is about to expire", [["create", "a", { ttl: 5 }], 4], "1a", "1+a"],
  [
    "what took the place of something expired",
    [["create", "a", { ttl: 5 }], 5, ["create", "a"]],
    "2a",
    "1+a 2!a 2+a",
  ],
];

describe("rows", () => {
  test.each(ACTS)("of %s, in the latest mode", async (_rule, acts, latest) => {
    const stage = await opened();
    await stage.play(acts);
    expect(shown(await stage.changes())).toBe(latest);
  });

  test.each(ACTS)("of %s, in the mode of all", async (_rule, acts, _latest, all) => {
    const stage = await opened();
    await stage.play(acts);
    expect(shown(await stage.changes({ mode: "all" }))).toBe(all);
  });

  test("are about the keys that are asked for, whatever else there is", async () => {
    const stage = await opened();
    const { account, container } = stage;
    for (let n = 0; n < 6; n++) await write(account, container, "create", `${n}`, {}, `k${n % 2}`);
    const range = pointRange(epkOf(container.definition.partitionKey, ["k1"]));
    for (const mode of ["latest", "all"] as const) {
      const changes = await stage.changes({ mode, range });
      expect(objectsOf(changes.rows).map(idOf).join("")).toBe("135");
      expect(changes.through).toBe(6);
    }
  });

  test("of the latest mode are items as they are, with their LSN", async () => {
    const stage = await opened();
    await stage.play([["create", "a", { n: 1, _lsn: "mine" }]]);
    const [row] = objectsOf((await stage.changes()).rows);
    expect(row).toMatchObject({ id: "a", pk: KEY, n: 1, _lsn: 1 });
    expect(Object.keys(row!)).toEqual(expect.arrayContaining(["_rid", "_etag", "_ts", "_self"]));
  });

  test("of the mode of all say what there was before, and when", async () => {
    const stage = await opened();
    const from = Math.floor(stage.time.clock.wallNow() / 1000);
    await stage.play([
      ["create", "a", { n: 1 }],
      3,
      ["replace", "a", { n: 2 }],
      4,
      ["delete", "a"],
    ]);
    const [made, changed, ended] = objectsOf((await stage.changes({ mode: "all" })).rows);
    expect(made).toMatchObject({
      current: { id: "a", n: 1 },
      metadata: { operationType: "create", lsn: 1, crts: from },
    });
    expect(Object.keys(made!)).not.toContain("previous");
    expect(Object.keys(changed!)).not.toContain("previous");
    expect(changed).toMatchObject({
      current: { n: 2 },
      metadata: { operationType: "replace", lsn: 2, crts: from + 3, previousImageLSN: 1 },
    });
    expect(ended).toEqual({
      current: {},
      previous: (changed as { readonly current: JsonObject }).current,
      metadata: {
        operationType: "delete",
        lsn: 3,
        crts: from + 7,
        previousImageLSN: 2,
        id: "a",
        partitionKey: { pk: KEY },
        timeToLiveExpired: false,
      },
    });
  });

  test.each([
    ["/pk", { pk: KEY }],
    ['/"a/b"', { "a/b": null }],
    ["/nested/name", { name: null }],
  ])("name the key of an end by its property, for %s", async (path, partitionKey) => {
    const stage = await opened({ partitionKey: { paths: [path], kind: "Hash", version: 2 } });
    const { account, container } = stage;
    const key = path === "/pk" ? [KEY] : [undefined];
    for (const kind of ["create", "delete"] as const) {
      const body = { id: "a", pk: KEY };
      const written = account.writeItem(container, { kind, id: "a", key, body } as never);
      if (written.ok) await written.value;
    }
    const [, ended] = objectsOf((await stage.changes({ mode: "all" })).rows);
    expect(ended).toMatchObject({ metadata: { partitionKey } });
  });
});

describe("a look", () => {
  const TEN = Array.from({ length: 10 }, (_, n): Step => ["create", `${n}`]);

  test.each<
    [rule: string, asked: Partial<ChangesRequest>, rows: number, through: number, isEnd: boolean]
  >([
    ["has what fits", { countMax: 3 }, 3, 3, false],
    ["begins behind what was seen", { countMax: 3, afterLsn: lsn(8) }, 2, 10, true],
    ["at the end has nothing", { afterLsn: lsn(10) }, 0, 10, true],
    ["that is just full has come to the last row", { countMax: 10 }, 10, 10, true],
    ["ends with the row that reaches the bytes", { bytesMax: 1 }, 1, 1, false],
  ])("%s", async (_rule, asked, rows, through, isEnd) => {
    for (const mode of ["latest", "all"] as const) {
      const stage = await opened();
      await stage.play(TEN);
      const changes = await stage.changes({ mode, ...asked });
      expect([changes.rows.length, changes.through, changes.isEnd]).toEqual([rows, through, isEnd]);
    }
  });

  test("gives a transaction whole, however long it is", async () => {
    for (const mode of ["latest", "all"] as const) {
      const stage = await opened();
      await stage.play([["create", "first"], TEN, ["create", "last"]]);
      const { rows, through } = await stage.changes({ mode, countMax: 2 });
      expect([rows.length, through]).toEqual([11, 2]);
      const rest = await stage.changes({ mode, countMax: 2, afterLsn: through });
      expect([rest.rows.length, rest.through]).toEqual([1, 3]);
    }
  });

  test("passes over what has no row, to the end", async () => {
    const stage = await opened();
    await stage.play([...TEN, ...TEN.map(([, id]): Step => ["delete", id])]);
    expect(await stage.changes()).toEqual({ rows: [], through: 20, isEnd: true });
  });

  test("gives up after many that have no row, and has come further", async () => {
    const stage = await opened();
    const { container } = stage;
    const [partition] = container.partitions.values();
    const epk = epkOf(container.definition.partitionKey, [KEY]);
    const count = 64 * 256 + 100;
    await partition!.commitBetween(async () =>
      Array.from({ length: count }, (_, n) => [putOf(itemKeyOf(epk, `${n}`), n + 1)]),
    );
    const range = pointRange(epkOf(container.definition.partitionKey, ["other"]));
    for (const mode of ["latest", "all"] as const) {
      const first = await stage.changes({ mode, range });
      expect([first.rows.length, first.isEnd]).toEqual([0, false]);
      expect(first.through).toBe(64 * 256);
      const second = await stage.changes({ mode, range, afterLsn: first.through });
      expect(second).toEqual({ rows: [], through: count, isEnd: true });
    }
  });

  test("goes no further than its physical partition knows, while somebody writes", async () => {
    for (const mode of ["latest", "all"] as const) {
      const stage = await opened();
      stage.trouble.isDistant = true;
      const [partition] = stage.container.partitions.values();
      const writing = stage.play([...TEN]);
      const looks: Promise<readonly [Lsn, Lsn]>[] = [];
      for (let turn = 0; turn < 300; turn++) {
        const look = stage.changes({ mode });
        looks.push(look.then(({ through }) => [through, partition!.lsn] as const));
        await Promise.resolve();
      }
      for (const [through, known] of await Promise.all(looks)) {
        expect(through).toBeLessThanOrEqual(known);
      }
      await writing;
    }
  });
});

/** `1+a`: at LSN 1 a was created; `=` changed, `-` deleted, `!` expired. */
function shown({ rows }: Changes): string {
  return objectsOf(rows)
    .map((row) => {
      const { metadata } = row as { readonly metadata?: JsonObject };
      if (metadata === undefined) return `${row["_lsn"]}${idOf(row)}`;
      const signs: Record<string, string> = { create: "+", replace: "=", delete: "-" };
      const sign =
        metadata["timeToLiveExpired"] === true ? "!" : signs[`${metadata["operationType"]}`];
      return `${metadata["lsn"]}${sign}${idOf(row)}`;
    })
    .join(" ");
}

function idOf(row: JsonObject): string {
  const { current, metadata } = row as { readonly current?: JsonObject; metadata?: JsonObject };
  return String(current?.["id"] ?? metadata?.["id"] ?? row["id"]);
}

function putOf(key: string, number: number): ItemWrite {
  const terms = { termsAdded: [], termsRemoved: [] };
  return { kind: "put", key, number, tag: 0, body: BODY, before: undefined, ...terms };
}

const BODY = Buffer.from("{}");

interface Stage extends Simulated {
  readonly container: Container;
  readonly play: (acts: readonly Act[]) => Promise<void>;
  readonly changes: (asked?: Partial<ChangesRequest>) => Promise<Changes>;
}

async function opened(body: JsonObject = {}): Promise<Stage> {
  const simulated = await simulatedAccount();
  const { account, time, store, trouble } = simulated;
  const asked = { defaultTtl: -1, changeFeedPolicy: { retentionDuration: 60 }, ...body };
  const container = await containerIn(account, await databaseIn(account), undefined, asked);
  const play = async (acts: readonly Act[]): Promise<void> => {
    for (const act of acts) {
      if (typeof act === "number") time.skip(act * 1000);
      else if (typeof act[0] !== "string") await batch(account, container, act as readonly Step[]);
      else {
        const [kind, id, members] = act as Step;
        await write(account, container, kind as "create", id, members);
      }
    }
  };
  const [partition] = container.partitions.values();
  const changes: Stage["changes"] = (more = {}) =>
    changesIn({ store: troubledStore(store, trouble), timer: time.timer }, partition!, {
      mode: "latest",
      range: WHOLE_RANGE,
      afterLsn: lsn(0),
      countMax: 100,
      bytesMax: 1e9,
      ...more,
    });
  return { ...simulated, container, play, changes };
}
