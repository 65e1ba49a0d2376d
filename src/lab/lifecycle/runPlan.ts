/**
 * The four approaches at a size that a laptop can run, as a plan: which items there are, in which
 * containers they lie, when new ones come and old ones are moved, and what is then asked. Time is
 * that of the items, so a month of it takes as long as its requests do.
 *
 * What is kept of the real thing: the bytes of an item, the days over which items came, the shares
 * of values, what each query asks for, and the physical partitions of each container, or a part of
 * them that is told. What is not: how many items there are. The same items and the same questions
 * go to every approach.
 */
import { DAY_MS } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import { timeOf } from "../../keys/time.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { type KeyShape, keyShapeOf } from "../candidate/keyShape.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import type { KeyedItem } from "../prove/keyedItem.ts";
import { type QueryParameter, TraceParameters } from "../prove/parameters.ts";
import { keying } from "../prove/proofCase.ts";
import { type ProofRequest, requestOf } from "../prove/requests.ts";
import { itemsOf } from "../scenario/itemGenerator.ts";
import { type OperationModel, operationModels } from "../simulate/operationModel.ts";
import { valueIn } from "../workload/pathField.ts";
import type { Workload } from "../workload/workload.ts";
import { type LifecycleInput, outcomeInput } from "./advice.ts";
import { type AgedItems, type Ages, agedItemsOf } from "./ages.ts";
import { APPROACHES, type ApproachId } from "./approach.ts";
import { type ApproachOutcome, type ContainerOutcome, outcomeOf } from "./outcome.ts";

interface RunSize {
  /** Items in all. */
  readonly items: number;
  /** Of each kind of read, so many are asked. */
  readonly reads: number;
}

export interface DatedItem extends KeyedItem {
  readonly millis: number;
}

export interface RunPlan {
  readonly input: Omit<LifecycleInput, "wishes" | "onProgress">;
  readonly size: RunSize;
  /** When everything has come. */
  readonly nowMillis: number;
  readonly aged: AgedItems;
  readonly definition: PartitionKeyDefinition;
  /** Real items that one of these stands for, and real physical partitions for one of these. */
  readonly itemFold: number;
  readonly partitionFold: number;
  /** There when the run begins, and those that come while it goes on; in the order of time. */
  readonly stored: readonly DatedItem[];
  readonly live: readonly DatedItem[];
  /** As many more as the run may need at the end. */
  readonly later: readonly DatedItem[];
  readonly reads: readonly PlannedRead[];
  readonly approaches: readonly RunApproach[];
}

/** One question of the workload, of whoever has the answer. */
export interface PlannedRead {
  readonly operationId: string;
  /** The item that it is about. */
  readonly subject: number;
}

export interface RunApproach {
  readonly id: ApproachId;
  /** The real thing, simulated. */
  readonly real: ApproachOutcome;
  readonly containers: readonly RunContainer[];
  /** Days between two moves; undefined: nothing is moved, and 0: after every item. */
  readonly moveEveryDays: number | undefined;
}

interface RunContainer {
  readonly name: string;
  readonly ages: Ages;
  readonly real: ContainerOutcome;
  readonly partitionCount: number;
  /** Undefined: such a read does not come here. */
  requestFor(read: PlannedRead): ProofRequest | undefined;
}

interface RoutedRequest {
  /** Which of the containers. */
  readonly container: number;
  readonly request: ProofRequest;
}

/** Items that come while a run goes on, of all. */
const LIVE_SHARE = 0.05;
const PARTITIONS_MAX = 16;
/** More than any run stores at its pace. */
const LATER = 2000;

export function runPlanOf(
  input: Omit<LifecycleInput, "wishes" | "onProgress">,
  size: RunSize,
): RunPlan {
  const { workload, startMillis: nowMillis, seed } = input;
  const aged = agedItemsOf(workload);
  const facts = declaredFacts(workload);
  const shape = keyShapeOf(input.candidate, facts);
  const keyed = keying(shape, seed);
  const dated = (items: Iterable<Parameters<typeof keyed>[0]>): readonly DatedItem[] =>
    [...items].map((item) => {
      const found = keyed(item);
      return { ...found, millis: timeOf(valueIn(item, input.agePath)) ?? nowMillis };
    });
  const { keptDays } = aged;
  const all = dated(
    itemsOf(workload, {
      seed,
      count: size.items,
      startMillis: nowMillis - keptDays * DAY_MS,
      spanDays: keptDays,
    }),
  );
  const liveCount = Math.max(1, Math.round(size.items * LIVE_SHARE));
  const [stored, live] = [all.slice(0, -liveCount), all.slice(-liveCount)];
  const later = dated(
    itemsOf(workload, { seed: seed + 1, count: LATER, startMillis: nowMillis, spanDays: 0 }),
  ).map(renamed);
  const setting = { ...outcomeInput(input, workload), dayOfYear: dayOfYear(nowMillis) };
  const outcomes = APPROACHES.map(({ id }) => outcomeOf(id, setting));
  const most = Math.max(
    ...outcomes.flatMap(({ containers }) => containers.map((each) => each.partitionCount)),
  );
  const partitionFold = Math.max(1, most / PARTITIONS_MAX);
  const reads = readsFor(workload, all, { nowMillis, count: size.reads, seed });
  return {
    input,
    size,
    nowMillis,
    aged,
    definition: shape.definition,
    itemFold: aged.itemCount / size.items,
    partitionFold,
    stored,
    live,
    later,
    reads,
    approaches: outcomes.map((real) => ({
      id: real.approach.id,
      real,
      moveEveryDays: moveEvery(real.approach.id, input),
      containers: real.containers.map((container) =>
        runContainer(container, { shape, all, nowMillis, partitionFold, seed }),
      ),
    })),
  };
}

