/** The `properties` of a workload file: facts about the values at each path. */

import type { SourceNode } from "../../yaml/sourceTree.ts";
import { checkShares, distributionOf, sharesOf, UNIFORM } from "./distributionField.ts";
import { type ExampleResolution, resolutionOf, TIME_RESOLUTIONS } from "./exampleTime.ts";
import { growsOf } from "./growsField.ts";
import { pathFrom, pathIn, valueIn } from "./pathField.ts";
import {
  amountOf,
  booleanOf,
  COUNT,
  choiceOf,
  Fields,
  membersOf,
  type Reading,
  SHARE,
} from "./reading.ts";
import type { Distribution, ItemShape, PropertyShape } from "./workload.ts";

const DISTINCT = {
  ...COUNT,
  what: "a number of values, 'unique', or a time such as 'per second'",
  min: 1,
};

export function propertiesOf(
  node: SourceNode | undefined,
  item: ItemShape,
  reading: Reading,
): ReadonlyMap<string, PropertyShape> {
  const properties = new Map<string, PropertyShape>();
  const nodes = new Map<string, SourceNode>();
  for (const [written, member] of membersOf(node, reading) ?? []) {
    const path = pathIn(written, member, reading);
    if (path === undefined) continue;
    if (properties.has(path)) reading.problem(member, `${path} is described twice.`);
    properties.set(path, propertyOf(path, member, { item, reading }));
    nodes.set(path, member);
  }
  for (const [path, member] of nodes) checkWithin(path, properties, { node: member, reading });
  return properties;
}

function propertyOf(
  path: string,
  node: SourceNode,
  { item, reading }: { readonly item: ItemShape; readonly reading: Reading },
): PropertyShape {
  const isBare = node.content.kind === "scalar" && node.content.value === null;
  const empty: SourceNode = { ...node, content: { kind: "object", members: new Map() } };
  const fields = new Fields(isBare ? empty : node, reading);
  const distinct = distinctOf(fields.take("distinct"), reading);
  const items = itemsOf(fields, reading);
  const requestsNode = fields.take("requests", "requestDistribution");
  const requests = distributionOf(requestsNode, reading);
  const distinctCount = distinct.count ?? namedCount(items);
  checkShares(items, distinct.count, { node, reading });
  checkShares(requests, distinctCount, { node: requestsNode ?? node, reading });
  const unique = booleanOf(fields.take("unique", "isUnique"), reading);
  const time = timeFrom(fields.take("time"), reading);
  const within = pathFrom(fields.take("within"), reading);
  const distinctWithin = countsOf(fields.take("distinctWithin"), reading);
  const changes = booleanOf(fields.take("changes", "mutable"), reading) ?? false;
  const missingShare = amountOf(fields.take("missingShare", "nullShare"), SHARE, reading) ?? 0;
  const grows = growsOf(fields.take("grows", "growth"), reading);
  fields.close();
  if (distinctWithin !== undefined && within === undefined) {
    reading.problem(node, "'distinctWithin' needs 'within': the property it counts by.");
  }
  return {
    path,
    distinct: distinctCount,
    isUnique: unique ?? (distinct.isUnique || path === "/id"),
    items: items ?? UNIFORM,
    requests,
    within,
    distinctWithin,
    time: time === "none" ? undefined : (time ?? distinct.time ?? inferred(path, item, reading)),
    changes,
    missingShare,
    ...(grows === undefined ? {} : { grows }),
  };
}

/** Named shares that leave nothing for others imply how many values there are. */
function namedCount(items: Distribution | undefined): number | undefined {
  return items?.kind === "shares" ? items.shares.size : undefined;
}

function itemsOf(fields: Fields, reading: Reading): Distribution | undefined {
  const distribution = fields.take("items", "distribution");
  const shares = fields.take("shares");
  if (distribution !== undefined && shares !== undefined) {
    const message = "'shares' and 'items' (or 'distribution') say the same; keep one.";
    reading.problem(shares, message);
  }
  if (distribution !== undefined) return distributionOf(distribution, reading);
  // A word in place of shares is a distribution too: `shares: uniform`.
  return shares?.content.kind === "object"
    ? sharesOf(shares, reading)
    : distributionOf(shares, reading);
}

interface Distinct {
  readonly count: number | undefined;
  readonly isUnique: boolean;
  readonly time: ExampleResolution | undefined;
}

function distinctOf(node: SourceNode | undefined, reading: Reading): Distinct {
  const none: Distinct = { count: undefined, isUnique: false, time: undefined };
  const written = node?.content.kind === "scalar" ? node.content.value : undefined;
  if (typeof written === "string") {
    const plain = written.trim().toLowerCase();
    if (plain === "unique") return { ...none, isUnique: true };
    const grain = /^(?:one )?(?:per|a|an) (\w+)$/.exec(plain)?.[1];
    const time = TIME_RESOLUTIONS.find((resolution) => resolution === grain);
    if (time !== undefined) return { ...none, time };
  }
  return { ...none, count: amountOf(node, DISTINCT, reading) };
}

function timeFrom(
  node: SourceNode | undefined,
  reading: Reading,
): ExampleResolution | "none" | undefined {
  const isDenied = node?.content.kind === "scalar" && node.content.value === false;
  return isDenied ? "none" : choiceOf(node, [...TIME_RESOLUTIONS, "none" as const], reading);
}

function inferred(path: string, item: ItemShape, reading: Reading): ExampleResolution | undefined {
  const resolution = resolutionOf(path, valueIn(item.example, path));
  if (resolution !== undefined) reading.remark(inferenceText(path, resolution));
  return resolution;
}

export function inferenceText(path: string, resolution: ExampleResolution): string {
  return (
    `${path} was taken for the time of writing, by the ${resolution}, because of its value in ` +
    "the example; `time: none` denies it."
  );
}

function countsOf(
  node: SourceNode | undefined,
  reading: Reading,
): ReadonlyMap<string, number> | undefined {
  const members = membersOf(node, reading);
  if (members === undefined) return undefined;
  const counts = new Map<string, number>();
  for (const [value, written] of members) {
    const count = amountOf(written, { ...COUNT, what: "a number of values" }, reading);
    if (count !== undefined) counts.set(value, count);
  }
  return counts;
}

/** Checks that the property which `within` names is described, and that there is no cycle. */
function checkWithin(
  path: string,
  properties: ReadonlyMap<string, PropertyShape>,
  { node, reading }: { readonly node: SourceNode; readonly reading: Reading },
): void {
  const passed = new Set([path]);
  let within = properties.get(path)?.within;
  if (within !== undefined && !properties.has(within)) {
    reading.problem(node, `It is within ${within}, which 'properties' does not describe.`);
  }
  while (within !== undefined && !passed.has(within)) {
    passed.add(within);
    within = properties.get(within)?.within;
  }
  if (within !== undefined) reading.problem(node, `${path} would be within itself.`);
}
