/**
 * Every entry of the tables, looked at once as the bytes it is: does its key say where it belongs,
 * and does its value decode to what such an entry holds?
 *
 * The tables are walked as they lie there, without the journal: what was absorbed is whole by
 * itself. Whether counters, log and terms fit the items is not asked here but of the whole store.
 */
import { decodeNumber, encodeNumber } from "../bytes.ts";
import { decodeHead, HEAD_BYTES } from "../partHead.ts";
import type { LmdbEnvironment } from "./environment.ts";
import {
  decodeChange,
  decodeItem,
  decodeTally,
  decodeVersion,
  FORMAT_KEY,
  HEAD_TABLE,
  KEY_TABLE,
  LATE_TERMS_TABLE,
  LEASE_PREFIX,
  LOST_PREFIX,
  PREFIX_BYTES,
  partOfKey,
  SEGMENT_KEY,
  tablePrefix,
} from "./keys.ts";
import { decodeLost, lostText } from "./lostRanges.ts";
import { isSealedKey, isWhole, placeOf, unsealed } from "./seal.ts";
import { decodeBlock, firstOfKey, termOfKey } from "./termBlocks.ts";

export interface WalkReport {
  readonly entryCount: number;
  readonly bytes: number;
}

/** `place` names part and table, `text` says what is wrong with the entry. */
type WalkComplaint = (place: string, text: string) => void;

interface Entry {
  readonly tables: LmdbEnvironment;
  readonly isSealed: boolean;
  readonly part: number;
  /** Behind part and table. */
  readonly rest: string;
  readonly key: string;
  /** Without its checksum. */
  readonly value: Buffer;
}

/** What is wrong with an entry of a table, if anything is. */
type Check = (entry: Entry) => string | undefined;

const NUMBER_BYTES = 8;
const FIRST_KEY = "\x00";
const LAST_KEY: string = "\xff".repeat(16);
/** How often whoever watches is told. */
const STEP_COUNT = 50_000;

/** Table number → its name and the check of its entries. */
const TABLES: ReadonlyMap<number, readonly [name: string, check: () => Check]> = new Map([
  [HEAD_TABLE, ["head", () => checkHead]],
  [KEY_TABLE, ["keys", () => checkKey]],
  [tableByte("items"), ["items", () => checkItem]],
  [tableByte("terms"), ["terms", blockCheck]],
  [LATE_TERMS_TABLE, ["late terms", () => checkLateTerm]],
  [tableByte("log"), ["log", () => checkChange]],
  [tableByte("tallies"), ["tallies", () => checkTally]],
  [tableByte("versions"), ["versions", () => checkVersion]],
]);

/** `isSealed`: the values carry checksums; those of former formats do not. */
export function walkTables(
  tables: LmdbEnvironment,
  isSealed: boolean,
  complain: WalkComplaint,
  onProgress: (entryCount: number) => void,
): WalkReport {
  const checks = new Map([...TABLES].map(([table, [name, make]]) => [table, { name, of: make() }]));
  const headless = new Set<number>();
  let [entryCount, bytes, headed] = [0, 0, -1];
  for (const { key, value } of tables.getRange({ start: FIRST_KEY, end: LAST_KEY })) {
    if (++entryCount % STEP_COUNT === 0) onProgress(entryCount);
    bytes += key.length + value.length;
    if (isOfStore(key)) {
      const wrong = wrongRecord(key, value, isSealed);
      if (wrong !== undefined) complain(placeOf(key), wrong);
      continue;
    }
    const part = partOfKey(key);
    const table = key.charCodeAt(PREFIX_BYTES - 1);
    const check = key.length < PREFIX_BYTES ? undefined : checks.get(table);
    if (check === undefined) {
      complain(`tables, part ${part}`, `there is a key of no table: ${hexOf(key)}`);
      continue;
    }
    const place = `tables, part ${part}, ${check.name} ${hexOf(key.slice(PREFIX_BYTES))}`;
    // The head of a part is its first entry.
    if (table === HEAD_TABLE) headed = part;
    else if (headed !== part && !headless.has(part)) {
      headless.add(part);
      complain(place, "the part has entries and no head");
    }
    const isDamaged = isSealed && isSealedKey(key) && !isWhole(key, value);
    if (isDamaged) {
      complain(place, "it does not have the checksum it was given");
      continue;
    }
    const content = isSealed && isSealedKey(key) ? unsealed(key, value) : value;
    const entry = { tables, isSealed, part, rest: key.slice(PREFIX_BYTES), key, value: content };
    const wrong = tried(check.of, entry);
    if (wrong !== undefined) complain(place, wrong);
  }
  return { entryCount, bytes };
}