function moveEvery(id: ApproachId, { settings }: Pick<LifecycleInput, "settings">) {
  if (id === "hotWarm") return settings.intervalDays;
  return id === "nearRealTime" ? 0 : undefined;
}

function dayOfYear(millis: number): number {
  return (millis - Date.UTC(new Date(millis).getUTCFullYear(), 0, 1)) / DAY_MS;
}

/** What was made up ends in its number, which others have already. */
function renamed({ item, ...rest }: DatedItem): DatedItem {
  const id = `later-${rest.id}`;
  return { ...rest, id, item: { ...item, id } };
}

/** The same questions for every approach: about items that are of an age that is asked for. */
function readsFor(
  workload: Workload,
  all: readonly DatedItem[],
  { nowMillis, count, seed }: { nowMillis: number; count: number; seed: number },
): readonly PlannedRead[] {
  const random = seededRandom(seed);
  const models = operationModels(workload, declaredFacts(workload));
  return models
    .filter(({ isWrite }) => !isWrite)
    .flatMap(({ operation, ageDays = Number.POSITIVE_INFINITY }) => {
      const oldest = nowMillis - ageDays * DAY_MS;
      const first = Math.max(
        0,
        all.findIndex(({ millis }) => millis >= oldest),
      );
      return Array.from({ length: count }, () => ({
        operationId: operation.id,
        subject: first + Math.floor(random.next() * (all.length - first)),
      }));
    });
}

interface ContainerSetting {
  readonly shape: KeyShape;
  readonly all: readonly DatedItem[];
  readonly nowMillis: number;
  readonly partitionFold: number;
  readonly seed: number;
}

/**
 * In a container of older items now is the age of its youngest: its models say how far back a query
 * goes from there, so the times in the query are the right ones.
 */
function runContainer(real: ContainerOutcome, setting: ContainerSetting): RunContainer {
  const { all, shape, partitionFold, seed } = setting;
  const { planned } = real;
  const facts = declaredFacts(planned.workload);
  const models = operationModels(planned.workload, facts);
  const nowMillis = setting.nowMillis - planned.ages.fromDays * DAY_MS;
  const partitionCount = Math.max(1, Math.round(real.partitionCount / partitionFold));
  const valuesOf = new Map(
    models.map((model) => [model.operation.id, new TraceParameters(model, facts)]),
  );
  const parametersOf = (model: OperationModel, subject: number): readonly QueryParameter[] => {
    const random = seededRandom(seed + subject);
    const other = (): number => Math.floor(random.next() * all.length);
    return valuesOf
      .get(model.operation.id)!
      .of((index) => all[index === 0 ? subject : other()]!.item, nowMillis);
  };
  return {
    name: real.name,
    ages: planned.ages,
    real,
    partitionCount,
    requestFor: ({ operationId, subject }) => {
      const at = models.findIndex(({ operation }) => operation.id === operationId);
      const model = models[at];
      if (model === undefined) return undefined;
      const isQuery = model.operation.kind === "query";
      return requestOf(
        {
          at: 0,
          operation: at,
          subject,
          created: undefined,
          changes: [],
          otherChange: undefined,
          parameters: isQuery ? parametersOf(model, subject) : [],
        },
        { shape, models, nowMillis, partitionCount, stored: (index) => all[index]! },
      );
    },
  };
}

/**
 * What the router sends for a read: a query goes to all containers that have items of its ages, a
 * point read to the one that has the item.
 */
export function routed(
  plan: RunPlan,
  approach: RunApproach,
  read: PlannedRead,
): readonly RoutedRequest[] {
  const { nowMillis } = plan;
  const requests = approach.containers.flatMap((each, container) => {
    const request = each.requestFor(read);
    return request === undefined ? [] : [{ container, request }];
  });
  if (requests.every(({ request }) => request.kind === "query")) return requests;
  const subject = [...plan.stored, ...plan.live][read.subject]!;
  const home = containerFor(approach, subject, { atMillis: nowMillis, nowMillis });
  return requests.filter(({ container }) => container === home);
}

/** Whether an item is of these ages, at that time. */
function isOfAge({ millis }: DatedItem, ages: Ages, atMillis: number): boolean {
  const days = Math.max(0, (atMillis - millis) / DAY_MS);
  return days >= ages.fromDays && days < ages.toDays;
}

/** The container that has an item at that time; from the first where nothing is ever moved. */
export function containerFor(
  { containers, moveEveryDays }: RunApproach,
  item: DatedItem,
  { atMillis, nowMillis }: { readonly atMillis: number; readonly nowMillis: number },
): number {
  const when = moveEveryDays === undefined ? nowMillis : atMillis;
  // The hot container holds items for longer than they are its own: where the next begins counts.
  const edgeAfter = (at: number): number =>
    containers[at + 1]?.ages.fromDays ?? Number.POSITIVE_INFINITY;
  return containers.findIndex(({ ages }, at) =>
    isOfAge(item, { fromDays: at === 0 ? 0 : ages.fromDays, toDays: edgeAfter(at) }, when),
  );
}

/** For messages: operations that a run cannot do. */
export function unsupportedIn({ operations }: Workload): readonly string[] {
  return operations
    .filter(({ kind }) => !["create", "upsert", "query", "pointRead"].includes(kind))
    .map(({ id, kind }) => `'${id}' is a ${kind}`);
}
