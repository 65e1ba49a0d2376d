/**
 * The properties that items have, found while items are walked, and for every item a hash of each
 * of its scalars.
 *
 * Every property has a slot: a number under which its figures are kept. Similar items have their
 * properties in the same order, so the next name is nearly always the expected one and need not be
 * looked up. Arrays are not entered: their elements cannot be part of a key.
 *
 * However many names the items have, at most `SLOT_COUNT_MAX` of them get a slot, at most
 * `CHILD_COUNT_MAX` below one property and none deeper than `DEPTH_MAX`; the others are passed
 * over, and `isCrowded` becomes true. Names are just names: `__proto__` is one.
 */

import { Buffer } from "node:buffer";
import { SYSTEM_PROPERTIES, TIME_STAMP } from "../../base/systemProperties.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { pathText, valueAt } from "../../keys/paths.ts";
import { mixedHigh, mixedLow, NO_VALUE, ValueHash } from "../counting/valueHash.ts";

const SLOT_COUNT_MAX = 1024;
const CHILD_COUNT_MAX = 512;
const DEPTH_MAX = 16;

/**
 * Number of items whose hashes are collected before they are counted. All items of a batch are then
 * counted key by key: the counts of one key fit into the cache of a processor, those of all keys do
 * not.
 */
export const BATCH_COUNT_MAX = 256;
/**
 * A little more than a batch, because otherwise all columns would compete for the same places in
 * the cache.
 */
const COLUMN: number = BATCH_COUNT_MAX + 16;

/** Not counted. The time stamp is: it may serve as the time, if there is no other. */
const PASSED_NAMES: ReadonlySet<string> = new Set(
  [...SYSTEM_PROPERTIES].filter((name) => name !== TIME_STAMP),
);

export const VALUE_TYPES = ["string", "number", "boolean", "null", "array", "object"] as const;
const TYPE_COUNT = VALUE_TYPES.length;
const [TEXT, NUMBER, BOOLEAN, NULL, ARRAY, OBJECT] = [0, 1, 2, 3, 4, 5];

interface PathNode {
  readonly name: string;
  readonly slot: number;
  readonly steps: readonly string[];
  readonly children: PathNode[];
  readonly childOf: Map<string, PathNode>;
  /** The position among the children of its parent. */
  readonly position: number;
  /** The hash of the path, which is the same in every run, whatever the slot. */
  readonly hash: number;
}

const PASSED_OVER: PathNode = nodeOf("", -1, [], 0);

export class PathTree {
  /**
   * Hashes of the scalars of a batch, in halves. Those of a slot lie side by side, one for each
   * item, from `columnAt(slot)` on; the low half is `NO_VALUE` where an item has no scalar.
   */
  readonly lows: Int32Array = new Int32Array(SLOT_COUNT_MAX * COLUMN);
  readonly highs: Int32Array = new Int32Array(SLOT_COUNT_MAX * COLUMN);
  /**
   * Hash of the whole content of each item of the batch, independent of the order of its
   * properties.
   */
  readonly itemLows: Int32Array = new Int32Array(BATCH_COUNT_MAX);
  readonly itemHighs: Int32Array = new Int32Array(BATCH_COUNT_MAX);
  /** By slot: bytes of the longest text. */
  readonly bytesMax: Uint32Array = new Uint32Array(SLOT_COUNT_MAX);
  /**
   * The slot of the time at which an item was created, or -1, and the value of the last item there.
   */
  timeSlot = -1;
  timeValue: string | number | undefined = undefined;
  /** True when there were more properties than slots. */
  isCrowded = false;
  readonly #typeCounts = new Uint32Array(SLOT_COUNT_MAX * TYPE_COUNT);
  readonly #nodes: PathNode[] = [];
  readonly #root: PathNode = nodeOf("", -1, [], 0);
  readonly #hash = new ValueHash();
  readonly #pathHash = new ValueHash();
  #row = 0;

  get slotCount(): number {
    return this.#nodes.length;
  }

  stepsOf(slot: number): readonly string[] {
    return this.#nodes[slot]!.steps;
  }

  pathOf(slot: number): string {
    return pathText({ kind: "path", steps: this.stepsOf(slot) });
  }

  /** Number of items that had a value of this type at the slot. */
  typeCount(slot: number, type: (typeof VALUE_TYPES)[number]): number {
    return this.#typeCounts[slot * TYPE_COUNT + VALUE_TYPES.indexOf(type)]!;
  }

  scalarCount(slot: number): number {
    const from = slot * TYPE_COUNT;
    return this.#typeCounts.subarray(from, from + ARRAY).reduce((sum, count) => sum + count, 0);
  }

  /**
   * Returns the slot of a property, whether any item has had it or not; -1 when there is no room.
   */
  slotOf(steps: readonly string[]): number {
    let node = this.#root;
    for (const step of steps) node = this.#childOf(node, step);
    return node.slot;
  }

  columnAt(slot: number): number {
    return slot * COLUMN;
  }

  /** The low half of the hash of a property of one item of the batch. */
  lowAt(slot: number, row: number): number {
    return this.lows[slot * COLUMN + row]!;
  }

  highAt(slot: number, row: number): number {
    return this.highs[slot * COLUMN + row]!;
  }

  /** The hash of an item of the batch, a number in [0, 2^53) that depends on its content only. */
  itemHash(row: number): number {
    return (this.itemHighs[row]! >>> 11) * 0x100000000 + (this.itemLows[row]! >>> 0);
  }

  /** Hashes and counts the scalars of an item. `row` is its place in the batch. */
  walk(item: JsonObject, row: number): void {
    this.timeValue = undefined;
    this.#row = row;
    this.itemLows[row] = 0;
    this.itemHighs[row] = 0;
    this.#walkObject(this.#root, item);
  }

