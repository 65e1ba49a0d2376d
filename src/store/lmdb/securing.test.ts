/**
 * What becomes of damaged tables: the entry that is damaged is refused, and everything else is
 * there; what follows from items is made again; an interrupted replacement is finished.
 */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import { encodeNumber } from "../bytes.ts";
import { encodeHead, HEAD_BYTES } from "../partHead.ts";
import { StoreDamage } from "../partitionStore.ts";
import { openEnvironment } from "./environment.ts";
import {
  encodeItem,
  encodeTally,
  FORMAT,
  FORMAT_KEY,
  HEAD_TABLE,
  KEY_TABLE,
  prefixOf,
  tablePrefix,
} from "./keys.ts";
import { LmdbBottom } from "./lmdbBottom.ts";
import { isSealedKey, sealed } from "./seal.ts";
import { sumAnew } from "./securing.ts";

const PART = 3;
const ITEM_COUNT = 400;

let root: string;
let template: string;
let copyCount = 0;
const told: string[] = [];
const watcher = {
  onDamage: (text: string) => void told.push(text),
  onNotice: () => undefined,
  onProgress: () => undefined,
};

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "orrery-securing-"));
  template = join(root, "template");
  const tables = openEnvironment(template);
  tables.transactionSync(() => {
    const put = (key: string, value: Buffer): void => {
      tables.putSync(key, isSealedKey(key) ? sealed(key, value) : value);
    };
    put(FORMAT_KEY, Buffer.from(FORMAT));
    const head = Buffer.alloc(HEAD_BYTES);
    const counted = { itemCount: ITEM_COUNT, itemBytes: 0, numberMax: ITEM_COUNT };
    encodeHead({ epoch: 1, lsn: lsn(ITEM_COUNT), sweptLsn: lsn(0), ...counted }, head, 0);
    put(prefixOf(PART, HEAD_TABLE), head);
    for (let number = 1; number <= ITEM_COUNT; number++) {
      const key = keyOf(number);
      const item = { key, number, lsn: lsn(number), tag: 0, body: bodyOf(number) };
      put(tablePrefix(PART, "items") + encodeNumber(number), encodeItem(item));
      put(prefixOf(PART, KEY_TABLE) + key, Buffer.from(encodeNumber(number), "latin1"));
      put(`${tablePrefix(PART, "terms")}term ${key}${encodeNumber(number)}`, Buffer.alloc(0));
    }
    for (let family = 0; family < 10; family++) {
      const tally = { itemCount: ITEM_COUNT / 10, itemBytes: bytesOfFamily(family) };
      put(`${tablePrefix(PART, "tallies")}family ${family}`, encodeTally(tally));
    }
  });
  await tables.close();
  sumAnew(template);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function keyOf(number: number): string {
  return `family ${number % 10}\x00key ${String(number).padStart(5, "0")}`;
}

/** Every fiftieth has pages of its own. */
function bodyOf(number: number): Buffer {
  return Buffer.from(`body of ${number} `.repeat(number % 50 === 0 ? 2000 : 20));
}

function bytesOfFamily(family: number): number {
  let bytes = 0;
  for (let number = 1; number <= ITEM_COUNT; number++) {
    if (number % 10 === family) bytes += bodyOf(number).length;
  }
  return bytes;
}

/** A copy of the tables in which a byte of a place that holds `text` is another. */
function damaged(text: string, offset = 0, find: "indexOf" | "lastIndexOf" = "indexOf"): string {
  const directory = join(root, `copy${++copyCount}`);
  cpSync(template, directory, { recursive: true });
  const path = join(directory, "data.mdb");
  const bytes = readFileSync(path);
  const at = bytes[find](text, find === "indexOf" ? 2 * 8192 : bytes.length, "latin1");
  expect(at).toBeGreaterThan(0);
  bytes[at + offset]! ^= 0x11;
  writeFileSync(path, bytes);
  return directory;
}

async function opened(directory: string): Promise<LmdbBottom> {
  told.length = 0;
  return LmdbBottom.open({ journalDirectory: "", tablesDirectory: directory }, watcher);
}

/** The items that cannot be read, by their keys. */
function unreadable(bottom: LmdbBottom): readonly number[] {
  const found: number[] = [];
  for (let number = 1; number <= ITEM_COUNT; number++) {
    try {
      const item = bottom.byKey(PART, keyOf(number));
      expect(item?.body.toString()).toBe(bodyOf(number).toString());
    } catch (error) {
      expect(error).toBeInstanceOf(StoreDamage);
      found.push(number);
    }
  }
  return found;
}

