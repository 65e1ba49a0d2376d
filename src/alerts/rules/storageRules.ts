/**
 * Rules about limits of storage: how near logical and physical partitions are to their limits, and
 * when they will reach them.
 *
 * Sizes are compared with the limits in the report, never with fixed numbers of bytes, so that a
 * server with scaled limits gives the same alerts.
 */
import { countText, daysText, strictBytesText } from "../../base/wording.ts";
import {
  absent,
  type ContainerRule,
  containerRule,
  fine,
  guidance,
  type Severity,
} from "./alertRule.ts";
import { DOCS_PAGES } from "./docsPages.ts";
import { fullKeyAdvice, largestOf, splitAdvice } from "./partitionBytes.ts";
import { keysOf, keyText, percentOf, percentText } from "./wording.ts";

/** Source: 15 GB of 20 in the project's own documents; 80 % in the advisory catalogue. */
const largeLogicalPartition = containerRule({
  id: "largeLogicalPartition",
  title: "A logical partition nears its limit",
  fires:
    "A logical partition holds more than `warningPercent` of what one may hold (20 GB, unless " +
    "limits are scaled). Critical above `criticalPercent`.",
  severities: ["warning", "critical"],
  window: "now",
  forSeconds: 0,
  thresholds: {
    warningPercent: guidance(75, "percent", "of the limit: 15 GB of 20", DOCS_PAGES.logicalStorage),
    criticalPercent: guidance(80, "percent", "of the limit: 16 GB of 20"),
  },
  ascending: ["warningPercent", "criticalPercent"],
  docs: [
    DOCS_PAGES.quotas,
    DOCS_PAGES.logicalStorage,
    DOCS_PAGES.hierarchicalKeys,
    DOCS_PAGES.syntheticKeys,
  ],
  find({ report }, values) {
    const limitBytes = report.limits.logicalPartitionBytesMax;
    const [largest] = report.topBySize;
    if (largest === undefined) {
      if (report.figures.itemCount === 0) return fine("There are no items.");
      return absent("The bytes of logical partitions are not known.");
    }
    const fillPercent = percentOf(largest.itemBytes, limitBytes);
    const says =
      `The largest logical partition, ${keyText(largest)}, holds ` +
      `${strictBytesText(largest.itemBytes)}: ${percentText(fillPercent)} of the ` +
      `${strictBytesText(limitBytes)} that one may hold.`;
    if (fillPercent <= values.warningPercent) return fine(says);
    const large = report.topBySize.filter(
      ({ itemBytes }) => percentOf(itemBytes, limitBytes) > values.warningPercent,
    );
    const others = large.length > 1 ? ` ${countText(large.length)} are as near as that.` : "";
    return {
      kind: "trouble",
      severity: fillPercent > values.criticalPercent ? "critical" : "warning",
      says: says + others,
      todo: fullKeyAdvice(report, largest),
      evidence: {
        figures: {
          largestBytes: largest.itemBytes,
          largestItemCount: largest.itemCount,
          limitBytes,
          fillPercent,
        },
        partitionIds: [...new Set(large.map(({ partitionId }) => partitionId))],
        partitionKeys: keysOf(large),
      },
    };
  },
});

const physicalPartitionFill = containerRule({
  id: "physicalPartitionFill",
  title: "A physical partition fills up",
  fires:
    "A physical partition holds more than `infoPercent`, `warningPercent` or `criticalPercent` " +
    "of what one may hold (50 GB, unless limits are scaled).",
  severities: ["info", "warning", "critical"],
  window: "now",
  forSeconds: 0,
  thresholds: {
    infoPercent: guidance(60, "percent", "of the limit: 30 GB of 50", DOCS_PAGES.scaling),
    warningPercent: guidance(80, "percent", "of the limit: 40 GB of 50", DOCS_PAGES.scaling),
    criticalPercent: guidance(90, "percent", "of the limit: 45 GB of 50", DOCS_PAGES.scaling),
  },
  ascending: ["infoPercent", "warningPercent", "criticalPercent"],
  docs: [DOCS_PAGES.quotas, DOCS_PAGES.partitioning, DOCS_PAGES.scaling],
  find({ report }, values) {
    const limitBytes = report.limits.physicalPartitionBytesMax;
    const largest = largestOf(report.partitions);
    if (largest === undefined) return absent("There are no physical partitions.");
    const fillPercent = percentOf(largest.itemBytes, limitBytes);
    const says =
      `Physical partition ${largest.id} holds ${strictBytesText(largest.itemBytes)}: ` +
      `${percentText(fillPercent)} of the ${strictBytesText(limitBytes)} that one may hold.`;
    if (fillPercent <= values.infoPercent) return fine(says);
    const full = report.partitions
      .filter(({ itemBytes }) => percentOf(itemBytes, limitBytes) > values.infoPercent)
      .toSorted((one, other) => other.itemBytes - one.itemBytes);
    const severity: Severity =
      fillPercent > values.criticalPercent
        ? "critical"
        : fillPercent > values.warningPercent
          ? "warning"
          : "info";
    const top = report.topBySize.find(({ partitionId }) => partitionId === largest.id);
    return {
      kind: "trouble",
      severity,
      says,
      todo: splitAdvice(report, largest, top),
      evidence: {
        figures: { largestBytes: largest.itemBytes, limitBytes, fillPercent },
        partitionIds: full.map(({ id }) => id),
        partitionKeys: top === undefined ? [] : keysOf([top]),
      },
    };
  },
});

