/** Every kind of damage that is planted in a data directory is found; one without gives nothing. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lsn } from "../../src/base/units.ts";
import { encodeNumber } from "../../src/store/bytes.ts";
import {
  decodeVersion,
  encodeChange,
  encodeItem,
  encodeTally,
  encodeVersion,
  HEAD_TABLE,
  KEY_TABLE,
  LATE_TERMS_TABLE,
  PREFIX_BYTES,
  prefixOf,
  tablePrefix,
} from "../../src/store/lmdb/keys.ts";
import {
  decodeBlock,
  encodeBlock,
  firstOfKey,
  termOfKey,
} from "../../src/store/lmdb/termBlocks.ts";
import { decodeHead, encodeHead, HEAD_BYTES } from "../../src/store/partHead.ts";
import type { PartHead, StoredItem } from "../../src/store/partitionStore.ts";
import type { Tables } from "./damageStage.ts";
import { buildData, ITEM_COUNT, Site, settle } from "./damageStage.ts";

let root: string;
let template: string;
let siteCount = 0;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "orrery-check-"));
  template = join(root, "template");
  await buildData(template);
}, 60_000);

afterAll(() => rmSync(root, { recursive: true, force: true }));

function site(): Site {
  return new Site(template, join(root, `site-${++siteCount}`));
}

describe("a directory without damage", () => {
  test("gives no finding, and what is in it", async () => {
    const report = await site().check();
    expect(report.findings).toEqual([]);
    const counts = report.contents!.containers.map(({ itemCount }) => itemCount);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ITEM_COUNT);
    expect(report.tables!.entryCount).toBeGreaterThan(500);
  });

  test("stays as it is, byte by byte", async () => {
    const clean = site();
    const before = stateOf(clean.directory);
    await clean.check();
    await clean.check(true);
    expect(stateOf(clean.directory)).toEqual(before);
  });

  test("with a journal gives none either", async () => {
    const written = site();
    await written.inStore(async (store) => {
      const part = store.parts()[1]!;
      await store.claim(part, 9);
      await store.commit(part, 9, [[]]);
    });
    const report = await written.check();
    expect(report.findings).toEqual([]);
    expect(report.journal).toEqual({ segmentCount: 1, frameCount: 2 });
  });

  test("a write that a power cut has cut short is noticed, and is no damage", async () => {
    const cut = site();
    await cut.inStore(async (store) => {
      await store.claim(0, 9);
      await store.claim(0, 10);
    });
    const [name] = readdirSync(join(cut.directory, "journal"));
    cut.inFile(`journal/${name}`, (bytes) => bytes.subarray(0, bytes.length - 3));
    const { findings, damageCount } = await cut.check();
    expect(damageCount).toBe(0);
    expect(findings).toMatchObject([{ kind: "notice", place: expect.stringContaining(name!) }]);
  });

  test("items may have the terms of a former policy, while they are indexed anew", async () => {
    const changing = site();
    const ofItems = async (): Promise<readonly string[]> => {
      const { findings } = await changing.check();
      return findings.filter(({ place }) => place.startsWith("shop")).map(({ text }) => text);
    };
    await changing.inTables((t) => catalogued(t, withFormerPolicy));
    expect(await ofItems()).toEqual([]);
    // What all policies have must be there all the same.
    await changing.inTables((t) => t.remove(blockOf(t, 1).key));
    expect((await ofItems()).join("\n")).toMatch(/lacks a term/);
  });

  test("a part that no container names is noticed", async () => {
    const crashed = site();
    await crashed.inStore(async (store) => {
      await store.claim(77, 1);
    });
    const { findings, damageCount } = await crashed.check();
    expect(damageCount).toBe(0);
    expect(findings).toMatchObject([{ kind: "notice", place: "part 77" }]);
  });
});

/** What is planted, what is to be said about it. */
type Planted = readonly [what: string, plant: (tables: Tables) => void, says: RegExp];

