/**
 * A verdict as a copy job: the key with the properties of its made-up levels, the indexing policy
 * and the throughput that the report says, online, so that writes go on meanwhile.
 */
import type { CompositeIndex } from "../../index/policyIndexes.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { KeyExpression } from "../../keys/expression.ts";
import { printKeyExpression } from "../../keys/expressionText.ts";
import { pathText } from "../../keys/paths.ts";
import type {
  CopyQuestion,
  CopyThroughput,
  NamedContainer,
  SwitchWay,
} from "../../model/copyJob.ts";
import type { Limits } from "../../model/limits.ts";
import type { Advice, CandidateAdvice } from "../advise/advice.ts";
import type { Workload } from "../workload/workload.ts";

export interface MigrationSource {
  readonly name: NamedContainer;
  /** The paths of its key, and all others that are known: no made-up level is written there. */
  readonly paths: readonly string[];
  readonly indexingPolicy: JsonObject;
  /** No rate can be asked for. */
  readonly isServerless: boolean;
  readonly itemCount: number;
  readonly itemBytes: number;
}

interface MigrationWish {
  readonly advice: Advice;
  readonly chosen: CandidateAdvice;
  readonly workload: Workload;
  readonly limits: Limits;
  readonly source: MigrationSource;
  /** Undefined: a name is made up. */
  readonly target: NamedContainer | undefined;
  readonly switchBy: SwitchWay;
}

export function copyQuestionOf(wish: MigrationWish): CopyQuestion {
  const { chosen, source, target, switchBy } = wish;
  const { levels } = chosen.simulation.candidate;
  const indexingPolicy = advisedPolicy(wish);
  const keyProperties = madeUpProperties(levels, source.paths);
  const throughput = advisedThroughput(wish);
  return {
    source: source.name,
    target: target ?? nameFor(source.name, levels),
    key: levels.map(printKeyExpression),
    ...(keyProperties.length > 0 && { keyProperties }),
    ...(indexingPolicy !== undefined && { definition: { indexingPolicy } }),
    ...(throughput !== undefined && { throughput }),
    mode: "online",
    switchBy,
  };
}

/** The paths that the new container declares. */
export function keyPathsOf({ keyProperties = [], key = [] }: CopyQuestion): readonly string[] {
  const left = [...keyProperties];
  return key.map((text) => (text.startsWith("/") ? text : (left.shift() ?? text)));
}

function madeUpProperties(
  levels: readonly KeyExpression[],
  taken: readonly string[],
): readonly string[] {
  const used = new Set([
    ...taken,
    ...levels.map((level) => (level.kind === "path" ? pathText(level) : "")),
  ]);
  return levels.flatMap((level, at) => {
    if (level.kind === "path") return [];
    const first = levels.length === 1 ? "/partitionKey" : `/partitionKey${at + 1}`;
    let property = first;
    for (let number = 2; used.has(property); number++) property = `${first}_${number}`;
    used.add(property);
    return [property];
  });
}

const NAME_MAX = 100;

/** Names may not have every character that paths have. */
function nameFor({ database, container }: NamedContainer, levels: readonly KeyExpression[]) {
  const words = levels.flatMap((level) => printKeyExpression(level).match(/[A-Za-z0-9]+/g) ?? []);
  const by = words.join("-") || "key";
  return { database, container: `${container}-by-${by}`.slice(0, NAME_MAX) };
}

/** Undefined: as the source has it. */
function advisedPolicy({ advice, workload, source }: MigrationWish): JsonObject | undefined {
  const proposed = advice.alternatives.flatMap(({ index }) => (index === undefined ? [] : [index]));
  const policy = (workload.indexing as JsonObject | undefined) ?? source.indexingPolicy;
  const present = (policy["compositeIndexes"] ?? []) as readonly CompositeIndex[];
  const known = new Set(present.map(indexName));
  const added = proposed.filter((index) => {
    const isNew = !known.has(indexName(index));
    known.add(indexName(index));
    return isNew;
  });
  if (added.length > 0) {
    return { ...policy, compositeIndexes: [...present, ...added] as unknown as JsonValue };
  }
  const isSame = JSON.stringify(policy) === JSON.stringify(source.indexingPolicy);
  return isSame ? undefined : policy;
}

function indexName(index: CompositeIndex): string {
  return index.map(({ path, order }) => `${path} ${order}`).join(", ");
}

const GIB: number = 1024 ** 3;

/** The mode that the workload declares, else the cheaper one; undefined: as the source has it. */
function advisedThroughput({
  chosen,
  workload,
  limits,
  source,
}: MigrationWish): CopyThroughput | undefined {
  if (source.isServerless) return undefined;
  const { cost, load } = chosen.simulation;
  const declared = workload.throughput?.mode;
  const isAutoscaleCheaper =
    (cost.autoscale ?? Number.POSITIVE_INFINITY) < (cost.manual ?? Number.POSITIVE_INFINITY);
  const isAutoscale = declared === "autoscale" || (declared !== "manual" && isAutoscaleCheaper);
  const { rateMin, rateStep, ratePerGb } = isAutoscale ? limits.autoscaleRate : limits.manualRate;
  const least = Math.max(rateMin, ratePerGb * (source.itemBytes / GIB));
  const needed = Math.max(least, load.neededRate ?? load.provisioned);
  const ratePerSecond = Math.min(limits.rateMax, Math.ceil(needed / rateStep) * rateStep);
  return { kind: isAutoscale ? "autoscale" : "manual", ratePerSecond };
}
