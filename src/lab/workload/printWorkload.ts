/**
 * Writes a workload as YAML with our own names: reading it again gives the same value. Members that
 * have their default are left out.
 */
import { Document, isMap, isScalar, type Pair, type Scalar } from "yaml";
import { resolutionOf } from "./exampleTime.ts";
import { growsText } from "./growsField.ts";
import { horizonOf } from "./growthField.ts";
import { PAGE_SIZE } from "./operationField.ts";
import { valueIn } from "./pathField.ts";
import type {
  DeclaredThroughput,
  Distribution,
  Growth,
  ItemShape,
  NamedCandidate,
  Operation,
  ParameterShape,
  PropertyShape,
  StatedFacts,
  Workload,
} from "./workload.ts";

/** Ordered, and safe for any name: a user's key may be called `__proto__`. */
type Tree = Map<string, unknown>;

const COMMENTS: Readonly<Record<string, string>> = {
  item: "One item, as JSON text without system properties.",
  properties: "What is known of the values at each path.",
  growth: "How much is stored; rates over the day in `hours` (UTC).",
  throughput: "What is provisioned. Without it, as much as is needed.",
  operations: "What is asked of the container; rates are means over a day, per second.",
  candidates: "Keys to be judged beside those that the lab finds.",
  horizonMonths: "How far to look.",
  remarks: "What was assumed or could not be told.",
};

export function printWorkload(workload: Workload): string {
  const { item, properties, growth, throughput, consistency, operations } = workload;
  const isDefaultHorizon = workload.horizonMonths === horizonOf(growth);
  const document = new Document(
    tree({
      name: workload.name,
      title: workload.title === workload.name ? undefined : workload.title,
      item: itemTree(item),
      properties: mapped(properties, (shape) => propertyTree(shape, item)),
      growth: growthTree(growth),
      throughput: throughput && throughputTree(throughput),
      consistency: consistency === "session" ? undefined : consistency,
      indexing: workload.indexing,
      operations: operations.map(operationTree),
      candidates: listed(workload.candidates.map(candidateTree)),
      horizonMonths: isDefaultHorizon ? undefined : workload.horizonMonths,
      remarks: listed(workload.remarks),
    }),
    { aliasDuplicateObjects: false },
  );
  if (isMap(document.contents)) document.contents.items.forEach(addComment);
  document.commentBefore = " A workload for `orrery lab`; docs/lab/workload.md describes the form.";
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function addComment({ key }: Pair): void {
  if (!isScalar(key)) return;
  const name = key as Scalar;
  const comment = COMMENTS[String(name.value)];
  if (comment === undefined) return;
  name.commentBefore = ` ${comment}`;
  name.spaceBefore = true;
}

/** Makes a tree without the members that are undefined. */
function tree(members: Readonly<Record<string, unknown>>): Tree {
  return new Map(Object.entries(members).filter(([, value]) => value !== undefined));
}

function mapped<T>(map: ReadonlyMap<string, T>, make: (value: T) => unknown): Tree | undefined {
  if (map.size === 0) return undefined;
  return new Map([...map].map(([name, value]) => [name, make(value)]));
}

function listed<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function itemTree({ bytes, example }: ItemShape): Tree | undefined {
  return bytes === undefined && example === undefined ? undefined : tree({ bytes, example });
}

function propertyTree(shape: PropertyShape, item: ItemShape): Tree {
  const { path, items } = shape;
  const isShared = items.kind === "shares";
  const looksLikeTime = resolutionOf(path, valueIn(item.example, path)) !== undefined;
  return tree({
    distinct: isShared && items.shares.size === shape.distinct ? undefined : shape.distinct,
    unique: shape.isUnique === (path === "/id") ? undefined : shape.isUnique,
    items: items.kind === "uniform" ? undefined : distributionTree(items),
    requests: shape.requests && distributionTree(shape.requests),
    within: shape.within,
    distinctWithin: shape.distinctWithin && new Map(shape.distinctWithin),
    time: shape.time ?? (looksLikeTime ? "none" : undefined),
    changes: shape.changes || undefined,
    missingShare: shape.missingShare || undefined,
    grows: shape.grows && growsText(shape.grows),
  });
}

function distributionTree(distribution: Distribution): unknown {
  switch (distribution.kind) {
    case "uniform":
      return "uniform";
    case "zipf":
      return tree({ kind: "zipf", s: distribution.s });
    case "shares":
      return tree({ kind: "shares", shares: new Map(distribution.shares) });
    case "classes":
      return tree({
        kind: "classes",
        classes: distribution.classes.map(({ values, weight }) => tree({ values, weight })),
      });
  }
}

/**
 * Writes `itemsPerDay` even if it follows from the operations, because a reader would compute it
 * anew.
 */
function growthTree({ initialItems, perMonth, ...growth }: Growth): Tree {
  return tree({
    itemsPerDay: growth.itemsPerDay,
    initialItems: initialItems || undefined,
    retentionDays: growth.retentionDays,
    perMonth: perMonth || undefined,
    peakFactor: growth.peakFactor,
    hours: growth.hours,
  });
}

function throughputTree({ mode, ratePerSecond }: DeclaredThroughput): Tree {
  return tree({ mode, ratePerSecond });
}

function operationTree(operation: Operation): Tree {
  return tree({
    id: operation.id,
    kind: operation.kind,
    rate: operation.ratePerSecond,
    peakFactor: operation.peakFactor,
    hours: operation.hours,
    sql: operation.sql,
    params: mapped(operation.parameters, parameterTree),
    knows: operation.knows,
    resultItems: operation.resultItems,
    pageSize: operation.pageSize === PAGE_SIZE ? undefined : operation.pageSize,
    ru: operation.ru,
    ruPartitions: operation.ruPartitions,
    changes: listed(operation.changes),
    transactionScope: operation.transactionScope,
    ageDays: operation.ageDays,
  });
}

function parameterTree({ like, distribution, agoDays, values }: ParameterShape): unknown {
  return tree({
    like,
    distribution: distribution && distributionTree(distribution),
    agoDays,
    values,
  });
}

function candidateTree({ id, levels, facts }: NamedCandidate): Tree {
  const key = levels.length === 1 ? levels[0] : levels;
  return tree({ id, key, facts: facts && factsTree(facts) });
}

function factsTree(facts: StatedFacts): Tree {
  const { isMutable, boundedFanout, ...others } = facts;
  return tree({
    ...others,
    boundedFanout: boundedFanout && new Map(boundedFanout),
    mutable: isMutable,
  });
}
