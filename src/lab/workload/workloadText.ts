/**
 * Reads a workload file, JSON or YAML. docs/lab/workload.md describes its form; besides our own
 * names for members, those of other tools are accepted where they mean the same.
 *
 * All problems are reported at once, each with its place. Members that a file leaves out have the
 * defaults of the document; `remarks` say what had to be guessed.
 */
import { no, ok, type Result } from "../../base/result.ts";
import { type IndexingPolicy, parseIndexingPolicy } from "../../index/policy.ts";
import { isObject, type JsonObject } from "../../json/value.ts";
import { parseKeyExpression } from "../../keys/expressionText.ts";
import { pathText, periodsIn } from "../../keys/paths.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import {
  jsonOf,
  readSource,
  type SourceForm,
  type SourceNode,
  type SourceProblem,
} from "../../yaml/sourceTree.ts";
import { accessOf } from "./access.ts";
import { candidatesOf } from "./candidateField.ts";
import { UNIFORM } from "./distributionField.ts";
import { resolutionOf } from "./exampleTime.ts";
import { growthOf, horizonOf } from "./growthField.ts";
import { operationsOf } from "./operationField.ts";
import { valueIn } from "./pathField.ts";
import { inferenceText, propertiesOf } from "./propertyField.ts";
import {
  type AmountRule,
  amountOf,
  BYTES,
  COUNT,
  choiceOf,
  elementsOf,
  Fields,
  Reading,
  textOf,
} from "./reading.ts";
import type {
  DeclaredThroughput,
  ItemShape,
  NamedCandidate,
  Operation,
  PropertyShape,
  Workload,
} from "./workload.ts";

const VERSION = 1;

/** The rate that one physical partition serves; a serverless container begins with one. */
const SERVERLESS_RATE = SERVICE_LIMITS.serverlessPartitionRateMax;

const CONSISTENCIES = [
  "strong",
  "boundedStaleness",
  "session",
  "consistentPrefix",
  "eventual",
] as const;

/** `source` is the name of the file, for messages and as the default name of the workload. */
export function readWorkload(
  text: string,
  form: SourceForm,
  source: string,
): Result<Workload, readonly SourceProblem[]> {
  const tree = readSource(text, form);
  if (!tree.ok) return tree;
  const reading = new Reading();
  const workload = workloadOf(tree.value, source, reading);
  if (reading.problems.length > 0) return no(reading.problems);
  return ok({ ...workload, remarks: reading.remarks });
}

function workloadOf(root: SourceNode, source: string, reading: Reading): Workload {
  const fields = new Fields(root, reading);
  checkVersion(fields.take("schemaVersion"), reading);
  // Remarks of a file that we wrote come first, so that reading it again does not reorder them.
  for (const remark of elementsOf(fields.take("remarks"), reading) ?? []) {
    const sentence = textOf(remark, reading);
    if (sentence !== undefined) reading.remark(sentence);
  }
  const name = textOf(fields.take("name", "id"), reading) ?? baseName(source);
  const title = textOf(fields.take("title"), reading) ?? name;
  const item = itemOf(fields.take("item", "document"), reading);
  const declared = propertiesOf(fields.take("properties"), item, reading);
  const operationsNode = fields.take("operations");
  const operations = operationsOf(operationsNode, reading);
  checkRates(operations, operationsNode ?? root, reading);
  const growth = growthOf(fields.take("growth"), operations, reading);
  const candidates = candidatesOf(
    fields.take("candidates"),
    { source, item, properties: declared, operations },
    reading,
  );
  const throughput = throughputOf(fields.take("throughput"), reading);
  const consistency = choiceOf(fields.take("consistency"), CONSISTENCIES, reading) ?? "session";
  const indexing = indexingOf(fields.take("indexing", "indexingPolicy"), reading);
  const months = amountOf(fields.take("horizonMonths"), MONTHS, reading);
  fields.close();
  const properties = withTimes(declared, { item, operations, candidates, reading });
  for (const operation of operations) remarkUnknownSpan(operation, properties, reading);
  return {
    name,
    title,
    item,
    properties,
    growth,
    throughput,
    consistency,
    ...(indexing === undefined ? {} : { indexing }),
    operations,
    candidates,
    horizonMonths: months ?? horizonOf(growth),
    remarks: [],
  };
}

const MONTHS: AmountRule = {
  ...COUNT,
  what: "a number of months, from 1 to 600",
  min: 1,
  max: 600,
};

function checkVersion(node: SourceNode | undefined, reading: Reading): void {
  const version = amountOf(node, COUNT, reading);
  if (node !== undefined && version !== undefined && version !== VERSION) {
    reading.problem(node, `Version ${version} of the form is not known; this reads ${VERSION}.`);
  }
}

/**
 * Parses the indexing policy as the service does; without included paths all paths are included.
 */
