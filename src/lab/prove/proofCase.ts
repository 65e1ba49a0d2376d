/**
 * One candidate at the scale of a proof: its items with their keys, what the simulator predicts for
 * them, and what applications would send.
 */
import { seededRandom } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { type Draw, keyOf } from "../../keys/component.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { epkOf } from "../../partition/epk.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { positionOf } from "../../partition/keySpace.ts";
import type { Candidate } from "../candidate/candidate.ts";
import type { KeyEntry } from "../candidate/keyEntries.ts";
import { type KeyShape, keyShapeOf } from "../candidate/keyShape.ts";
import { operationModels } from "../simulate/operationModel.ts";
import { type SimulateInput, simulate } from "../simulate/simulate.ts";
import type { Simulation } from "../simulate/simulation.ts";
import type { RetryRules } from "../simulate/throttling.ts";
import type { Workload } from "../workload/workload.ts";
import type { KeyedItem } from "./keyedItem.ts";
import type { ProofData } from "./proofData.ts";
import {
  limitsAtRest,
  limitsHolding,
  type ProofScale,
  smallCandidate,
  steadyLimits,
} from "./scale.ts";
import { storedLayout } from "./storedLayout.ts";

export interface ProofCase {
  readonly candidate: Candidate;
  readonly shape: KeyShape;
  readonly definition: PartitionKeyDefinition;
  readonly limits: ProofScale["limits"];
  readonly prediction: Simulation;
  /** Whether the limit of a logical partition had to be raised for the run to go on. */
  readonly isHeldByForce: boolean;
  /** Share of all bytes in keys beyond the limit of the scale. */
  readonly overLimitShare: number;
  readonly items: readonly KeyedItem[];
  keyed(item: JsonObject): KeyedItem;
}

interface CaseSetting {
  readonly scale: ProofScale;
  readonly data: ProofData;
  readonly items: readonly JsonObject[];
  readonly nowMillis: number;
  readonly seed: number;
  readonly retries: RetryRules;
  readonly seconds: number;
  /** How many items may be there at a time beside those that are stored. */
  readonly createdMax: number;
  /** The limits are those of somebody else's server, and stay as they are. */
  readonly hasOwnLimits: boolean;
}

export function proofCaseOf(real: Candidate, setting: CaseSetting): ProofCase {
  const { scale, items } = setting;
  const candidate = smallCandidate(real);
  const shape = keyShapeOf(candidate, setting.data.factsOf(scale.workload, items));
  const keyed = keying(shape, setting.seed);
  const stored = items.map(keyed);
  const workload = asStored(scale.workload, stored);
  const bodies = stored.map(({ item }) => item);
  const facts = setting.data.factsOf(workload, bodies);
  const storedKeys = entriesOf(stored, shape.definition);
  const layout = storedLayout(stored, shape.definition, facts);
  const predictWith = (limits: ProofScale["limits"]): Simulation =>
    predicted(candidate, { workload, facts, storedKeys, layout, limits }, setting);
  const first = predictWith(scale.limits);
  const created = createdShares(shape, setting);
  const held = setting.hasOwnLimits
    ? scale.limits
    : limitsHolding(scale.limits, largestBytes(stored, created, setting));
  const isHeldByForce = first.keys.largest.overLimitShare > 0;
  let [limits, prediction] = [held, held === scale.limits ? first : predictWith(held)];
  const roomFor = (given: ProofScale["limits"], { partitions }: Simulation): typeof given => {
    const largest = Math.max(...partitions.map(({ bytes }) => bytes));
    const added = created.toPartition(partitions) * setting.createdMax;
    return limitsAtRest(given, largest, added * storedBytes(stored));
  };
  for (let look = 0; look < LOOKS_MAX && !setting.hasOwnLimits; look++) {
    const rested = roomFor(limits, prediction);
    if (rested === limits) break;
    [limits, prediction] = [rested, predictWith(rested)];
  }
  if (!setting.hasOwnLimits) {
    const steady = steadied(limits, predictWith, roomFor);
    if (steady !== limits) [limits, prediction] = [steady, predictWith(steady)];
  }
  return {
    candidate: real,
    shape,
    definition: shape.definition,
    limits,
    prediction,
    isHeldByForce,
    overLimitShare: first.keys.largest.overLimitShare,
    items: stored,
    keyed,
  };
}

const LOOKS_MAX = 6;

/** Each of the limits is looked at once: a prediction takes a while. */
function steadied(
  limits: ProofScale["limits"],
  predictWith: (limits: ProofScale["limits"]) => Simulation,
  roomFor: (limits: ProofScale["limits"], prediction: Simulation) => ProofScale["limits"],
): ProofScale["limits"] {
  const known = new Map<number, Simulation>();
  const predictedWith = (given: ProofScale["limits"]): Simulation => {
    const made = known.get(given.physicalPartitionBytesMax) ?? predictWith(given);
    known.set(given.physicalPartitionBytesMax, made);
    return made;
  };
  return steadyLimits(
    limits,
    (given) => predictedWith(given).partitions.length,
    (given) => roomFor(given, predictedWith(given)) === given,
  );
}

