/**
 * One candidate at the scale of a proof: its items with their keys, what the simulator predicts for
 * them, and what applications would send.
 */
import { seededRandom } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { type Draw, keyOf } from "../../keys/component.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { type KeyShape, keyShapeOf } from "../candidate/keyShape.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import { operationModels } from "../simulate/operationModel.ts";
import { simulate } from "../simulate/simulate.ts";
import type { Simulation } from "../simulate/simulation.ts";
import type { RetryRules } from "../simulate/throttling.ts";
import type { Workload } from "../workload/workload.ts";
import type { KeyedItem } from "./keyedItem.ts";
import { limitsAtRest, limitsHolding, type ProofScale, smallCandidate } from "./scale.ts";

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

export interface CaseSetting {
  readonly scale: ProofScale;
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
  const shape = keyShapeOf(candidate, declaredFacts(scale.workload));
  const keyed = keying(shape, setting.seed);
  const stored = items.map(keyed);
  const predictWith = (limits: ProofScale["limits"]): Simulation =>
    predicted(candidate, asStored(scale.workload, stored), limits, setting);
  const first = predictWith(scale.limits);
  const held = setting.hasOwnLimits
    ? scale.limits
    : limitsHolding(scale.limits, largestBytes(stored, shape, setting));
  const isHeldByForce = first.keys.largest.overLimitShare > 0;
  let [limits, prediction] = [held, held === scale.limits ? first : predictWith(held)];
  for (let look = 0; look < LOOKS_MAX && !setting.hasOwnLimits; look++) {
    const largest = Math.max(...prediction.partitions.map(({ bytes }) => bytes));
    const rested = limitsAtRest(limits, largest, addedBytes(stored, shape, setting));
    if (rested === limits) break;
    [limits, prediction] = [rested, predictWith(rested)];
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

/** Of the largest key, with what may be written to it. */
function largestBytes(stored: readonly KeyedItem[], shape: KeyShape, setting: CaseSetting): number {
  const counts = new Map<string, number>();
  for (const { key } of stored) {
    const name = JSON.stringify(key);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const most = Math.max(0, ...counts.values());
  const share = shape.times.size > 0 ? 1 : most / Math.max(1, stored.length);
  return most * storedBytes(stored) + share * addedBytes(stored, shape, setting);
}

/** What a run may add to one partition: under a period all of it goes to one. */
function addedBytes(
  stored: readonly KeyedItem[],
  { times }: KeyShape,
  { createdMax, scale }: CaseSetting,
): number {
  const share = times.size > 0 ? 1 : Math.min(1, createdMax / scale.items);
  return share * createdMax * storedBytes(stored);
}

function storedBytes([first]: readonly KeyedItem[]): number {
  return bytesOf(first?.item ?? {}) + STAMP_ROOM;
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

function predicted(
  candidate: Candidate,
  workload: Workload,
  limits: ProofScale["limits"],
  { scale, nowMillis, seed, retries, seconds }: CaseSetting,
): Simulation {
  const facts = declaredFacts(workload);
  return simulate(
    {
      workload,
      facts,
      models: operationModels(workload, facts),
      provisioned: scale.provisioned,
      limits,
      startMillis: nowMillis,
      seed,
      clients: { retries, seconds },
    },
    candidate,
  );
}

/** A key that is a property already is left where it is. */
function keying(shape: KeyShape, seed: number): (item: JsonObject) => KeyedItem {
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