  /** Hashes the values of an item at some places, and nothing else. */
  hashPaths(item: JsonObject, row: number, slots: readonly number[]): void {
    for (const slot of slots) {
      const value = valueAt(item, this.#nodes[slot]!.steps) as JsonValue | undefined;
      const place = slot * COLUMN + row;
      if (value === undefined || (typeof value === "object" && value !== null)) {
        this.lows[place] = NO_VALUE;
        continue;
      }
      if (typeof value === "string") this.#hash.ofText(value);
      else if (typeof value === "number") this.#hash.ofNumber(value);
      else if (typeof value === "boolean") this.#hash.ofBoolean(value);
      else this.#hash.ofNull();
      this.lows[place] = this.#hash.low;
      this.highs[place] = this.#hash.high;
    }
  }

  /** Call it before the first item of a batch is walked. */
  beginBatch(): void {
    this.lows.fill(NO_VALUE, 0, this.#nodes.length * COLUMN);
  }

  /** Sets all counts to zero; the known properties keep their slots. */
  forgetCounts(): void {
    this.#typeCounts.fill(0);
    this.bytesMax.fill(0);
  }

  #walkObject(node: PathNode, object: JsonObject): void {
    let position = 0;
    // Objects from a parser have no inherited names that a loop would find.
    for (const name in object) {
      let child = node.children[position];
      if (child === undefined || child.name !== name) child = this.#childOf(node, name);
      if (child === PASSED_OVER) continue;
      position = child.position + 1;
      this.#walkValue(child, object[name]!);
    }
  }

  #walkValue(node: PathNode, value: JsonValue): void {
    const { slot } = node;
    const counts = this.#typeCounts;
    const first = slot * TYPE_COUNT;
    if (typeof value === "string") {
      this.#hash.ofText(value);
      counts[first + TEXT]!++;
      // A UTF-16 unit has at most three bytes of UTF-8.
      const bytesAtMost = this.#hash.isWide ? value.length * 3 : value.length;
      if (bytesAtMost > this.bytesMax[slot]!) this.#measure(slot, value);
      if (slot === this.timeSlot) this.timeValue = value;
    } else if (typeof value === "number") {
      this.#hash.ofNumber(value);
      counts[first + NUMBER]!++;
      if (slot === this.timeSlot) this.timeValue = value;
    } else if (typeof value === "boolean") {
      this.#hash.ofBoolean(value);
      counts[first + BOOLEAN]!++;
    } else if (value === null) {
      this.#hash.ofNull();
      counts[first + NULL]!++;
    } else if (Array.isArray(value)) {
      counts[first + ARRAY]!++;
      // An array is never part of a key, but it may distinguish items.
      this.#hash.ofText(arrayText(value));
      this.#addToItem(node);
      return;
    } else {
      counts[first + OBJECT]!++;
      this.#walkObject(node, value as JsonObject);
      return;
    }
    const place = slot * COLUMN + this.#row;
    this.lows[place] = this.#hash.low;
    this.highs[place] = this.#hash.high;
    this.#addToItem(node);
  }

  /** Adds the hash of a scalar to that of the item; a sum, so that the order does not matter. */
  #addToItem({ hash }: PathNode): void {
    const row = this.#row;
    this.itemLows[row] = (this.itemLows[row]! + mixedLow(hash, this.#hash.low)) | 0;
    this.itemHighs[row] = (this.itemHighs[row]! + mixedHigh(hash, this.#hash.high)) | 0;
  }

  #measure(slot: number, text: string): void {
    this.bytesMax[slot] = Math.max(this.bytesMax[slot]!, Buffer.byteLength(text));
  }

  #childOf(node: PathNode, name: string): PathNode {
    if (node === PASSED_OVER) return PASSED_OVER;
    return node.childOf.get(name) ?? this.#newChildOf(node, name);
  }

  #newChildOf(node: PathNode, name: string): PathNode {
    if (node === this.#root && PASSED_NAMES.has(name)) return PASSED_OVER;
    const isRoom =
      this.#nodes.length < SLOT_COUNT_MAX &&
      node.children.length < CHILD_COUNT_MAX &&
      node.steps.length < DEPTH_MAX;
    if (!isRoom) {
      this.isCrowded = true;
      return PASSED_OVER;
    }
    const { length: slot } = this.#nodes;
    this.#pathHash.ofText(name);
    const hash = mixedLow(node.hash, this.#pathHash.low);
    const steps = [...node.steps, name];
    const child = nodeOf(name, slot, steps, node.children.length, hash);
    this.#nodes.push(child);
    node.children.push(child);
    node.childOf.set(name, child);
    return child;
  }
}

function nodeOf(
  name: string,
  slot: number,
  steps: readonly string[],
  position: number,
  hash = 0,
): PathNode {
  return { name, slot, steps, children: [], childOf: new Map(), position, hash };
}

const ARRAY_UNITS_MAX = 256;

/** The length and the beginning of an array; nested values may be too deep to be written out. */
function arrayText(values: readonly JsonValue[]): string {
  let text = `${values.length}`;
  for (const value of values) {
    if (text.length > ARRAY_UNITS_MAX) break;
    text += typeof value === "object" && value !== null ? `,${shapeOf(value)}` : `,${value}`;
  }
  return text;
}

function shapeOf(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  const parts: string[] = [];
  for (const name in value as JsonObject) {
    const member = (value as JsonObject)[name];
    parts.push(typeof member === "object" && member !== null ? name : `${name}:${String(member)}`);
    if (parts.length === 16) break;
  }
  return `{${parts.join()}}`;
}