const IN_TABLES: readonly Planted[] = [
  ["a term is dropped", (t) => t.remove(blockOf(t, 1).key), /lacks a term/],
  [
    "an item is dropped from a block of a term",
    (t) => {
      const { key, value } = blockOf(t, 3);
      t.put(key, encodeBlock(decodeBlock(firstOfKey(key), value).slice(0, -1)));
    },
    /lacks a term/,
  ],
  [
    "an item has a term that is not its own",
    (t) => t.put(lateTerm(t, `\x90term of nothing`, first(t).number), Buffer.alloc(0)),
    /a term that is not its own/,
  ],
  [
    "an item has a term twice",
    (t) => {
      const { key } = blockOf(t, 1);
      t.put(lateTerm(t, termOfKey(key).slice(PREFIX_BYTES), firstOfKey(key)), Buffer.alloc(0));
    },
    /a term twice/,
  ],
  [
    "a term has an item that is not there",
    (t) => t.put(lateTerm(t, "\x90term", 9_999), Buffer.alloc(0)),
    /no item 9999 is there/,
  ],
  [
    "a block of a term is cut off",
    (t) => t.put(blockOf(t, 3).key, Buffer.from([1, 200])),
    /the block is cut off/,
  ],
  [
    "a block begins inside of another",
    (t) => {
      const { key, value } = blockOf(t, 3);
      const numbers = decodeBlock(firstOfKey(key), value);
      t.put(termOfKey(key) + encodeNumber(numbers[1]!), Buffer.alloc(0));
    },
    /begins before the one in front/,
  ],
  ["the head counts too many items", (t) => head(t, { itemCount: 1_000 }), /1000 items, and there/],
  ["the head counts too few bytes", (t) => head(t, { itemBytes: 1 }), /1 bytes, and there/],
  ["the head knows no such item number", (t) => head(t, { numberMax: 1 }), /number above 1/],
  ["the head is behind the log", (t) => head(t, { lsn: lsn(2) }), /the head is at LSN 2 only/],
  ["the head is gone", (t) => t.remove(prefixOf(part(t), HEAD_TABLE)), /not there|no head/],
  [
    "the head is cut off",
    (t) => t.put(prefixOf(part(t), HEAD_TABLE), Buffer.alloc(20)),
    /this is no head/,
  ],
  [
    "a tally is changed",
    (t) => t.put(tally(t).key, encodeTally({ itemCount: 7, itemBytes: 7 })),
    /tells of 7 items with 7 bytes/,
  ],
  ["a tally is gone", (t) => t.remove(tally(t).key), /there is none, but/],
  [
    "a tally of nothing",
    (t) => {
      const key = `${tablePrefix(part(t), "tallies")}00FF`;
      t.put(key, encodeTally({ itemCount: 1, itemBytes: 1 }));
    },
    /tells of 1 items with 1 bytes, and there are 0/,
  ],
  [
    "a property of an item is another",
    (t) => item(t, (one) => ({ ...one, body: changed(one, '"number":', '"numbor":') })),
    /lacks a term/,
  ],
  [
    "the id of an item is another",
    (t) => item(t, (one) => ({ ...one, body: changed(one, '"id":"i', '"id":"j') })),
    /it is kept as "i/,
  ],
  [
    "the partition key of an item is another",
    (t) => item(t, (one) => ({ ...one, body: changed(one, '"pk":"p', '"pk":"q') })),
    /it is kept as .* at EPK/,
  ],
  [
    "the body of an item is no JSON",
    (t) => item(t, (one) => ({ ...one, body: changed(one, '{"id"', '["id"') })),
    /the body is no JSON object/,
  ],
  [
    "the body of an item is no UTF-8",
    (t) => item(t, (one) => ({ ...one, body: changed(one, "text", "te\xfft") })),
    /the body is no JSON object/,
  ],
  ["the ttl of an item is another", (t) => item(t, (one) => ({ ...one, tag: 5 })), /kept with 5/],
  [
    "an item is cut off",
    (t) => t.put(itemPlace(t, first(t)), encodeItem(first(t)).subarray(0, 11)),
    /the value is cut off/,
  ],
  ["an item is gone", (t) => t.remove(itemPlace(t, first(t))), /which is not there/],
  [
    "an item is at another LSN",
    (t) => item(t, (one) => ({ ...one, lsn: lsn(one.lsn + 1) })),
    /the item is at LSN/,
  ],
  [
    "the key of an item is gone",
    (t) => t.remove(prefixOf(part(t), KEY_TABLE) + first(t).key),
    /its key leads to nothing/,
  ],
  [
    "the key of an item leads to another one",
    (t) => {
      const [one, other] = t.items(part(t));
      const number = Buffer.from(encodeNumber(other!.number), "latin1");
      t.put(prefixOf(part(t), KEY_TABLE) + one!.key, number);
    },
    /another item|another key/,
  ],
  [
    "a key leads to an item that has another",
    (t) => {
      const number = Buffer.from(encodeNumber(first(t).number), "latin1");
      t.put(`${prefixOf(part(t), KEY_TABLE)}05\x00stranger`, number);
    },
    /which has another key/,
  ],
  ["the log does not name an item", (t) => t.remove(logPlace(t, first(t))), /does not name it/],
  [
    "the log names a version that is over",
    (t) => {
      const one = { ...first(t), lsn: lsn(first(t).lsn + 1) };
      t.put(logPlace(t, one), encodeChange("replaced", one.key));
    },
    /the item is at LSN/,
  ],
  [
    "the log names the end of an item that is there",
    (t) => t.put(logPlace(t, first(t)), encodeChange("deleted", first(t).key)),
    // Ends are not read any more where the log has been swept meanwhile.
    /ended, and is there|the log does not name it/,
  ],
  [
    "the log names an item of another range",
    (t) => {
      const [, other] = t.partsOf("orders");
      const [foreign] = t.items(other!);
      const place = logPlace(t, { ...foreign!, lsn: lsn(1), number: 9_000 });
      t.put(place, encodeChange("replaced", foreign!.key));
    },
    /its key is not in the range/,
  ],
  [
    "the kind of a change is none",
    (t) => t.put(logPlace(t, first(t)), Buffer.from("\x63key", "latin1")),
    /this is no change/,
  ],
  [
    "a kept version is newer than the head",
    (t) => version(t, (one) => ({ ...one, lsn: lsn(99_999) })),
    /the head is at LSN/,
  ],
  [
    "a kept version follows itself",
    (t) => version(t, (one) => ({ ...one, previousLsn: one.lsn })),
    /took the place of one at/,
  ],
  [
    "a kept version has another body than the item",
    (t) => version(t, (one) => ({ ...one, body: Buffer.from("{}") })),
    /the item has another body/,
  ],
  [
    "there is a table that nobody knows",
    (t) => t.put(prefixOf(part(t), 99), Buffer.alloc(1)),
    /a key of no table/,
  ],
  [
    "the parts of two partitions are exchanged",
    (t) => catalogued(t, swapParts),
    /its key is not in the range/,
  ],
  ["the partition map has a gap", (t) => catalogued(t, openGap), /catalogue is damaged/],
  [
    "a part of a container is another one's",
    (t) => catalogued(t, (text) => text.replace(/"part":\d+/, `"part":${t.partsOf("plain")[0]}`)),
    /has the same part/,
  ],
  [
    "a part of a container is not there",
    (t) => catalogued(t, (text) => text.replace(/"part":\d+/, '"part":5000')),
    /its part 5000 is not there/,
  ],
  ["a record of the catalogue is no JSON", (t) => catalogued(t, (x) => x.slice(1)), /JSON|token/],
  [
    "a container is kept as another",
    (t) => catalogued(t, (text) => text.replace(/"containerNumber":\d+/, '"containerNumber":1000')),
    /it is kept as "container|would be/,
  ],
  [
    "a counter would give a number again",
    (t) => catalogued(t, (text) => text.replace(/"part":\d+/, '"part":1'), "counters"),
    /the next part would be 1/,
  ],
  [
    "a counter would give the number of a user again",
    (t) => catalogued(t, (text) => text.replace(/"resource":\d+/, '"resource":1'), "counters"),
    /the next resource would be 1/,
  ],
  [
    "a user has no database",
    (t) =>
      catalogued(t, (text) => text.replace(/"ownerRid":"\w+/, '"ownerRid":"AAAAZA'), "resource"),
    /its owner AAAAZA== is not there/,
  ],
  [
    "two users have one name",
    (t) => catalogued(t, (text) => text.replace("orders", "others"), "resource"),
    /another one has its name "others"/,
  ],
  [
    "the policy of a container is another",
    (t) => catalogued(t, (text) => text.replace('"path":"/*"', '"path":"/pk/?"')),
    /a term that is not its own/,
  ],
];

describe("damage in the tables is found when", () => {
  test.each(IN_TABLES)("%s", async (_what, plant, says) => {
    const damaged = site();
    await damaged.inTables(plant);
    const { findings, damageCount } = await damaged.check();
    expect(damageCount).toBeGreaterThan(0);
    const damages = findings.filter(({ kind }) => kind === "damage");
    expect(damages.map(({ text }) => text).join("\n")).toMatch(says);
    for (const { place } of damages) expect(place).toMatch(/^(shop|catalogue|tables|store)/);
  });
});

describe("damage by commits is found when", () => {
  test("a commit counts what it replaces wrongly", async () => {
    const damaged = site();
    await damaged.inStore(async (store) => {
      const [, one] = store.parts();
      const { epoch } = store.head(one!)!;
      const [item] = store.scanItems(one!, 0, { countMax: 1, bytesMax: 1 }).items;
      const { key, number, tag, body } = item!;
      const before = { lsn: item!.lsn, bodyBytes: body.length + 3 };
      const terms = { termsAdded: [], termsRemoved: [] };
      const write = { kind: "put", key, number, tag, body, before, ...terms } as const;
      await store.commit(one!, epoch, [[write]]);
    });
    const { findings } = await damaged.check();
    expect(findings.map(({ text }) => text).join("\n")).toMatch(/bytes, and there are/);
    await settle(damaged.directory);
    expect((await damaged.check()).damageCount).toBe(findings.length);
  });

  test("two items have the same unique key", async () => {
    const damaged = site();
    await damaged.inStore(async (store) => {
      const [, one] = store.parts();
      const { epoch } = store.head(one!)!;
      const scan = { range: { min: "\x02", max: "\x03" }, countMax: 500, bytesMax: 1e9 };
      const { entries } = store.scanTerms(one!, { ...scan, withItems: true });
      const [holder, other] = [
        entries[0]!,
        entries.find(({ number }) => number !== entries[0]!.number)!,
      ];
      const { key, number } = other.item!;
      const terms = { termsAdded: [holder.term], termsRemoved: [] };
      await store.commit(one!, epoch, [[{ kind: "reterm", key, number, ...terms }]]);
    });
    const texts = (await damaged.check()).findings.map(({ text }) => text).join("\n");
    expect(texts).toMatch(/has the same unique key/);
  });
});

describe("damage in the journal is found when", () => {
  test("a byte of a frame is another that frames follow", async () => {
    const damaged = site();
    const name = await withFrames(damaged);
    damaged.inFile(name, (bytes) => flipped(bytes, 60));
    const { findings } = await damaged.check();
    expect(findings[0]).toMatchObject({ kind: "damage", place: "journal" });
    expect(findings[0]!.text).toMatch(/\d{10}\.journal is unreadable at offset \d+/);
  });

  test("the header of a segment is another", async () => {
    const damaged = site();
    const name = await withFrames(damaged);
    damaged.inFile(name, (bytes) => flipped(bytes, 3));
    expect((await damaged.check()).findings[0]!.text).toMatch(/no valid header/);
  });

  test("a segment is missing", async () => {
    const whole = site();
    await withFrames(whole);
    // Opened once more, its segment is absorbed and another begun; the tables of before lack it.
    const damaged = new Site(whole.directory, join(root, "lacking"));
    await withFrames(damaged);
    for (const name of readdirSync(join(whole.directory, "journal"))) {
      rmSync(join(damaged.directory, "journal", name), { force: true });
    }
    for (const name of ["tables/data.mdb", "tables/pages.sums"]) {
      damaged.inFile(name, () => readFileSync(join(whole.directory, name)));
    }
    expect((await damaged.check()).findings[0]!.text).toMatch(/frame \d+ is missing/);
  });

  test("the tables are gone", async () => {
    const damaged = site();
    await withFrames(damaged);
    rmSync(join(damaged.directory, "tables"), { recursive: true });
    expect((await damaged.check()).damageCount).toBeGreaterThan(0);
  });

  test("a quick check finds it, too", async () => {
    const damaged = site();
    const name = await withFrames(damaged);
    damaged.inFile(name, (bytes) => flipped(bytes, 60));
    expect((await damaged.check(true)).damageCount).toBe(1);
  });
});

/** A segment with some frames; its name. */
async function withFrames(damaged: Site): Promise<string> {
  await damaged.inStore(async (store) => {
    const { epoch } = store.head(0)!;
    for (let more = 1; more <= 5; more++) await store.claim(0, epoch + more);
  });
  return `journal/${readdirSync(join(damaged.directory, "journal")).sort().at(-1)}`;
}

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at]! ^= 0x40;
  return bytes;
}

function stateOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(directory, name);
      const { mtimeMs } = statSync(path);
      const text = statSync(path).isFile() ? readFileSync(path, "base64") : "";
      return [name, `${mtimeMs} ${text}`];
    }),
  );
}

/** The part that most of the damage is done to: of the container with unique keys. */
function part(tables: Tables): number {
  return tables.partsOf("orders")[0]!;
}

/** An item that was written once and says something of everything. */
function first(tables: Tables): StoredItem {
  return tables.items(part(tables)).find(({ body }) => body.includes("ä"))!;
}

function itemPlace(tables: Tables, { number }: StoredItem): string {
  return tablePrefix(part(tables), "items") + encodeNumber(number);
}

function logPlace(tables: Tables, { lsn: at, number }: StoredItem): string {
  return tablePrefix(part(tables), "log") + encodeNumber(at) + encodeNumber(number);
}

function lateTerm(tables: Tables, term: string, number: number): string {
  return prefixOf(part(tables), LATE_TERMS_TABLE) + term + encodeNumber(number);
}

/** The first block of a term that so many items have, at least. */
function blockOf(tables: Tables, countMin: number): { key: string; value: Buffer } {
  const blocks = tables.entries(tablePrefix(part(tables), "terms"));
  return blocks.find(({ key, value }) => decodeBlock(firstOfKey(key), value).length >= countMin)!;
}

