/**
 * Items of real data at the scale of a proof: those that a profile kept, each as it is, but for its
 * times and its id. Values stay together as they were met, and come as often as they did.
 *
 * Times are moved so that the items lie over the days that the scale says, in the order in which
 * they came. Where more items are wanted than were kept, they come again, with other ids and with
 * another value wherever nearly every item had one of its own.
 */
import { DAY_MS } from "../../base/units.ts";
import { type Random, seededRandom } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { timeOf } from "../../keys/time.ts";
import type { PropertyFacts, TimeResolution } from "../data/facts.ts";
import { componentAt } from "../data/sampledKeys.ts";
import { stepsOfPath } from "../profile/pathSteps.ts";
import { type MutableObject, mutableCopy, put, timeIn } from "../scenario/itemGenerator.ts";

interface SampleSource {
  readonly sample: readonly JsonObject[];
  /** The path by which the order in time is known. */
  readonly timePath: string | undefined;
  readonly properties: ReadonlyMap<string, PropertyFacts>;
}

/** One of the items, and how often it came before. */
interface Place {
  readonly place: number;
  readonly round: number;
}

export interface StoredSpan {
  readonly count: number;
  readonly seed: number;
  readonly endMillis: number;
  readonly spanDays: number;
}

interface TimePlace {
  readonly steps: readonly string[];
  readonly resolution: TimeResolution;
}

/** Ids that every client can put into an address. */
const ID = /^[^/\\?#]{1,200}$/;
/** Such a share of different values: what comes has a value of its own. */
const OWN_SHARE = 0.9;

export class SampledItems {
  readonly #inOrder: readonly JsonObject[];
  readonly #times: readonly TimePlace[];
  readonly #own: readonly (readonly string[])[];

  constructor({ sample, timePath, properties }: SampleSource) {
    this.#inOrder = inOrder(sample, timePath);
    this.#times = [...properties.values()].flatMap(({ path, time }) =>
      time === undefined ? [] : [{ steps: stepsOfPath(path), resolution: time }],
    );
    this.#own = [...properties.values()]
      .filter(({ time, path }) => time === undefined && path !== "/id")
      .map(({ path }) => stepsOfPath(path))
      .filter((steps) => isOwn(sample, steps));
  }

  get count(): number {
    return this.#inOrder.length;
  }

  /** So many, evenly over so many days before an instant. */
  stored({ count, endMillis, spanDays, seed }: StoredSpan): readonly JsonObject[] {
    const taken = new Set<string>();
    return this.#places(count, seededRandom(seed)).map(({ place, round }, at) => {
      const millis = endMillis - spanDays * DAY_MS * (1 - (at + 0.5) / count);
      const source = this.#inOrder[place]!;
      const item = this.#copy(source, millis, round === 0 ? "" : `~${round}`);
      item["id"] = freeId(source["id"], at, taken);
      return item;
    });
  }

  /** In order of time. Those that come once more are drawn: every fifth may be of one device. */
  #places(count: number, random: Random): readonly Place[] {
    const rounds = Math.floor(count / this.count);
    const more = new Set(shuffled(this.count, random).slice(0, count % this.count));
    return this.#inOrder.flatMap((_, place) =>
      Array.from({ length: rounds + (more.has(place) ? 1 : 0) }, (__, round) => ({ place, round })),
    );
  }

  /** So many that are written at an instant, beside so many that there are. */
  created(count: number, after: number, millis: number, seed: number): readonly JsonObject[] {
    const order = shuffled(this.count, seededRandom(seed));
    return Array.from({ length: count }, (_, at) => {
      const source = this.#inOrder[order[at % order.length]!]!;
      const item = this.#copy(source, millis, `~${after + at}`);
      item["id"] = `new-${after + at}`;
      return item;
    });
  }

  #copy(source: JsonObject, millis: number, ownEnding: string): MutableObject {
    const item = mutableCopy(source);
    for (const { steps, resolution } of this.#times) {
      const form = componentAt(source, steps);
      if (form !== undefined && form !== null) put(item, steps, timeIn(form, resolution, millis));
    }
    if (ownEnding === "") return item;
    for (const steps of this.#own) {
      const value = componentAt(source, steps);
      if (typeof value === "string") put(item, steps, `${value}${ownEnding}`);
    }
    return item;
  }
}

/** Items without a time come first, as they were. */
function inOrder(sample: readonly JsonObject[], path: string | undefined): readonly JsonObject[] {
  if (path === undefined) return sample;
  const steps = stepsOfPath(path);
  const millisOf = (item: JsonObject): number =>
    timeOf(componentAt(item, steps)) ?? Number.NEGATIVE_INFINITY;
  return sample
    .map((item) => ({ item, millis: millisOf(item) }))
    .sort((a, b) => (a.millis < b.millis ? -1 : a.millis > b.millis ? 1 : 0))
    .map(({ item }) => item);
}

function isOwn(sample: readonly JsonObject[], steps: readonly string[]): boolean {
  const values = new Set(sample.map((item) => componentAt(item, steps)));
  return values.size > OWN_SHARE * sample.length;
}

/** That of the item, if it has a good one that nobody else has. */
function freeId(wanted: JsonValue | undefined, at: number, taken: Set<string>): string {
  const own = typeof wanted === "string" && ID.test(wanted) && !taken.has(wanted);
  let id = own ? wanted : `item-${at}`;
  while (taken.has(id)) id += "~";
  taken.add(id);
  return id;
}

function shuffled(count: number, random: Random): readonly number[] {
  const order = Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(random.next() * (at + 1));
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order;
}
