/** From a verdict to what can be done: the definition of a container, and the form of a copy. */
import { parseKeyLevels, printKeyExpression } from "../../keys/expressionText.ts";
import type { NamedContainer } from "../../model/copyJob.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { PagePlace } from "../session/place.ts";
import type { LabAdvice, LabCandidate } from "./advice.ts";

interface KeyParts {
  /** Levels, separated by commas. */
  readonly key: string;
  /** Where levels that are made up are written. */
  readonly properties: readonly string[];
  /** What the definition of the container names. */
  readonly paths: readonly string[];
}

function partsOf(expression: string): KeyParts {
  const levels = parseKeyLevels(expression);
  if (!levels.ok) return { key: expression, properties: [], paths: [expression] };
  const texts = levels.value.map(printKeyExpression);
  const isPath = (at: number): boolean => levels.value[at]!.kind === "path";
  const paths = texts.map((text, at) => {
    if (isPath(at)) return text;
    return texts.length === 1 ? "/partitionKey" : `/partitionKey${at + 1}`;
  });
  return { key: texts.join(", "), properties: paths.filter((_, at) => !isPath(at)), paths };
}

interface AdvisedRate {
  readonly kind: "manual" | "autoscale";
  readonly ratePerSecond: number;
}

/** The cheaper of the two modes that have a rate, with as much as the key needs at the peak. */
export function advisedRate({ figures }: LabCandidate): AdvisedRate {
  const { cost, load } = figures;
  const never = Number.POSITIVE_INFINITY;
  const isAutoscale = (cost.autoscale ?? never) < (cost.manual ?? never);
  const { manualRate, autoscaleRate, rateMax } = SERVICE_LIMITS;
  const { rateMin, rateStep } = isAutoscale ? autoscaleRate : manualRate;
  const needed = Math.max(rateMin, load.neededRate ?? load.provisionedRate);
  const ratePerSecond = Math.min(rateMax, Math.ceil(needed / rateStep) * rateStep);
  return { kind: isAutoscale ? "autoscale" : "manual", ratePerSecond };
}

type Policy = Readonly<Record<string, unknown>>;

/** The policy with the indexes that the advice proposes; undefined if it proposes none. */
export function advisedPolicy(
  { alternatives }: LabAdvice,
  policy: Policy = {},
): Policy | undefined {
  const proposed = alternatives.flatMap(({ index }) => (index === null ? [] : [index]));
  if (proposed.length === 0) return undefined;
  const present = (policy["compositeIndexes"] ?? []) as readonly unknown[];
  const known = new Set(present.map((index) => JSON.stringify(index)));
  const added = proposed.filter((index) => !known.has(JSON.stringify(index)));
  return { ...policy, compositeIndexes: [...present, ...added] };
}

/** As the service takes it when a container is created. */
export function definitionText(
  advice: LabAdvice,
  candidate: LabCandidate,
  about: NamedContainer | undefined,
): string {
  const { paths } = partsOf(candidate.expression);
  const policy = advisedPolicy(advice, {
    indexingMode: "consistent",
    automatic: true,
    includedPaths: [{ path: "/*" }],
    excludedPaths: [{ path: '/"_etag"/?' }],
  });
  const definition = {
    id: about?.container ?? advice.workload,
    partitionKey: { paths, kind: paths.length > 1 ? "MultiHash" : "Hash", version: 2 },
    ...(policy !== undefined && { indexingPolicy: policy }),
  };
  return JSON.stringify(definition, null, 2);
}

const NAME_MAX = 100;

interface Migration {
  readonly advice: LabAdvice;
  readonly candidate: LabCandidate;
  readonly source: NamedContainer;
  /** The indexing policy of the source, if it was read. */
  readonly policy?: Policy | undefined;
}

/** The form that starts a copy, filled in. */
export function migrationPlace({ advice, candidate, source, policy }: Migration): PagePlace {
  const { key, properties } = partsOf(candidate.expression);
  const words = candidate.expression.match(/[A-Za-z0-9]+/g) ?? ["key"];
  const name = `${source.container}-by-${words.join("-")}`.slice(0, NAME_MAX);
  const rate = advisedRate(candidate);
  const advised = advisedPolicy(advice, policy);
  return {
    page: "jobs",
    segments: ["new"],
    parameters: {
      source: `${source.database}/${source.container}`,
      target: `${source.database}/${name}`,
      key,
      ...(properties.length > 0 && { property: properties.join(", ") }),
      rateKind: rate.kind,
      rate: String(rate.ratePerSecond),
      ...(advised !== undefined && { policy: JSON.stringify(advised) }),
    },
  };
}