/** Of the store's own records. A range that was lost is damage for as long as it is noted. */
function wrongRecord(key: string, value: Buffer, isSealed: boolean): string | undefined {
  if (!isSealed) return undefined;
  if (!isWhole(key, value)) return "it does not have the checksum it was given";
  if (!key.startsWith(LOST_PREFIX)) return undefined;
  return `damage has taken ${lostText(decodeLost(unsealed(key, value)))}`;
}

function tableByte(name: Parameters<typeof tablePrefix>[1]): number {
  return tablePrefix(0, name).charCodeAt(PREFIX_BYTES - 1);
}

function isOfStore(key: string): boolean {
  const isListed = key.startsWith(LEASE_PREFIX) || key.startsWith(LOST_PREFIX);
  return key === FORMAT_KEY || key === SEGMENT_KEY || isListed;
}

/** Reading beyond the end of a value throws. */
function tried(check: Check, entry: Entry): string | undefined {
  try {
    return check(entry);
  } catch (error) {
    if (error instanceof RangeError) return "the value is cut off";
    throw error;
  }
}

function checkHead({ rest, value }: Entry): string | undefined {
  if (rest !== "" || value.length !== HEAD_BYTES) return "this is no head";
  return Object.values(decodeHead(value, 0)).every(isCount) ? undefined : "a counter is no count";
}

function checkKey({ tables, isSealed, part, rest, value }: Entry): string | undefined {
  if (value.length !== NUMBER_BYTES) return "the value is no item number";
  const number = decodeNumber(value.toString("latin1"), 0);
  const place = tablePrefix(part, "items") + encodeNumber(number);
  const stored = tables.getBinary(place);
  if (stored === undefined) return `it names item ${number}, which is not there`;
  // A damaged item is complained of by itself.
  if (isSealed && !isWhole(place, stored)) return undefined;
  const { key } = decodeItem(number, isSealed ? unsealed(place, stored) : stored);
  return key === rest ? undefined : `it names item ${number}, which has another key`;
}

function checkItem({ rest, value }: Entry): string | undefined {
  if (rest.length !== NUMBER_BYTES) return "the key is no item number";
  const { lsn, key } = decodeItem(decodeNumber(rest, 0), value);
  if (!isCount(lsn)) return "the LSN is no number";
  // The item's fields come first; a value that ends inside of them has a shorter key.
  return value.length < value.readUInt16LE(12) + 14 || key === ""
    ? "the value is cut off"
    : undefined;
}

/** Blocks of one term come in a row, so each is held against the one before. */
function blockCheck(): Check {
  let term = "";
  let last = 0;
  return ({ rest, key, value }) => {
    if (rest.length < NUMBER_BYTES) return "the key holds no item number";
    if ((value.at(-1) ?? 0) >= 128) return "the block is cut off";
    const numbers = decodeBlock(firstOfKey(key), value);
    const isGrowing = numbers.every((number, at) => at === 0 || number > numbers[at - 1]!);
    if (!isGrowing || !numbers.every(isCount)) return "the block is no list of item numbers";
    const isOverlapping = termOfKey(key) === term && numbers[0]! <= last;
    term = termOfKey(key);
    last = numbers.at(-1)!;
    return isOverlapping ? "the block begins before the one in front of it ends" : undefined;
  };
}

function checkLateTerm({ rest, value }: Entry): string | undefined {
  if (rest.length < NUMBER_BYTES) return "the key holds no item number";
  return value.length === 0 ? undefined : "the entry should be empty";
}

function checkChange({ rest, value }: Entry): string | undefined {
  if (rest.length !== 2 * NUMBER_BYTES) return "the key is no LSN and item number";
  const { kind, key } = decodeChange(value);
  return kind === undefined || key === "" ? "this is no change" : undefined;
}

function checkTally({ value }: Entry): string | undefined {
  const { itemCount, itemBytes } = decodeTally(value);
  const isTally = value.length === 16 && isCount(itemCount) && isCount(itemBytes);
  return isTally && itemCount > 0 ? undefined : "this is no tally";
}

function checkVersion({ rest, value }: Entry): string | undefined {
  if (rest.length !== 2 * NUMBER_BYTES) return "the key is no LSN and item number";
  const { kind, key, previousLsn } = decodeVersion(rest, value);
  return kind === undefined || key === "" || !isCount(previousLsn)
    ? "this is no version"
    : undefined;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Enough of it to find it. */
function hexOf(key: string): string {
  const shown = Buffer.from(key.slice(0, 32), "latin1").toString("hex");
  return key.length > 32 ? `${shown}…` : shown;
}
