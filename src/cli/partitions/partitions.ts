/**
 * `orrery partitions`: how the items of a container are placed and where the load is, as tables;
 * once, or drawn again every second. What is said of a container is a function of its report.
 */

import { parseArgs } from "node:util";
import { millis } from "../../base/units.ts";
import { counted, shortBytesText } from "../../base/wording.ts";
import type { JsonValue } from "../../json/value.ts";
import type { TopKeysAnswer } from "../../protocol/admin.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import type {
  ContainerReport,
  Figures,
  JobReport,
  Load,
  LogicalReport,
  PartitionReport,
  ThroughputReport,
} from "../../statistics/report.ts";
import { AdminClient, routeOf } from "../connect/adminClient.ts";
import type { ContainerName, Environment } from "../connect/serverOptions.ts";
import { accountOf, containerOf, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import type { LiveRow, Section, Tone } from "../terminal/liveTable.ts";
import { barOf, LiveTable, numberText, percentText } from "../terminal/liveTable.ts";

export const PARTITIONS_HELP: string = `usage: orrery partitions <db>/<container> [options]

Shows the physical partitions of a container: their part of the keys, items, bytes, rate and load;
the logical partitions with most bytes and most load; and splits and merges under way.

  --watch                  draw it again every second, until Ctrl-C; where the output is no
                           terminal, a table every five seconds
  --top <n>                how many logical partitions to list (default 5, at most 1000)
  --json                   the report as one line of JSON instead; with --watch one every second
${SERVER_HELP}\
Ends with 0 when it was shown or Ctrl-C ended it, with 1 when the server refused or did not
answer, with 2 when an option makes no sense.
`;

const TOP_COUNT = 5;
const TOP_COUNT_MAX = 1_000;
const WATCH_MS = 1_000;
/** Where every table stays, fewer are more. */
const WATCH_PLAIN_MS = 5_000;

export async function runPartitions(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      watch: { type: "boolean" },
      json: { type: "boolean" },
      top: { type: "string" },
    },
  });
  if (values.help === true) {
    process.stdout.write(PARTITIONS_HELP);
    return;
  }
  const [named, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  const name = containerOf(named);
  const topCount = topCountOf(values.top);
  const client = new AdminClient(accountOf(values, environment));
  const table = new LiveTable(process.stdout, environment);
  const show = async (isWatched: boolean): Promise<void> => {
    const report = await reportOf(client, name, topCount);
    if (values.json === true) process.stdout.write(`${JSON.stringify(report)}\n`);
    else if (isWatched) table.show(reportSections(report));
    else table.print(reportSections(report));
  };
  try {
    if (values.watch !== true) await show(false);
    else {
      const isQuick = table.isInPlace || values.json === true;
      await untilInterrupted(() => show(true), isQuick ? WATCH_MS : WATCH_PLAIN_MS);
    }
  } finally {
    client.close();
  }
}

function topCountOf(text: string | undefined): number {
  if (text === undefined) return TOP_COUNT;
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= TOP_COUNT_MAX) {
    return Number(text);
  }
  throw new BadOption(`--top is '${text}'; it must be a number from 1 to ${TOP_COUNT_MAX}.`);
}

/** With as many top keys as are wanted: a report has only a few of its own accord. */
async function reportOf(
  client: AdminClient,
  name: ContainerName,
  topCount: number,
): Promise<ContainerReport> {
  const report = await client.get<ContainerReport>(routeOf(name, "report"));
  const { topBySize, topByLoad } = report;
  if (topBySize.length >= Math.min(topCount, report.figures.logicalPartitionCount)) {
    return {
      ...report,
      topBySize: topBySize.slice(0, topCount),
      topByLoad: topByLoad.slice(0, topCount),
    };
  }
  const top = async (by: string): Promise<readonly LogicalReport[]> => {
    const route = routeOf(name, `topKeys?by=${by}&count=${topCount}`);
    return (await client.get<TopKeysAnswer>(route)).keys;
  };
  return { ...report, topBySize: await top("size"), topByLoad: await top("load") };
}

