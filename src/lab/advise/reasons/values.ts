/**
 * What the values of a key must not do: change, be missing, be too long, be something else than a
 * scalar; and transactions that the key tears apart.
 */
import { bytesText } from "../../../base/wording.ts";
import type { KeyExpression } from "../../../keys/expression.ts";
import { pathsOf, pathText } from "../../../keys/paths.ts";
import type { DataFacts } from "../../data/facts.ts";
import type { Simulation } from "../../simulate/simulation.ts";
import { numberText, percentText, rateText } from "../../wording/plain.ts";
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

/**
 * Items that lack a value of the key share a logical partition, unless something else in the key
 * tells them apart: what is judged is the largest that they have.
 */
function missing(simulation: Simulation, { limits }: Ground): readonly Reason[] {
  const { missingShare } = simulation;
  if (!(missingShare > 0)) return [];
  const limitBytes = limits.logicalPartitionBytesMax;
  const { bytes, rate, share, label } = missingKeyOf(simulation);
  const isTooMuch = bytes > limitBytes || rate > limits.partitionRateMax;
  const isHot = rate > hottestAllotment(simulation) && share >= MISSING_NOTABLE;
  const isNotable = share >= MISSING_NOTABLE || isHot;
  const isOne = share >= ALL_OF_THEM * missingShare;
  const size = `${bytesText(bytes)} (at most ${bytesText(limitBytes)}) and about ${rateText(rate)}`;
  return [
    {
      code: "null-concentration",
      weight: isTooMuch ? "against" : isNotable ? "condition" : "remark",
      sentence: isOne
        ? `${percentText(missingShare)} of the items have no value for the key and share one ` +
          `logical partition: ${size} at the peak.`
        : `${percentText(missingShare)} of the items lack a value of the key, and the rest of it ` +
          `tells them apart: their largest logical partition has ${size} at the peak.`,
      counterExample: label,
      figures: { missingShare, bytes, rate, limitBytes, keyShare: share },
    },
  ];
}

/** From this part on it is one logical partition that they have. */
const ALL_OF_THEM = 0.9;

function missingKeyOf(simulation: Simulation): {
  readonly bytes: number;
  readonly rate: number;
  readonly share: number;
  readonly label: string;
} {
  const { missingKey, missingShare, load } = simulation;
  if (missingKey !== undefined) return { ...missingKey, bytes: missingKey.bytesAtEnd };
  const bytes = missingShare * totalBytes(simulation);
  const rate = missingShare * load.peakRate;
  return { bytes, rate, share: missingShare, label: "items without a value" };
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
    case "coalesce":
      return Math.max(...part.parts.map((each) => keyBytes(each, facts)));
  }
}
