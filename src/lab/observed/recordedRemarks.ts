/** What a workload that was recorded takes for granted, in sentences. */
import { DAY_SECONDS } from "../../base/units.ts";
import { durationText } from "../../base/wording.ts";
import type { RecordedThroughput, Recording } from "../../recording/recording.ts";

/** Less of all operations is not worth a sentence. */
const SHARE_MIN = 0.005;

export function remarksOf(recording: Recording): readonly string[] {
  return [
    ...aboutTime(recording),
    ...aboutLoad(recording),
    ...aboutItems(recording),
    ...aboutShapes(recording),
  ];
}

function aboutTime({ seconds, startedAt, series }: Recording): readonly string[] {
  const at = new Date(startedAt).toISOString().slice(0, 16).replace("T", " ");
  const isWholeDay = series.hourSeconds.every((each) => each >= 600);
  return [
    `Recorded for ${durationText(seconds)} from ${at} UTC.` +
      (isWholeDay
        ? " Every hour of the day was seen."
        : " Rates of that time are taken for means of the day; a day's recording would tell them."),
    ...(seconds < 600 ? ["It was too short to tell peaks from chance; there are none in it."] : []),
  ];
}

function aboutLoad(recording: Recording): readonly string[] {
  const { throttledCount, failedCount, requestCount, operationCount, others } = recording;
  const throughput = recording.throughput;
  return [
    ...(operationCount === 0 ? ["Nothing was asked of the container in that time."] : []),
    ...(throttledCount > 0
      ? [
          `${percent(throttledCount / requestCount)} % of the requests were throttled (429); ` +
            "clients that gave up are missing, so more may be wanted than was recorded.",
        ]
      : []),
    ...(failedCount > SHARE_MIN * requestCount
      ? [`${percent(failedCount / requestCount)} % of the requests failed and are left out.`]
      : []),
    ...(others.count > 0
      ? [
          `${percent(others.count / operationCount)} % of the operations are left out: there ` +
            "were more query texts than are told apart. Put their values into parameters.",
        ]
      : []),
    ...(throughput?.isShared === true
      ? ["The container shares the rate of its database, so no throughput is stated for it."]
      : throughput === undefined || throughput.kind === "serverless"
        ? []
        : aboutRate(throughput)),
  ];
}

function aboutRate({ ratePerSecond, isLimited, isDefault }: RecordedThroughput): readonly string[] {
  if (isLimited === false) {
    return [
      `The server refused nobody for the rate (--no-rate-limit), so the ${ratePerSecond} RU/s of ` +
        "the container were no limit, and no throughput is stated.",
    ];
  }
  if (isDefault !== true) return [];
  return [
    `${ratePerSecond} RU/s is what a container has that asks for none, so no throughput is ` +
      "stated; state it if it is meant.",
  ];
}

function aboutItems({ items, operations, seconds }: Recording): readonly string[] {
  const deleted = operations.find(({ kind }) => kind === "delete")?.count ?? 0;
  return [
    ...(items.count === 0
      ? ["No item was written whole, so the recording says nothing about items."]
      : seconds < DAY_SECONDS
        ? [
            "Values of properties are those that were written or asked for in that time; a " +
              "profile of the container knows all of them.",
          ]
        : []),
    ...(deleted > 0 && items.createdCount > 0
      ? [
          `For every 100 items that came, ${Math.round((100 * deleted) / items.createdCount)} ` +
            "were deleted; growth counts those that came.",
        ]
      : []),
    ...(items.otherPathValueCount > 0
      ? ["Items have more different properties than are told apart; some are missing here."]
      : []),
  ];
}

function aboutShapes({ operations }: Recording): readonly string[] {
  return operations.flatMap((operation) => {
    const { id, kind, count, changes, parameters } = operation;
    const isUnknown = (kind === "replace" || kind === "upsert") && changes === undefined;
    const far = parameters.flatMap(({ name, agoDays }) =>
      agoDays === undefined || agoDays.p90 < 1.5 * agoDays.p50
        ? []
        : [
            `${name} of '${id}' goes back ${days(agoDays.p50)} days in the middle of all cases, ` +
              `${days(agoDays.p90)} days or more in a tenth of them.`,
          ],
    );
    return [
      ...(isUnknown && count > 0
        ? [`What '${id}' changes is not known: no item that was seen before was written again.`]
        : []),
      ...(kind === "readFeed" && count > 0 ? [`'${id}' is a read feed, written as a query.`] : []),
      ...far,
    ];
  });
}

function percent(share: number): string {
  return String(Number((100 * share).toPrecision(2)));
}

function days(amount: number): string {
  return String(Number(amount.toPrecision(2)));
}
