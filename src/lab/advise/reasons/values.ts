/**
 * What the values of a key must not do: change, be missing, be too long, be something else than a
 * scalar; and transactions that the key tears apart.
 */
import type { KeyExpression } from "../../../keys/expression.ts";
import { pathsOf, pathText } from "../../../keys/paths.ts";
import type { DataFacts } from "../../data/facts.ts";
import { bytesText, numberText, percentText, rateText } from "../../report/plain.ts";
import type { Simulation } from "../../simulate/simulation.ts";
import type { Operation } from "../../workload/workload.ts";
import type { Reason } from "../advice.ts";
import { type Ground, hottestAllotment, totalBytes } from "../ground.ts";
import { MISSING_NOTABLE } from "../thresholds.ts";

export function valueReasons(simulation: Simulation, ground: Ground): readonly Reason[] {
  return [
    ...changing(simulation, ground),
    ...brokenTransactions(simulation),
    ...missing(simulation, ground),
    ...tooLong(simulation, ground),
    ...noScalar(simulation, ground),
  ];
}

/** The service refuses an update that would move an item to another logical partition. */
function changing({ candidate, changingShare }: Simulation, ground: Ground): readonly Reason[] {
  if (!(changingShare > 0)) return [];
  const paths = pathsIn(candidate.levels);
  const operation = ground.workload.operations.find(({ changes }) =>
    changes.some((path) => paths.includes(path)),
  );
  const changed = paths.filter((path) => mayChange(path, operation, ground));
  return [
    {
      code: "mutable",
      weight: "against",
      sentence:
        `${percentText(changingShare)} of the updates change the key` +
        `${changed.length > 0 ? ` (${changed.join(", ")})` : ""}, and the key of an item cannot ` +
        "change: each would have to delete the item and create it again.",
      counterExample: operation?.id ?? changed[0] ?? paths[0],
      figures: { changingShare },
    },
  ];
}

function mayChange(path: string, operation: Operation | undefined, ground: Ground): boolean {
  if (operation?.changes.includes(path) === true) return true;
  const known = ground.facts.properties.get(path)?.changingShare ?? 0;
  return known > 0 || ground.workload.properties.get(path)?.changes === true;
}

function brokenTransactions({ brokenTransactions: broken }: Simulation): readonly Reason[] {
  if (broken.length === 0) return [];
  return [
    {
      code: "tx-scope-broken",
      weight: "condition",
      sentence:
        `What ${broken.join(", ")} has to change together would lie in several logical ` +
        "partitions, and a transaction cannot span them.",
      counterExample: broken[0],
      figures: { operationCount: broken.length },
    },
  ];
}

/** All items without a value have the same key: they are one logical partition. */
function missing(simulation: Simulation, { limits }: Ground): readonly Reason[] {
  const { missingShare, load } = simulation;
  if (!(missingShare > 0)) return [];
  const bytes = missingShare * totalBytes(simulation);
  const rate = missingShare * load.peakRate;
  const isTooMuch = bytes > limits.logicalPartitionBytesMax || rate > limits.partitionRateMax;
  const isHot = rate > hottestAllotment(simulation) && missingShare >= MISSING_NOTABLE;
  const isNotable = missingShare >= MISSING_NOTABLE || isHot;
  return [
    {
      code: "null-concentration",
      weight: isTooMuch ? "against" : isNotable ? "condition" : "remark",
      sentence:
        `${percentText(missingShare)} of the items have no value for the key and share one ` +
        `logical partition: ${bytesText(bytes)} (at most ` +
        `${bytesText(limits.logicalPartitionBytesMax)}) and about ${rateText(rate)} at the peak.`,
      counterExample: "items without a value",
      figures: { missingShare, bytes, rate, limitBytes: limits.logicalPartitionBytesMax },
    },
  ];
}

function tooLong({ candidate }: Simulation, { facts, limits }: Ground): readonly Reason[] {
  const bytesMax = limits.partitionKeyBytesMax;
  return candidate.levels.flatMap((level) => {
    const bytes = keyBytes(level, facts);
    if (bytes <= bytesMax) return [];
    return [
      {
        code: "value-too-long" as const,
        weight: "against" as const,
        sentence:
          `Values of the key have up to ${numberText(bytes)} bytes, and the service takes ` +
          `${numberText(bytesMax)} at most.`,
        counterExample: pathsIn([level])[0],
        figures: { bytes, limitBytes: bytesMax },
      },
    ];
  });
}

function noScalar({ candidate }: Simulation, { facts }: Ground): readonly Reason[] {
  const paths = pathsIn(candidate.levels).filter(
    (path) => facts.properties.get(path)?.isScalar === false,
  );
  return paths.map((path) => ({
    code: "not-a-scalar",
    weight: "against",
    sentence: `${path} holds arrays or objects, and only texts, numbers and booleans can be keys.`,
    counterExample: path,
    figures: {},
  }));
}

function pathsIn(levels: readonly KeyExpression[]): readonly string[] {
  return [...new Set(levels.flatMap((level) => pathsOf(level).map(pathText)))];
}

/** "2026-10-03T08" is the longest period there is. */
const PERIOD_BYTES = 13;

/** The longest value that the longest values of its paths can make. */
function keyBytes(part: KeyExpression, facts: DataFacts): number {
  switch (part.kind) {
    case "path":
      return facts.properties.get(pathText(part))?.bytesMax ?? 0;
    case "text":
      return Buffer.byteLength(part.text);
    case "period":
      return PERIOD_BYTES;
    case "concat":
      return part.parts.reduce((sum, each) => sum + keyBytes(each, facts), 0);
    case "hash":
    case "random":
    case "turn":
      return String(part.count).length;
    case "suffix":
      return keyBytes(part.base, facts) + 1 + String(part.count).length;
    case "choose":
      return Math.max(keyBytes(part.chosen, facts), keyBytes(part.otherwise, facts));
    case "lower":
      return keyBytes(part.of, facts);
  }
}