test.each([7, 100])(
  "an item whose body is damaged is refused, it alone (item %i)",
  async (number) => {
    const bottom = await opened(damaged(`body of ${number} `, 3));
    expect(unreadable(bottom)).toEqual([number]);
    const hex = Buffer.from(encodeNumber(number), "latin1").toString("hex");
    expect(told.join("\n")).toMatch(new RegExp(`part ${PART}, item (${number}|${hex})\\b`));
    expect(() => [...bottom.entries(PART, "items", "", "\xff", false)]).toThrow(StoreDamage);
    expect(bottom.byKey(PART, keyOf(ITEM_COUNT + 1))).toBeUndefined();
    await bottom.close();
  },
);

test("it stays so when the tables are opened again", async () => {
  const directory = damaged("body of 7 ", 3);
  await (await opened(directory)).close();
  const again = await opened(directory);
  expect(unreadable(again)).toEqual([7]);
  await again.close();
});

test("keys and tallies that are damaged are made again from the items", async () => {
  const prefix = prefixOf(PART, KEY_TABLE);
  const bottom = await opened(damaged(prefix + keyOf(123), 8));
  expect(unreadable(bottom)).toEqual([]);
  expect(told).not.toEqual([]);
  await bottom.close();
  const tally = `${tablePrefix(PART, "tallies")}family 4`;
  const other = await opened(damaged(tally, 7, "lastIndexOf"));
  expect(other.tally(PART, "family 4")).toEqual({
    itemCount: ITEM_COUNT / 10,
    itemBytes: bytesOfFamily(4),
  });
  await other.close();
});

test("a query over damaged terms is refused, others are not", async () => {
  const bottom = await opened(damaged(`term ${keyOf(200)}`, 2));
  const termsOf = (min: string): unknown[] => [
    ...bottom.entries(PART, "terms", `term ${min}`, `term ${min}\xff`, false),
  ];
  expect(() => termsOf(keyOf(200))).toThrow(StoreDamage);
  expect(termsOf(keyOf(399))).toHaveLength(1);
  expect(unreadable(bottom)).toEqual([]);
  await bottom.close();
});

test("tables whose heads cannot be told are not opened, and stay as they are", async () => {
  const directory = damaged(`${prefixOf(PART, HEAD_TABLE)}\x00`, 3);
  const before = readFileSync(join(directory, "data.mdb"));
  await expect(opened(directory)).rejects.toThrow("Restore a backup");
  expect(readFileSync(join(directory, "data.mdb"))).toEqual(before);
});

test("the damaged tables are kept", async () => {
  const directory = damaged("body of 7 ", 3);
  const before = readFileSync(join(directory, "data.mdb"));
  await (await opened(directory)).close();
  expect(readFileSync(join(`${directory}-damaged-1`, "data.mdb"))).toEqual(before);
});

test("a damaged meta page is written anew from its copy", async () => {
  const directory = join(root, "meta");
  for (const slot of [0, 1]) {
    cpSync(template, directory, { recursive: true });
    const path = join(directory, "data.mdb");
    const whole = readFileSync(path);
    for (const offset of [24, 80, 120, 136, 144, 152]) {
      const bytes = Buffer.from(whole);
      bytes[slot * 8192 + offset]! ^= 4;
      writeFileSync(path, bytes);
      const bottom = await opened(directory);
      expect(unreadable(bottom)).toEqual([]);
      await bottom.close();
      expect(told).toHaveLength(1);
      writeFileSync(path, whole);
    }
  }
});

test("a replacement that a crash interrupted is finished", async () => {
  const directory = damaged("body of 7 ", 3);
  await (await opened(directory)).close();
  // As between the two renamings.
  renameSync(directory, `${directory}-mended`);
  const bottom = await opened(directory);
  expect(unreadable(bottom)).toEqual([7]);
  await bottom.close();
  // As before the first of them, with a draft of a second try beside it.
  cpSync(directory, `${directory}-mended`, { recursive: true });
  cpSync(template, `${directory}-draft`, { recursive: true });
  await (await opened(directory)).close();
  expect(existsSync(`${directory}-mended`)).toBe(false);
  expect(existsSync(`${directory}-draft`)).toBe(false);
  expect(readdirSync(root).filter((name) => name.includes("-damaged-2"))).toHaveLength(1);
});