function tally(tables: Tables): { key: string; value: Buffer } {
  return tables.entries(tablePrefix(part(tables), "tallies"))[0]!;
}

function head(tables: Tables, change: Partial<PartHead>): void {
  const key = prefixOf(part(tables), HEAD_TABLE);
  const value = Buffer.alloc(HEAD_BYTES);
  encodeHead({ ...decodeHead(tables.environment.getBinary(key)!, 0), ...change }, value, 0);
  tables.put(key, value);
}

function item(tables: Tables, change: (item: StoredItem) => StoredItem): void {
  tables.put(itemPlace(tables, first(tables)), encodeItem(change(first(tables))));
}

/** One text of a body for another; of the same length, unless it says otherwise. */
function changed({ body }: StoredItem, from: string, to: string): Buffer {
  const text = body.toString("latin1");
  expect(text).toContain(from);
  return Buffer.from(text.replace(from, to), "latin1");
}

type Version = ReturnType<typeof decodeVersion>;

/** Of the latest kept version of an item that is there. */
function version(tables: Tables, change: (version: Version) => Version): void {
  const [plain] = tables.partsOf("plain");
  const prefix = tablePrefix(plain!, "versions");
  const live = new Set(tables.items(plain!).map(({ lsn: at }) => at));
  const versions = tables.entries(prefix).map(({ key, value }) => ({
    key,
    version: decodeVersion(key.slice(PREFIX_BYTES), value),
  }));
  const found = versions.find((one) => live.has(one.version.lsn))!;
  const after = change(found.version);
  tables.remove(found.key);
  tables.put(prefix + encodeNumber(after.lsn) + encodeNumber(after.number), encodeVersion(after));
}