const storageGrowth = containerRule({
  id: "storageGrowth",
  title: "Growth reaches a storage limit soon",
  fires:
    "At the present growth, taken in proportion to what is stored, the largest logical partition " +
    "reaches its limit within `withinDays` (critical within `criticalDays`), or the largest " +
    "physical partition does (info: it is split then).",
  severities: ["info", "warning", "critical"],
  window: "history",
  forSeconds: 600,
  clearSeconds: 600,
  thresholds: {
    withinDays: guidance(30, "days", "until a limit is reached"),
    criticalDays: guidance(7, "days", "until a logical partition reaches its limit"),
    fillPercentMin: guidance(10, "percent", "of the limit; what is emptier may have just begun"),
  },
  ascending: ["criticalDays", "withinDays"],
  docs: [DOCS_PAGES.quotas, DOCS_PAGES.logicalStorage, DOCS_PAGES.hierarchicalKeys],
  find({ report }, values) {
    const { bytesPerDay, itemBytes } = report.figures;
    if (bytesPerDay === undefined) return absent("Growth is not known before an hour has passed.");
    const [logical] = report.topBySize;
    const physical = largestOf(report.partitions);
    if (bytesPerDay <= 0 || itemBytes === 0 || physical === undefined || logical === undefined) {
      return fine("The container does not grow.");
    }
    const daysUntil = (bytes: number, limitBytes: number): number => {
      const isWorthAsking = percentOf(bytes, limitBytes) >= values.fillPercentMin;
      const growth = (bytesPerDay * bytes) / itemBytes;
      return isWorthAsking ? Math.max(limitBytes - bytes, 0) / growth : Number.POSITIVE_INFINITY;
    };
    const { logicalPartitionBytesMax, physicalPartitionBytesMax } = report.limits;
    const logicalDays = daysUntil(logical.itemBytes, logicalPartitionBytesMax);
    const physicalDays = daysUntil(physical.itemBytes, physicalPartitionBytesMax);
    const growth = `The container grows by ${strictBytesText(bytesPerDay)} a day.`;
    const figures = { bytesPerDay, itemBytes };
    if (logicalDays <= values.withinDays) {
      return {
        kind: "trouble",
        severity: logicalDays <= values.criticalDays ? "critical" : "warning",
        says:
          `${growth} If the logical partition ${keyText(logical)} has its share of that, it ` +
          `reaches ${strictBytesText(logicalPartitionBytesMax)} in ${daysText(logicalDays)}.`,
        todo: fullKeyAdvice(report, logical),
        evidence: {
          figures: {
            ...figures,
            daysLeft: logicalDays,
            largestBytes: logical.itemBytes,
            limitBytes: logicalPartitionBytesMax,
          },
          partitionIds: [logical.partitionId],
          partitionKeys: keysOf([logical]),
        },
      };
    }
    if (physicalDays > values.withinDays) return fine(`${growth} No limit is near.`);
    const leading = report.topBySize.find(({ partitionId }) => partitionId === physical.id);
    return {
      kind: "trouble",
      severity: "info",
      says:
        `${growth} If physical partition ${physical.id} has its share of that, it reaches ` +
        `${strictBytesText(physicalPartitionBytesMax)} in ${daysText(physicalDays)}.`,
      todo: splitAdvice(report, physical, leading),
      evidence: {
        figures: {
          ...figures,
          daysLeft: physicalDays,
          largestBytes: physical.itemBytes,
          limitBytes: physicalPartitionBytesMax,
        },
        partitionIds: [physical.id],
        partitionKeys: [],
      },
    };
  },
});

export const STORAGE_RULES: readonly ContainerRule[] = [
  largeLogicalPartition,
  physicalPartitionFill,
  storageGrowth,
];
