/** Rules about bytes that are spread unevenly, over physical partitions and over partition keys. */
import { counted, countText, strictBytesText } from "../../base/wording.ts";
import type { ContainerRule } from "./alertRule.ts";
import { absent, containerRule, fine, guidance } from "./alertRule.ts";
import { DOCS_PAGES } from "./docsPages.ts";
import { largestOf, splitAdvice } from "./partitionBytes.ts";
import { keysOf, keyText, listText, percentOf, percentText } from "./wording.ts";

/**
 * The threshold is below a half on purpose: when a container went from two physical partitions to
 * three, one has twice the bytes of the others, and nothing is wrong with its key.
 */
const storageSkew = containerRule({
  id: "storageSkew",
  title: "Bytes are spread unevenly over physical partitions",
  fires:
    "The smallest physical partition holds less than `balancePercent` of the largest, which " +
    "holds at least `fillPercentMin` of its limit.",
  severities: ["warning"],
  window: "now",
  forSeconds: 600,
  clearSeconds: 600,
  thresholds: {
    balancePercent: guidance(40, "percent", "the smallest over the largest"),
    fillPercentMin: guidance(2, "percent", "of the limit: 1 GB of 50; less does not matter"),
  },
  docs: [DOCS_PAGES.partitioning],
  find({ report }, values) {
    const { partitions, limits, jobs } = report;
    const largest = largestOf(partitions);
    if (largest === undefined || partitions.length === 1) {
      return fine("There is one physical partition: it has all bytes.");
    }
    const smallest = partitions.reduce((least, partition) =>
      partition.itemBytes < least.itemBytes ? partition : least,
    );
    const fillPercent = percentOf(largest.itemBytes, limits.physicalPartitionBytesMax);
    if (fillPercent < values.fillPercentMin) return fine("There is too little to be uneven.");
    const balancePercent = percentOf(smallest.itemBytes, largest.itemBytes);
    const says =
      `Physical partition ${largest.id} holds ${strictBytesText(largest.itemBytes)}, ` +
      `${smallest.id} ${strictBytesText(smallest.itemBytes)}: ` +
      `${percentText(balancePercent)} of it.`;
    if (jobs.length > 0) return fine(`${says} Splits or merges are under way.`);
    if (balancePercent >= values.balancePercent) return fine(says);
    const top = report.topBySize.find(({ partitionId }) => partitionId === largest.id);
    return {
      kind: "trouble",
      severity: "warning",
      says,
      todo: [
        ...splitAdvice(report, largest, top),
        "All physical partitions have the same share of the rate, so the largest has the least " +
          "for each of its bytes.",
      ],
      evidence: {
        figures: {
          largestBytes: largest.itemBytes,
          smallestBytes: smallest.itemBytes,
          balancePercent,
          fillPercent,
        },
        partitionIds: [largest.id, smallest.id],
        partitionKeys: top === undefined ? [] : keysOf([top]),
      },
    };
  },
});

/** Source: Gini over 0.7 in the project's own documents. */
const unevenKeys = containerRule({
  id: "unevenKeys",
  title: "Bytes are spread unevenly over partition keys",
  fires:
    "The Gini coefficient of the bytes of logical partitions is above `gini`. Info while the " +
    "largest holds less than `fillPercent` of its limit.",
  severities: ["info", "warning"],
  window: "now",
  forSeconds: 600,
  clearSeconds: 600,
  thresholds: {
    gini: guidance(0.7, "fraction", "0 is all alike, towards 1 is all in one"),
    fillPercent: guidance(10, "percent", "of the limit of a logical partition"),
    logicalPartitionCountMin: guidance(
      10,
      "logical partitions",
      "the coefficient of n values never passes 1 − 1/n, so of few it tells nothing",
    ),
  },
  docs: [DOCS_PAGES.partitioning, DOCS_PAGES.syntheticKeys],
  find({ report }, values) {
    const { giniOfBytes, logicalPartitionCount, largestLogicalBytes, averageLogicalBytes } =
      report.figures;
    if (giniOfBytes === undefined) return absent("The bytes of logical partitions are not known.");
    if (logicalPartitionCount < values.logicalPartitionCountMin) {
      return absent(
        `${counted(logicalPartitionCount, "logical partition is", "logical partitions are")} too ` +
          "few to judge by.",
      );
    }
    const says =
      `The Gini coefficient of the bytes of ${countText(logicalPartitionCount)} logical ` +
      `partitions is ${giniOfBytes.toFixed(2)}; the largest holds ` +
      `${strictBytesText(largestLogicalBytes)}, the average is ` +
      `${strictBytesText(averageLogicalBytes)}.`;
    if (giniOfBytes <= values.gini) return fine(says);
    const top = report.topBySize.slice(0, 3);
    const limitBytes = report.limits.logicalPartitionBytesMax;
    const isMaterial = percentOf(largestLogicalBytes, limitBytes) >= values.fillPercent;
    return {
      kind: "trouble",
      severity: isMaterial ? "warning" : "info",
      says: top.length > 0 ? `${says} The largest are ${listText(top.map(keyText))}.` : says,
      todo: [
        "Look whether the load is as uneven: bytes alone do no harm before a logical partition " +
          "nears its limit.",
        "A partition key with more values, or a hierarchical one, spreads the largest. Both need " +
          "a new container.",
      ],
      evidence: {
        figures: {
          giniOfBytes,
          logicalPartitionCount,
          largestBytes: largestLogicalBytes,
          averageBytes: averageLogicalBytes,
          limitBytes,
        },
        partitionIds: [...new Set(top.map(({ partitionId }) => partitionId))],
        partitionKeys: keysOf(top),
      },
    };
  },
});

export const SKEW_RULES: readonly ContainerRule[] = [storageSkew, unevenKeys];