/** Ends at the first Ctrl-C, in the middle of a question if need be; a second one kills. */
async function untilInterrupted(act: () => Promise<void>, intervalMs: number): Promise<void> {
  let isEnded = false;
  let wake = (): void => undefined;
  const interrupted = new Promise<void>((resolve) => {
    process.once("SIGINT", () => {
      isEnded = true;
      wake();
      resolve();
    });
  });
  while (!isEnded) {
    const acted = act();
    await Promise.race([acted, interrupted]);
    // What comes of a question that nobody waits for any more is of no interest.
    if (isEnded) acted.catch(() => undefined);
    else {
      await new Promise<void>((resolve) => {
        const cancel = realTimer.after(millis(intervalMs), resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
    }
  }
}

/** Everything there is to say about a container, in the order in which it is asked. */
export function reportSections(report: ContainerReport): readonly Section[] {
  const { database, container, partitions, figures, jobs } = report;
  const paths = report.partitionKeyPaths.join(", ");
  const at = new Date(report.at).toISOString().slice(0, 19).replace("T", " ");
  return [
    lines([`${database}/${container}  by ${paths}  ${at} UTC`], "strong"),
    lines([throughputText(report.throughput), sizeText(figures, partitions.length), ""]),
    partitionTable(report),
    lines(LEGEND, "faint"),
    ...titled("Top logical partitions by size", sizeRows(report)),
    ...titled("Top logical partitions by load of the last five minutes", loadRows(report)),
    lines(["", ...figureTexts(report)]),
    ...(jobs.length === 0 ? [] : [lines(["", ...jobs.map(jobText)], "strong")]),
  ];
}

const LEGEND = [
  "RU/s is that of the last second, peak % the busiest second of the last minute",
  "against its allotment, 429 % the requests throttled in the last minute.",
];

function lines(texts: readonly string[], tone?: Tone): Section {
  return { kind: "lines", lines: texts, tone };
}

function titled(title: string, rows: readonly LiveRow[]): readonly Section[] {
  if (rows.length === 0) return [lines(["", `${title}: none`])];
  return [lines(["", title], "strong"), { kind: "table", rows, right: KEY_NUMBERS }];
}

function throughputText(throughput: ThroughputReport): string {
  const { kind, ratePerSecond, rateNow, pendingRate, isShared, isLimited } = throughput;
  const rate = `${numberText(ratePerSecond)} RU/s`;
  const parts = [
    kind === "serverless" ? "serverless" : kind === "autoscale" ? `autoscale up to ${rate}` : rate,
    ...(rateNow === undefined ? [] : [`now at ${numberText(rateNow)} RU/s`]),
    ...(pendingRate === undefined ? [] : [`on the way to ${numberText(pendingRate)} RU/s`]),
    ...(isShared ? ["shared with the other containers of its database"] : []),
    ...(isLimited ? [] : ["nothing is throttled"]),
  ];
  return parts.join(", ");
}

function sizeText({ itemCount, itemBytes, bytesPerDay }: Figures, partitionCount: number): string {
  const growth =
    bytesPerDay === undefined ? "" : `, growing by ${shortBytesText(bytesPerDay)} a day`;
  return (
    `${counted(itemCount, "item")}, ${shortBytesText(itemBytes)} in ` +
    `${counted(partitionCount, "physical partition")}${growth}`
  );
}

/** The physical partitions alone. */
export function partitionTable(report: ContainerReport): Section {
  return { kind: "table", rows: partitionRows(report), right: PARTITION_NUMBERS };
}

const PARTITION_NUMBERS = ["id", "items", "size", "allotted", "RU/s", "peak %", "429 %"];
const BAR_LENGTH = 6;

function partitionRows({ partitions, figures, throughput }: ContainerReport): readonly LiveRow[] {
  const rangeOf = rangeTextOf(partitions);
  return partitions.map((partition) => {
    const { id, itemCount, itemBytes, allottedRate, lastSecond, lastMinute } = partition;
    const share = figures.itemBytes === 0 ? 0 : itemBytes / figures.itemBytes;
    const throttled = throttledShare(lastMinute);
    const cells = {
      id,
      ...rangeOf(partition),
      items: numberText(itemCount),
      size: shortBytesText(itemBytes),
      allotted: throughput.isLimited ? numberText(allottedRate) : "-",
      "RU/s": numberText(lastSecond.seconds === 0 ? 0 : lastSecond.ru / lastSecond.seconds),
      "peak %": throughput.isLimited ? percentText(lastMinute.normalizedPercent / 100) : "-",
      "429 %": throttled === undefined ? "-" : percentText(throttled),
      // The last column is the first to go where there is no room.
      "of bytes": `${barOf(share, BAR_LENGTH)} ${percentText(share).padStart(5)} %`,
    };
    const tone =
      (throttled ?? 0) > 0 ? "alarm" : lastMinute.normalizedPercent >= 80 ? "warning" : undefined;
    return { cells, tone };
  });
}

function throttledShare({ requestCount, throttledCount }: Load): number | undefined {
  return requestCount === 0 ? undefined : throttledCount / requestCount;
}

/**
 * Where a physical partition lies among the hashes, in percent. Hashes of the first version have no
 * such even scale: all of their bounds begin with the same byte, and are shown as they are.
 */
function rangeTextOf(
  partitions: readonly PartitionReport[],
): (partition: PartitionReport) => Record<string, string> {
  const bounds = partitions.slice(1).map(({ min }) => min);
  if (bounds.length > 0 && bounds.every((bound) => bound.startsWith("05"))) {
    return ({ min }) => ({ "from EPK": min });
  }
  return ({ min, max }) => {
    const percent = (epk: string): string => (100 * placeOf(epk)).toFixed(1).replace(".0", "");
    return { "keys %": `${percent(min)}–${percent(max)}` };
  };
}

/** Hashes are below 40…: twelve digits of one are 48 bits, of which the first two are never set. */
function placeOf(epk: string): number {
  return epk >= "40" ? 1 : Number.parseInt(epk.slice(0, 12).padEnd(12, "0"), 16) / 2 ** 46;
}

const KEY_NUMBERS = [
  "on",
  "items",
  "size",
  "of limit %",
  "RU",
  "of all RU %",
  "at most less",
  "429s",
];

function sizeRows({ topBySize, limits }: ContainerReport): readonly LiveRow[] {
  return topBySize.map((logical) => {
    const share = logical.itemBytes / limits.logicalPartitionBytesMax;
    const cells = {
      key: keyText(logical),
      on: logical.partitionId,
      items: numberText(logical.itemCount),
      size: shortBytesText(logical.itemBytes),
      "of limit %": percentText(share),
    };
    return { cells, tone: share >= 1 ? "alarm" : share >= 0.7 ? "warning" : undefined };
  });
}

function loadRows({ topByLoad, figures }: ContainerReport): readonly LiveRow[] {
  return topByLoad.map((logical) => {
    const { ru, errorRu, throttledCount } = logical;
    const cells = {
      key: keyText(logical),
      on: logical.partitionId,
      RU: ru === undefined ? "-" : numberText(ru),
      "of all RU %": ru === undefined || figures.ru === 0 ? "-" : percentText(ru / figures.ru),
      "at most less": errorRu === undefined ? "-" : numberText(errorRu),
      "429s": throttledCount === undefined ? "-" : numberText(throttledCount),
    };
    return { cells, tone: (throttledCount ?? 0) > 0 ? "alarm" : undefined };
  });
}

/** A key of one level by itself, one of more as a list. */
function keyText({ partitionKey, epk }: LogicalReport): string {
  if (partitionKey === undefined) return `EPK ${epk}`;
  const shown: JsonValue = partitionKey.length === 1 ? partitionKey[0]! : partitionKey;
  return JSON.stringify(shown);
}

function figureTexts({ figures, limits }: ContainerReport): readonly string[] {
  const limitShare = figures.largestLogicalBytes / limits.logicalPartitionBytesMax;
  const throttled = figures.throttledShare;
  return [
    `Logical partitions: ${numberText(figures.logicalPartitionCount)}, ` +
      `${shortBytesText(figures.averageLogicalBytes)} on average; largest ` +
      `${shortBytesText(figures.largestLogicalBytes)}, ${percentText(limitShare)} % of the limit.`,
    ...giniText("Bytes of logical partitions", figures.giniOfBytes),
    ...giniText("Load of physical partitions", figures.giniOfLoad),
    ...(figures.busiestShare === undefined
      ? []
      : [`Busiest: one physical partition took ${percentText(figures.busiestShare)} % of all RU.`]),
    throttled === undefined
      ? "Requests: none in the last five minutes."
      : `Requests: ${numberText(figures.requestCount)} in the last five minutes, ` +
        `${percentText(throttled)} % of them throttled.`,
    ...(figures.crossPartitionShare === undefined ? [] : [fanOutText(figures)]),
  ];
}

function giniText(what: string, gini: number | undefined): readonly string[] {
  if (gini === undefined) return [];
  const words =
    gini < 0.2 ? "even" : gini < 0.4 ? "fairly even" : gini < 0.7 ? "uneven" : "very uneven";
  return [`${what}: ${words} (Gini ${gini.toFixed(2)} of 0 to 1).`];
}

function fanOutText({
  queryCount,
  crossPartitionQueryCount,
  crossPartitionShare,
}: Figures): string {
  return (
    `Queries: ${numberText(crossPartitionQueryCount)} of ${numberText(queryCount)} ` +
    `(${percentText(crossPartitionShare ?? 0)} %) were about more than one physical partition.`
  );
}

const STATES: Readonly<Record<JobReport["state"], string>> = {
  waiting: "waits for its turn",
  copying: "copying",
  catchingUp: "catching up with new writes",
  switching: "switching over",
};

/** How far a split, a merge or a move is. */
export function jobText({ kind, to, reason, state, partitionIds, ...job }: JobReport): string {
  const why = reason === "request" ? "as asked" : `for ${reason}`;
  const share = job.totalCount === 0 ? 0 : Math.min(1, job.copiedCount / job.totalCount);
  const progress =
    state === "waiting"
      ? ""
      : `, ${numberText(job.copiedCount)} of ${numberText(job.totalCount)} changes ` +
        `(${percentText(share)} %)`;
  const word = { split: "Split", merge: "Merge", move: "Move" }[kind];
  const where = to === undefined ? "" : ` to ${to}`;
  return `${word} of ${partitionIds.join(" and ")}${where}, ${why}: ${STATES[state]}${progress}.`;
}
