/**
 * Items as a workload declares them: what a run writes where nobody has data yet.
 *
 * They come in the order of their times, which are spread evenly over the span. Values have the
 * names under which the lab hashes them. They are not thrown like dice: every property takes evenly
 * spaced pointers in an order of its own, so a thousand items already have the declared shares, to
 * one item, and any stretch of time and any value of another property has nearly its part of them.
 * A value that belongs to another is drawn among those of that one. The same seed makes the same
 * items.
 */
import { DAY_MS } from "../../base/units.ts";
import { type Random, seededRandom } from "../../base/world.ts";
import { isObject, type JsonObject, type JsonValue } from "../../json/value.ts";
import { timeText } from "../candidate/itemOf.ts";
import {
  distinctOf,
  distinctWithin,
  nameWithin,
  shapesOf,
  withinParent,
} from "../data/declaredFacts.ts";
import type { TimeResolution } from "../data/facts.ts";
import { stepsOf, valueIn } from "../workload/pathField.ts";
import type { PropertyShape, Workload } from "../workload/workload.ts";
import { ValueDraw } from "./valueDraw.ts";

interface ItemOptions {
  readonly seed: number;
  readonly count: number;
  /** The time of the first items, and over how many days they come. */
  readonly startMillis: number;
  readonly spanDays: number;
}

export function* itemsOf(workload: Workload, options: ItemOptions): Iterable<JsonObject> {
  const { count, startMillis, spanDays, seed } = options;
  const { example, bytes } = workload.item;
  const shapes = shapesOf(workload);
  const values = new ItemValues(shapes, count, seededRandom(seed));
  const times = [...shapes.values()].flatMap(({ path, time }) =>
    time === undefined
      ? []
      : [{ steps: stepsIn(path), resolution: time, form: valueIn(example, path) }],
  );
  for (let index = 0; index < count; index++) {
    const item = mutableCopy(example ?? {});
    for (const { steps, value } of values.of(index)) put(item, steps, value);
    const millis = startMillis + (spanDays * DAY_MS * (index + 0.5)) / count;
    for (const { steps, resolution, form } of times) {
      put(item, steps, timeIn(form, resolution, millis));
    }
    yield JSON.parse(padded(item, bytes ?? 0)) as JsonObject;
  }
}

/** A property with what belongs to its values. */
interface Branch {
  readonly steps: readonly string[];
  /** Pointers of its own; undefined: those that its parent's leave over. */
  readonly order: Uint32Array | undefined;
  readonly children: readonly Branch[];
  readonly drawOf: (parentValue: string | undefined) => ValueDraw;
  readonly isInside: boolean;
}

interface PlacedValue {
  readonly steps: readonly string[];
  readonly value: string | undefined;
}

/** What each item has at the declared paths, times left out. */
class ItemValues {
  readonly #count: number;
  readonly #branches: readonly Branch[];

  constructor(shapes: ReadonlyMap<string, PropertyShape>, count: number, random: Random) {
    this.#count = count;
    const plain = [...shapes.values()].filter(({ time }) => time === undefined);
    const parentOf = (shape: PropertyShape): PropertyShape | undefined =>
      isOnePerItem(shape) ? undefined : plain.find(({ path }) => path === shape.within);
    let orders = 0;
    const branchOf = (shape: PropertyShape, isFirst: boolean): Branch => {
      const parent = parentOf(shape);
      const hasOwnOrder = parent === undefined || !isFirst;
      return {
        steps: stepsIn(shape.path),
        order: hasOwnOrder ? evenlyMixed(count, orders++, random) : undefined,
        drawOf: drawsOf(shape, parent, count),
        isInside: parent !== undefined,
        children: plain
          .filter((child) => parentOf(child) === shape)
          .map((child, at) => branchOf(child, at === 0)),
      };
    };
    this.#branches = plain
      .filter((shape) => parentOf(shape) === undefined)
      .map((shape) => branchOf(shape, true));
  }

