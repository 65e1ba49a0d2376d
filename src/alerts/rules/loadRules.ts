/**
 * Rules about the load of the last five minutes: one physical partition that gets most of the load,
 * and requests that are throttled.
 */
import { counted } from "../../base/wording.ts";
import {
  absent,
  type ContainerRule,
  containerRule,
  fine,
  guidance,
  type RuleFinding,
  type Severity,
} from "./alertRule.ts";
import { DOCS_PAGES } from "./docsPages.ts";
import {
  busiestOf,
  KEY_PERCENT,
  loadFiguresOf,
  loadTrouble,
  raiseAdvice,
} from "./partitionLoad.ts";
import { percentOf, percentText } from "./wording.ts";

const NO_REQUESTS = "There were no requests in the last five minutes.";

const REQUEST_COUNT_MIN = guidance(100, "requests", "fewer in the window tell nothing");

/** Source: the project's own documents call a physical partition hot from 80 % of the RUs. */
const hotPartition = containerRule({
  id: "hotPartition",
  title: "One physical partition takes most of the load",
  fires:
    "The busiest physical partition spent more than `sharePercent` of the container's RUs. " +
    "Info while even its busiest second is below `materialPercent` of what it may spend; " +
    "critical if more than `throttledPercent` of its requests were throttled.",
  severities: ["info", "warning", "critical"],
  window: "lastFiveMinutes",
  forSeconds: 60,
  thresholds: {
    sharePercent: guidance(80, "percent", "share of the container's RUs"),
    materialPercent: guidance(50, "percent", "of what the physical partition may spend"),
    throttledPercent: guidance(
      5,
      "percent",
      "of the physical partition's requests",
      DOCS_PAGES.throttling,
    ),
    keyPercent: KEY_PERCENT,
    requestCountMin: REQUEST_COUNT_MIN,
  },
  docs: [DOCS_PAGES.partitioning, DOCS_PAGES.normalizedRu, DOCS_PAGES.syntheticKeys],
  find({ report }, values) {
    const { figures, partitions } = report;
    const busiest = busiestOf(partitions, ({ lastFiveMinutes }) => lastFiveMinutes.ru);
    if (figures.requestCount === 0 || busiest === undefined || figures.busiestShare === undefined) {
      return absent(NO_REQUESTS);
    }
    if (partitions.length === 1) return fine("There is one physical partition: it has all load.");
    if (figures.requestCount < values.requestCountMin) return tooFew(figures.requestCount);
    const sharePercent = 100 * figures.busiestShare;
    const says =
      `Physical partition ${busiest.id} spent ${percentText(sharePercent)} of the container's ` +
      "RUs in the last five minutes; an even share would be " +
      `${percentText(100 / partitions.length)}.`;
    if (sharePercent <= values.sharePercent) return fine(says);
    const load = busiest.lastFiveMinutes;
    const throttledPercent = percentOf(load.throttledCount, load.requestCount);
    const isMaterial = load.normalizedPercent >= values.materialPercent;
    const severity: Severity =
      throttledPercent > values.throttledPercent ? "critical" : isMaterial ? "warning" : "info";
    return loadTrouble(report, busiest, values.keyPercent, {
      severity,
      says: `${says} Its busiest second was at ${percentText(load.normalizedPercent)} of its rate.`,
      figures: { sharePercent, throttledPercent, ...loadFiguresOf(busiest, load) },
    });
  },
});

const throttledRequests = containerRule({
  id: "throttledRequests",
  title: "Requests are throttled",
  fires:
    "More than `sharePercent` of the requests were throttled. Info up to `healthyPercent`: a " +
    "rate that is never reached is a rate that is too high. Critical above `criticalPercent`.",
  severities: ["info", "warning", "critical"],
  window: "lastFiveMinutes",
  forSeconds: 60,
  thresholds: {
    sharePercent: guidance(1, "percent", "of all requests", DOCS_PAGES.throttling),
    healthyPercent: guidance(
      5,
      "percent",
      "of all requests; up to here it is healthy if latencies are good",
      DOCS_PAGES.throttling,
    ),
    criticalPercent: guidance(20, "percent", "of all requests"),
    keyPercent: KEY_PERCENT,
    requestCountMin: REQUEST_COUNT_MIN,
  },
  ascending: ["sharePercent", "healthyPercent", "criticalPercent"],
  docs: [DOCS_PAGES.throttling, DOCS_PAGES.normalizedRu],
  find({ report }, values) {
    const { figures, throughput, partitions } = report;
    if (!throughput.isLimited) return absent("This server does not limit rates.");
    if (figures.requestCount === 0) return absent(NO_REQUESTS);
    if (figures.requestCount < values.requestCountMin) return tooFew(figures.requestCount);
    const { throttledCount, requestCount } = figures;
    const throttledPercent = percentOf(throttledCount, requestCount);
    const says =
      `${percentText(throttledPercent)} of the ${counted(requestCount, "request", "requests")} ` +
      "of the last five minutes were throttled.";
    if (throttledPercent <= values.sharePercent) return fine(says);
    const isHealthy = throttledPercent <= values.healthyPercent;
    const isCritical = throttledPercent > values.criticalPercent;
    const severity: Severity = isCritical ? "critical" : isHealthy ? "info" : "warning";
    const band = isHealthy
      ? ` Up to ${percentText(values.healthyPercent)} is healthy if latencies are good: the rate ` +
        "is used to the full."
      : "";
    const worst = busiestOf(partitions, ({ lastFiveMinutes }) => lastFiveMinutes.throttledCount);
    const worstCount = worst?.lastFiveMinutes.throttledCount ?? 0;
    const worstPercent = percentOf(worstCount, throttledCount);
    if (worst === undefined || partitions.length === 1 || worstPercent <= 50) {
      return {
        kind: "trouble",
        severity,
        says: says + band,
        todo: raiseAdvice(report),
        evidence: {
          figures: { throttledPercent, throttledCount, requestCount },
          partitionIds: partitions
            .filter(({ lastFiveMinutes }) => lastFiveMinutes.throttledCount > 0)
            .map(({ id }) => id),
          partitionKeys: [],
        },
      };
    }
    return loadTrouble(report, worst, values.keyPercent, {
      severity,
      says:
        `${says}${band} ${percentText(worstPercent)} of those were for physical partition ` +
        `${worst.id}.`,
      figures: { throttledPercent, ...loadFiguresOf(worst, worst.lastFiveMinutes) },
    });
  },
});

export const LOAD_RULES: readonly ContainerRule[] = [hotPartition, throttledRequests];

function tooFew(requestCount: number): RuleFinding {
  return absent(
    `${counted(requestCount, "request", "requests")} in five minutes are too few to judge by.`,
  );
}