/** Changes the text of a record of the catalogue, of the same length to the tallies' eyes. */
function catalogued(tables: Tables, change: (text: string) => string, kind = "container"): void {
  const isIt = ({ key, body }: StoredItem): boolean =>
    key.startsWith(kind) && (kind === "counters" || body.includes('"id":"orders"'));
  const found = tables.items(0).find(isIt)!;
  const text = change(found.body.toString());
  expect(text).not.toBe(found.body.toString());
  const key = tablePrefix(0, "items") + encodeNumber(found.number);
  tables.put(key, encodeItem({ ...found, body: Buffer.from(text) }));
}

/** Of the policy that items were written under, only the partition key is left. */
function withFormerPolicy(text: string): string {
  const record = JSON.parse(text);
  const { container } = record;
  container.formerPolicies = [container.definition.indexingPolicy];
  container.definition.indexingPolicy = {
    ...container.definition.indexingPolicy,
    includedPaths: [{ path: "/pk/?" }],
    excludedPaths: [{ path: "/*" }],
  };
  return JSON.stringify(record);
}

function swapParts(text: string): string {
  const [one, other] = [...text.matchAll(/"part":(\d+)/g)].map(([, number]) => number);
  const swapped = new Map([
    [one, other],
    [other, one],
  ]);
  return text.replace(/"part":(\d+)/g, (_, part) => `"part":${swapped.get(part) ?? part}`);
}

function openGap(text: string): string {
  return text.replace(/"max":"([0-9A-F]+)"/, (_, max: string) => `"max":"${max.slice(0, -1)}0"`);
}