function indexingOf(node: SourceNode | undefined, reading: Reading): IndexingPolicy | undefined {
  if (node === undefined) return undefined;
  const body = jsonOf(node);
  const all = { includedPaths: [{ path: "/*" }] };
  const policy = parseIndexingPolicy(isObject(body) ? { ...all, ...body } : body);
  return policy.ok ? policy.value : reading.problem(node, policy.error);
}

function checkRates(operations: readonly Operation[], node: SourceNode, reading: Reading): void {
  const isEmpty =
    node.path === "" || (node.content.kind === "list" && node.content.elements.length === 0);
  if (isEmpty) {
    reading.problem(node, "There are no operations; what is asked of the container decides a key.");
  } else if (operations.length > 0 && operations.every((one) => one.ratePerSecond === 0)) {
    reading.problem(node, "No operation has a rate above 0.");
  }
}

function itemOf(node: SourceNode | undefined, reading: Reading): ItemShape {
  if (node === undefined) return { bytes: undefined, example: undefined };
  const fields = new Fields(node, reading);
  const bytes = amountOf(fields.take("bytes", "avgBytes"), BYTES, reading);
  const example = exampleOf(fields.take("example"), reading);
  fields.close();
  return { bytes, example };
}

function exampleOf(node: SourceNode | undefined, reading: Reading): JsonObject | undefined {
  if (node === undefined) return undefined;
  const example = jsonOf(node);
  return isObject(example)
    ? example
    : reading.problem(node, "The example must be an item: an object.");
}

function throughputOf(
  node: SourceNode | undefined,
  reading: Reading,
): DeclaredThroughput | undefined {
  if (node === undefined) return undefined;
  const rule = { ...COUNT, what: "a rate in RU/s", min: 1 };
  if (node.content.kind === "scalar") {
    if (node.content.value === "serverless") {
      return { mode: "serverless", ratePerSecond: SERVERLESS_RATE };
    }
    const ratePerSecond = amountOf(node, rule, reading);
    return ratePerSecond === undefined ? undefined : { mode: "manual", ratePerSecond };
  }
  const fields = new Fields(node, reading);
  const modes = ["manual", "autoscale", "serverless"] as const;
  const mode = choiceOf(fields.take("mode"), modes, reading) ?? "manual";
  const rateNode = fields.take("ratePerSecond", "ruPerSecond", "ruPerSec");
  const rate = amountOf(rateNode, rule, reading);
  fields.close();
  if (rateNode === undefined && mode !== "serverless") {
    return reading.problem(node, "It has no rate: ratePerSecond, in RU/s.");
  }
  return { mode, ratePerSecond: rate ?? SERVERLESS_RATE };
}

/**
 * A path that is not described, but of which keys take periods, or over which queries range or
 * order, is the time of writing if the example has a time there.
 */
function withTimes(
  declared: ReadonlyMap<string, PropertyShape>,
  {
    item,
    operations,
    candidates,
    reading,
  }: {
    readonly item: ItemShape;
    readonly operations: readonly Operation[];
    readonly candidates: readonly NamedCandidate[];
    readonly reading: Reading;
  },
): ReadonlyMap<string, PropertyShape> {
  const properties = new Map(declared);
  for (const path of [...candidates.flatMap(periodPaths), ...operations.flatMap(rangedPaths)]) {
    const time = resolutionOf(path, valueIn(item.example, path));
    if (properties.has(path) || time === undefined) continue;
    reading.remark(inferenceText(path, time));
    properties.set(path, {
      path,
      distinct: undefined,
      isUnique: false,
      items: UNIFORM,
      requests: undefined,
      within: undefined,
      distinctWithin: undefined,
      time,
      changes: false,
      missingShare: 0,
    });
  }
  return properties;
}

/**
 * Remarks on a range of unknown length: how far back a query looks decides how many periods it
 * visits.
 */
function remarkUnknownSpan(
  operation: Operation,
  properties: ReadonlyMap<string, PropertyShape>,
  reading: Reading,
): void {
  for (const { path, spanDays } of accessOf(operation).ranges) {
    if (spanDays !== undefined || properties.get(path)?.time === undefined) continue;
    reading.remark(
      `How far back '${operation.id}' looks in ${path} is not known; a parameter such as ` +
        "`now - 7 days` would say it.",
    );
  }
}

function periodPaths({ levels }: NamedCandidate): readonly string[] {
  return levels.flatMap((level) => {
    const parsed = parseKeyExpression(level);
    return parsed.ok ? periodsIn(parsed.value).map(({ of }) => pathText(of)) : [];
  });
}

function rangedPaths(operation: Operation): readonly string[] {
  const { ranges, order } = accessOf(operation);
  return [...ranges.map(({ path }) => path), ...(order === undefined ? [] : [order.path])];
}

function baseName(source: string): string {
  const last = source.split(/[\\/]/).at(-1) ?? "";
  return last.replace(/\.(json|ya?ml)$/i, "") || "workload";
}
