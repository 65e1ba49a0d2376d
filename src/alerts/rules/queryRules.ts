/**
 * Rules about queries that visit more than one physical partition. Each visit has its price even if
 * nothing is found there, so such a query costs more with every split.
 */
import { counted, countText, strictBytesText } from "../../base/wording.ts";
import type { ContainerReport, Figures } from "../../statistics/report.ts";
import {
  absent,
  type ContainerRule,
  containerRule,
  fine,
  guidance,
  type RuleFinding,
} from "./alertRule.ts";
import { DOCS_PAGES } from "./docsPages.ts";
import { percentOf, percentText, rateText } from "./wording.ts";

const QUERY_COUNT_MIN = guidance(20, "queries", "fewer in the window tell nothing");

/** Source: more than half of the queries in the project's own documents. */
const crossPartitionQueries = containerRule({
  id: "crossPartitionQueries",
  title: "Most queries visit several physical partitions",
  fires:
    "More than `sharePercent` of the queries were about more than one physical partition. Info " +
    "up to `partitionCount` physical partitions, where it hardly costs.",
  severities: ["info", "warning"],
  window: "lastFiveMinutes",
  forSeconds: 60,
  thresholds: {
    sharePercent: guidance(50, "percent", "of all queries"),
    partitionCount: guidance(
      5,
      "physical partitions",
      "up to here fan-out hardly costs",
      DOCS_PAGES.queries,
    ),
    queryCountMin: QUERY_COUNT_MIN,
  },
  docs: [DOCS_PAGES.queries, DOCS_PAGES.partitioning],
  find({ report }, values) {
    const missing = missingQueries(report.figures, values.queryCountMin);
    if (missing !== undefined) return missing;
    const count = report.partitions.length;
    if (count === 1) return fine("There is one physical partition: every query visits it alone.");
    const sharePercent = sharePercentOf(report.figures);
    const says = shareText(report);
    if (sharePercent <= values.sharePercent) return fine(says);
    const isMaterial = count > values.partitionCount;
    return {
      kind: "trouble",
      severity: isMaterial ? "warning" : "info",
      says: isMaterial
        ? says
        : `${says} With so few physical partitions that hardly costs; it will after splits.`,
      todo: confineAdvice(report),
      evidence: evidenceOf(report),
    };
  },
});

const costlyFanOut = containerRule({
  id: "costlyFanOut",
  title: "Queries fan out in a container so large that it matters",
  fires:
    "More than `sharePercent` of the queries were about more than one physical partition, in a " +
    "container with a rate of more than `rateInPartitions` times what one physical partition " +
    "serves (30,000 RU/s), or with more bytes than fit into `bytesInPartitions` of them (100 GB).",
  severities: ["warning"],
  window: "lastFiveMinutes",
  forSeconds: 300,
  thresholds: {
    sharePercent: guidance(10, "percent", "of all queries"),
    rateInPartitions: guidance(
      3,
      "physical partitions",
      "30,000 RU/s at 10,000 each",
      DOCS_PAGES.partitioning,
    ),
    bytesInPartitions: guidance(
      2,
      "physical partitions",
      "100 GB at 50 GB each",
      DOCS_PAGES.partitioning,
    ),
    queryCountMin: QUERY_COUNT_MIN,
  },
  docs: [DOCS_PAGES.partitioning, DOCS_PAGES.queries],
  find({ report }, values) {
    const missing = missingQueries(report.figures, values.queryCountMin);
    if (missing !== undefined) return missing;
    const { figures, limits, throughput } = report;
    const isServerless = throughput.kind === "serverless";
    const rateMin = values.rateInPartitions * limits.partitionRateMax;
    const bytesMin = values.bytesInPartitions * limits.physicalPartitionBytesMax;
    const isFast = !isServerless && throughput.ratePerSecond > rateMin;
    const isLarge = figures.itemBytes > bytesMin;
    const says = shareText(report);
    if (!isFast && !isLarge) return fine(`${says} The container is too small for it to matter.`);
    if (sharePercentOf(figures) <= values.sharePercent) return fine(says);
    const measure = isFast
      ? `has ${rateText(throughput.ratePerSecond)}`
      : `holds ${strictBytesText(figures.itemBytes)}`;
    return {
      kind: "trouble",
      severity: "warning",
      says: `${says} The container ${measure}, and at that size every visit counts.`,
      todo: confineAdvice(report),
      evidence: evidenceOf(report),
    };
  },
});

export const QUERY_RULES: readonly ContainerRule[] = [crossPartitionQueries, costlyFanOut];

function missingQueries(figures: Figures, queryCountMin: number): RuleFinding | undefined {
  const { queryCount } = figures;
  if (queryCount === 0) return absent("There were no queries in the last five minutes.");
  if (queryCount >= queryCountMin) return undefined;
  return absent(
    `${counted(queryCount, "query", "queries")} in five minutes are too few to judge by.`,
  );
}

function sharePercentOf({ crossPartitionQueryCount, queryCount }: Figures): number {
  return percentOf(crossPartitionQueryCount, queryCount);
}

function shareText({ figures, partitions }: ContainerReport): string {
  return (
    `${percentText(sharePercentOf(figures))} of the ` +
    `${counted(figures.queryCount, "query", "queries")} of the last five minutes were about more ` +
    `than one of ${counted(partitions.length, "physical partition", "physical partitions")}.`
  );
}

function evidenceOf({ figures, partitions, throughput }: ContainerReport): {
  readonly figures: Readonly<Record<string, number>>;
  readonly partitionIds: readonly string[];
  readonly partitionKeys: readonly [];
} {
  return {
    figures: {
      sharePercent: sharePercentOf(figures),
      crossPartitionQueryCount: figures.crossPartitionQueryCount,
      queryCount: figures.queryCount,
      physicalPartitionCount: partitions.length,
      ratePerSecond: throughput.ratePerSecond,
      itemBytes: figures.itemBytes,
    },
    partitionIds: partitions.map(({ id }) => id),
    partitionKeys: [],
  };
}

function confineAdvice({ partitionKeyPaths, partitions }: ContainerReport): readonly string[] {
  const [first] = partitionKeyPaths;
  const paths = partitionKeyPaths.join(", ");
  const prefix =
    partitionKeyPaths.length > 1
      ? ` A filter on ${first} alone already confines it to the physical partitions that hold it.`
      : "";
  return [
    `Filter by the partition key (${paths}), or give it with the request: such a query visits ` +
      `one physical partition instead of ${countText(partitions.length)}.${prefix}`,
    "If most queries ask by another property, that one may be the better partition key, or a " +
      "second container keyed by it may serve them.",
    "Read single items by id and partition key instead of by query.",
  ];
}