  of(index: number): readonly PlacedValue[] {
    const found: PlacedValue[] = [];
    const visit = (branch: Branch, parentValue: string | undefined, left: number): void => {
      const { order, steps, isInside } = branch;
      const pointer = order === undefined ? left : (order[index]! + 0.5) / this.#count;
      const { value: own, rest } = branch.drawOf(parentValue).at(pointer);
      const value = own === undefined || !isInside ? own : nameWithin(parentValue, own);
      found.push({ steps, value });
      for (const child of branch.children) visit(child, value, rest);
    };
    for (const branch of this.#branches) visit(branch, undefined, 0);
    return found;
  }
}

function isOnePerItem({ path, isUnique }: PropertyShape): boolean {
  return isUnique || path === "/id";
}

/** By what it belongs to; those that have as many values share one. */
function drawsOf(
  shape: PropertyShape,
  parent: PropertyShape | undefined,
  itemCount: number,
): Branch["drawOf"] {
  if (parent === undefined) {
    const distinct = isOnePerItem(shape) ? itemCount : distinctOf(shape, itemCount);
    const draw = new ValueDraw(shape, distinct);
    return () => draw;
  }
  const byCount = new Map<number, ValueDraw>();
  const inside = withinParent(shape);
  return (parentValue) => {
    const distinct = distinctWithin(shape, parent, parentValue, itemCount);
    let draw = byCount.get(distinct);
    if (draw === undefined) {
      draw = new ValueDraw(inside, distinct);
      byCount.set(distinct, draw);
    }
    return draw;
  };
}

/**
 * All numbers below a count, so mixed that those of any stretch lie evenly. Each order has its own
 * mixture, which has nothing to do with the others: steps by the roots of primes come near no
 * fraction, and near no sum of one another.
 */
function evenlyMixed(count: number, order: number, random: Random): Uint32Array {
  const step = Math.sqrt(primeAt(order));
  const start = random.next();
  const places = Float64Array.from({ length: count }, (_, at) => (start + at * step) % 1);
  const sorted = Uint32Array.from({ length: count }, (_, at) => at);
  sorted.sort((a, b) => places[a]! - places[b]!);
  const ranks = new Uint32Array(count);
  sorted.forEach((at, rank) => {
    ranks[at] = rank;
  });
  return ranks;
}

function primeAt(index: number): number {
  const primes: number[] = [];
  for (let number = 2; primes.length <= index; number++) {
    if (primes.every((prime) => number % prime > 0)) primes.push(number);
  }
  return primes[index]!;
}

/** As the example has it, a number or a text; a text is as precise as was declared. */
export function timeIn(
  form: JsonValue | undefined,
  resolution: TimeResolution,
  millis: number,
): JsonValue {
  if (typeof form === "number") return form < 1e11 ? Math.floor(millis / 1000) : Math.floor(millis);
  return timeText(resolution, resolution === "minute" ? millis - (millis % 60_000) : millis);
}

export type MutableObject = Record<string, JsonValue>;

/** Objects within it too, as values are put into them. */
export function mutableCopy(item: JsonObject): MutableObject {
  const copy: MutableObject = Object.create(null);
  for (const [name, value] of Object.entries(item)) {
    copy[name] = isObject(value) ? mutableCopy(value) : value;
  }
  return copy;
}

export function stepsIn(path: string): readonly string[] {
  return stepsOf(path) ?? path.split("/").slice(1);
}

export function put(
  item: MutableObject,
  steps: readonly string[],
  value: JsonValue | undefined,
): void {
  let place = item;
  for (const step of steps.slice(0, -1)) {
    const inner = place[step];
    const next = isObject(inner) ? (inner as MutableObject) : mutableCopy({});
    place[step] = next;
    place = next;
  }
  const last = steps.at(-1)!;
  if (value === undefined) delete place[last];
  else place[last] = value;
}

/** Its text, filled up until it is as long as declared. */
export function padded(item: JsonObject, bytes: number): string {
  const text = JSON.stringify(item);
  let name = "padding";
  while (Object.hasOwn(item, name)) name += "_";
  const missing = bytes - new TextEncoder().encode(text).length - `,"${name}":""`.length;
  return missing < 0 ? text : `${text.slice(0, -1)},"${name}":"${"x".repeat(missing)}"}`;
}
