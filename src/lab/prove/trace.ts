/**
 * The operations of a run, in the order of time: who asks for which item, with which values, and
 * what is written.
 *
 * Each operation comes once in every step of its rate, at any moment of it: two of the same rate
 * that kept their distance would meet the same balance again and again, and one of them would be
 * refused for the other's sake. Which items it is about is chosen in even steps along the keys of
 * the candidate: what is measured in a few seconds is then what a long run comes to. Rates and
 * shares are the same for every candidate.
 */
import { seededRandom } from "../../base/world.ts";
import { isObject, type JsonObject, type JsonValue } from "../../json/value.ts";
import { newShareOf, type OperationModel } from "../simulate/operationModel.ts";
import { stepsOf, valueIn } from "../workload/pathField.ts";
import type { Workload } from "../workload/workload.ts";
import type { KeyedItem } from "./keyedItem.ts";
import { type QueryParameter, TraceParameters } from "./parameters.ts";
import { type StoredItems, subjectsOf, type TraceSubjects } from "./subjects.ts";

export interface TraceEvent {
  /** Seconds since the beginning. */
  readonly at: number;
  /** Which of the operations. */
  readonly operation: number;
  /** The number of the item that it is about; of those that are stored. */
  readonly subject: number;
  /** To be created, by a create or an upsert. */
  readonly created: KeyedItem | undefined;
  /** Values to be set, by path. */
  readonly changes: readonly Change[];
  /** What is set instead where those are what a key is made of. */
  readonly otherChange: Change | undefined;
  /** Of a query. */
  readonly parameters: readonly QueryParameter[];
}

type Change = readonly [path: string, value: JsonValue];

interface TraceSetting {
  readonly workload: Workload;
  readonly models: readonly OperationModel[];
  readonly stored: StoredItems;
  /** Numbers of the stored items in the order of their keys. */
  readonly order: readonly number[];
  readonly seconds: number;
  readonly seed: number;
  /** So many of each operation at least, however rare it is. */
  readonly countMin: number;
  /** Makes so many items that are written now. */
  created(count: number): readonly KeyedItem[];
}

export function traceOf(setting: TraceSetting): readonly TraceEvent[] {
  const { models, stored, order, seconds, seed, countMin } = setting;
  const random = seededRandom(seed);
  const counts = models.map(({ operation: { ratePerSecond } }) =>
    ratePerSecond === 0 ? 0 : Math.max(countMin, Math.round(ratePerSecond * seconds)),
  );
  const newCounts = models.map(({ operation }, at) =>
    operation.kind === "create"
      ? counts[at]!
      : operation.kind === "upsert"
        ? Math.round(counts[at]! * newShareOf(operation, setting.workload))
        : 0,
  );
  const created = setting.created(newCounts.reduce((sum, count) => sum + count, 0));
  let taken = 0;
  const events = models.flatMap((model, operation) => {
    const subjects = subjectsOf(model, stored, order, random.next());
    const others = subjects.from(random.next());
    const values = new TraceParameters(model, stored.facts);
    const [count, newCount] = [counts[operation]!, newCounts[operation]!];
    return Array.from({ length: count }, (_, index): TraceEvent => {
      // As many as are new, evenly among all.
      const isNew =
        Math.floor(((index + 1) * newCount) / count) > Math.floor((index * newCount) / count);
      const subject = subjects.next();
      return {
        at: ((index + random.next()) * seconds) / count,
        operation,
        subject,
        created: isNew ? created[taken++] : undefined,
        changes: isNew ? [] : changesOf(model, stored, subject, others),
        otherChange: isNew ? undefined : otherChangeOf(stored.items[subject]!),
        parameters:
          model.operation.kind === "query" ? valuesOf(values, stored, subject, others) : [],
      };
    });
  });
  return events.sort((a, b) => a.at - b.at);
}

function valuesOf(
  values: TraceParameters,
  { items, nowMillis }: StoredItems,
  subject: number,
  others: TraceSubjects,
): readonly QueryParameter[] {
  return values.of((index) => items[index === 0 ? subject : others.next()]!, nowMillis);
}

const CHANGING: ReadonlySet<string> = new Set(["upsert", "replace", "patch"]);
const TRIES = 8;

/** Other values than the subject has: those of other items, so that they stay what they are. */
function changesOf(
  { operation }: OperationModel,
  { items }: StoredItems,
  subject: number,
  others: TraceSubjects,
): TraceEvent["changes"] {
  if (!CHANGING.has(operation.kind)) return [];
  const item = items[subject]!;
  if (operation.changes.length === 0) return [otherChangeOf(item)];
  return operation.changes.map((path) => {
    const before = valueIn(item, path);
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const other = valueIn(items[others.next()]!, path);
      if (other !== undefined && other !== before && !isObject(other)) return [path, other];
    }
    return [path, altered(before)];
  });
}

function otherChangeOf(item: JsonObject): Change {
  const path = touchedPath(item);
  return [path, altered(valueIn(item, path))];
}

/** Where an update changes something that nobody has named: a value that no key is made of. */
function touchedPath(item: JsonObject): string {
  const names = Object.keys(item).filter((name) => name !== "id" && stepsOf(`/${name}`));
  // A list in place of which stands a number would make the item a smaller one.
  const scalars = names.filter((name) => typeof item[name] !== "object");
  const plain = names.find((name) => name === "padding") ?? scalars.at(-1);
  return `/${plain ?? "touched"}`;
}

/** As long as before. */
function altered(value: JsonValue | undefined): JsonValue {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (typeof value !== "string" || value === "") return 1;
  return value.slice(0, -1) + (value.endsWith("y") ? "z" : "y");
}