/** Of the largest key, with what may be written to it. */
function largestBytes(
  stored: readonly KeyedItem[],
  created: CreatedShares,
  setting: CaseSetting,
): number {
  const most = mostOf(stored.map(({ key }) => JSON.stringify(key)));
  return (most + created.toKey * setting.createdMax) * storedBytes(stored);
}

/** Which share of what a run writes goes to the key, and to the partition, that gets most of it. */
interface CreatedShares {
  readonly toKey: number;
  toPartition(partitions: Simulation["partitions"]): number;
}

/** So many are looked at. */
const CREATED_SAMPLE = 400;

function createdShares(
  shape: KeyShape,
  { scale, data, items, nowMillis, seed }: CaseSetting,
): CreatedShares {
  const made = { count: CREATED_SAMPLE, after: items.length, nowMillis, seed };
  const keys = data
    .created(scale.workload, made)
    .map(keying(shape, seed))
    .map(({ key }) => key);
  const places = keys.map((key) => positionOf(shape.definition, epkOf(shape.definition, key)));
  return {
    toKey: mostOf(keys.map((key) => JSON.stringify(key))) / keys.length,
    toPartition: (partitions) =>
      mostOf(places.map((place) => partitions.findIndex(({ to }) => place < to))) / keys.length,
  };
}

/** How many of the same there are at most. */
function mostOf(names: readonly (string | number)[]): number {
  const counts = new Map<string | number, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

function storedBytes(items: readonly KeyedItem[]): number {
  const bytes = items.reduce((sum, { item }) => sum + bytesOf(item), 0);
  return bytes / Math.max(1, items.length) + STAMP_ROOM;
}

/** Of system properties. */
const STAMP_ROOM = 300;

/** Items as long as they came out, with the key in them if it is one that has to be put there. */
function asStored(workload: Workload, items: readonly KeyedItem[]): Workload {
  const bytes = items.reduce((sum, { item }) => sum + bytesOf(item), 0);
  const [first] = items;
  return {
    ...workload,
    item: { example: first?.item, bytes: bytes / Math.max(1, items.length) },
  };
}

function bytesOf(item: JsonObject): number {
  return new TextEncoder().encode(JSON.stringify(item)).length;
}

/**
 * The keys as they are. A few hundred lie here and there by chance, where millions lie evenly, and
 * the server cuts its partitions where they lie.
 */
function entriesOf(
  items: readonly KeyedItem[],
  definition: PartitionKeyDefinition,
): readonly KeyEntry[] {
  const total = items.reduce((sum, { item }) => sum + bytesOf(item), 0);
  const byPlace = new Map<Epk, KeyEntry>();
  for (const { item, key } of items) {
    const epk = epkOf(definition, key);
    const known = byPlace.get(epk);
    byPlace.set(epk, {
      key,
      place: { kind: "point", epk },
      keyCount: 1,
      itemShare: (known?.itemShare ?? 0) + 1 / items.length,
      byteShare: (known?.byteShare ?? 0) + bytesOf(item) / total,
      requestShare: 0,
    });
  }
  return [...byPlace.values()];
}

function predicted(
  candidate: Candidate,
  given: Pick<SimulateInput, "workload" | "facts" | "storedKeys" | "layout" | "limits">,
  { scale, data, nowMillis, seed, retries, seconds }: CaseSetting,
): Simulation {
  return simulate(
    {
      ...given,
      models: operationModels(given.workload, given.facts),
      provisioned: scale.provisioned,
      startMillis: nowMillis,
      isInstant: true,
      isEven: data.sampledPaths.size === 0,
      seed,
      clients: { retries, seconds },
    },
    candidate,
  );
}

/** A key that is a property already is left where it is. */
export function keying(shape: KeyShape, seed: number): (item: JsonObject) => KeyedItem {
  const { candidate, definition } = shape;
  const random = seededRandom(seed);
  let turns = 0;
  const draw: Draw = { random: () => random.next(), turn: () => turns++ };
  return (item) => {
    const key = keyOf(candidate.levels, item, draw);
    const made = candidate.levels.flatMap((level, at): [string, JsonValue][] => {
      const value = key[at];
      return level.kind === "path" || value === undefined
        ? []
        : [[definition.paths[at]!.slice(1), value]];
    });
    const whole = made.length === 0 ? item : { ...item, ...Object.fromEntries(made) };
    return { item: whole, id: String(item["id"]), key };
  };
}
