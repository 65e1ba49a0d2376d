/** `orrery lab verify`: what a container shows after its move, beside what was predicted. */
import { parseArgs } from "node:util";
import { MINUTE_MS } from "../../base/units.ts";
import type { ObservedContainer, ObservedOperation } from "../../lab/verify/observed.ts";
import { type Prediction, readPrediction } from "../../lab/verify/prediction.ts";
import { verificationJson, verificationText } from "../../lab/verify/report.ts";
import { verifyPrediction } from "../../lab/verify/verify.ts";
import { visible } from "../../lab/wording/plain.ts";
import type { HistoryReport, JobsAnswer } from "../../protocol/admin.ts";
import type { Recording } from "../../recording/recording.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { AdminClient, routeOf } from "../connect/adminClient.ts";
import {
  accountOf,
  type ContainerName,
  containerOf,
  type Environment,
  SERVER_HELP,
  SERVER_OPTIONS,
} from "../connect/serverOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { wholeOf } from "./options.ts";
import { terminalWidth, writeJson } from "./output.ts";
import { textOf } from "./workloadFrom.ts";

export const VERIFY_HELP: string = `\
usage: orrery lab verify --prediction <file> <db>/<container> [options]

Compares what \`orrery lab advise --migrate\` predicted with what the container shows now: RU/s in
total and of the hottest partition, RU of a request, 429s, logical partitions and the largest of
them, and RU of each operation where it was recorded. If more or less is asked than was predicted,
RU/s are compared at the rate that came, and the output says so.

  --prediction <file>      what was kept, such as shop.prediction.json
  --minutes <n>            how far to look back (default 5, at most 1440), but not before the
                           cut-over
  --recording <file>       what \`orrery record --json <file>\` wrote after the cut-over; one that
                           the server has of the container is used without being named
  --json                   one JSON value instead of text
  --account-key <base64>   the same as --key
${SERVER_HELP}\
Ends with 0 when the prediction holds, with 1 when it does not or cannot be compared, with 2 when an
option makes no sense, with 3 when too little was asked of the container to tell.
`;

const MINUTES = { min: 1, max: 1440 };
const MINUTES_DEFAULT = 5;
const UNDECIDED_CODE = 3;

export async function runLabVerify(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      "account-key": { type: "string" },
      prediction: { type: "string" },
      minutes: { type: "string" },
      recording: { type: "string" },
      json: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(VERIFY_HELP);
    return;
  }
  const [named, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  if (values.prediction === undefined) {
    throw new BadOption(
      "Name the prediction with --prediction <file>. `orrery lab advise --migrate` keeps one.",
    );
  }
  const name = containerOf(named);
  const minutes = wholeOf("--minutes", values.minutes, MINUTES) ?? MINUTES_DEFAULT;
  const prediction = predictionIn(values.prediction);
  const recorded = values.recording === undefined ? undefined : recordingIn(values.recording);
  const key = values["account-key"] ?? values.key;
  const client = new AdminClient(accountOf({ ...values, key }, environment));
  try {
    const observed = await observedOf(client, { name, minutes, prediction, recorded });
    const verification = verifyPrediction(prediction, observed);
    if (values.json === true) writeJson(verificationJson(verification));
    else process.stdout.write(verificationText(verification, terminalWidth()));
    const { finding } = verification;
    process.exitCode = finding === "held" ? 0 : finding === "failed" ? 1 : UNDECIDED_CODE;
  } finally {
    client.close();
  }
}

function predictionIn(file: string): Prediction {
  const prediction = readPrediction(textOf(file, "--prediction"));
  if (prediction.ok) return prediction.value;
  throw new CommandFailure(`${file} cannot be used: ${visible(prediction.error)}`);
}

function recordingIn(file: string): Recording {
  let value: Partial<Recording> | null;
  try {
    value = JSON.parse(textOf(file, "--recording")) as Partial<Recording> | null;
  } catch (error) {
    throw new CommandFailure(`${file} is no JSON: ${visible((error as Error).message)}`);
  }
  const isOne = value?.formatVersion === 1 && Array.isArray(value.operations);
  if (isOne) return value as Recording;
  throw new CommandFailure(`${file} is no recording; \`orrery record --json <file>\` makes them.`);
}

interface Looking {
  readonly name: ContainerName;
  readonly minutes: number;
  readonly prediction: Prediction;
  readonly recorded: Recording | undefined;
}

async function observedOf(client: AdminClient, looking: Looking): Promise<ObservedContainer> {
  const { name, minutes, prediction, recorded } = looking;
  const report = await client.get<ContainerReport>(routeOf(name, "report"));
  checkKey(report, prediction);
  const { at, figures, throughput } = report;
  const switchedAt = await cutOverOf(client, name);
  const from = Math.floor(Math.max(at - minutes * MINUTE_MS, switchedAt));
  const to = Math.ceil(Math.max(at, from + 1));
  const history = await client.get<HistoryReport>(routeOf(name, `history?from=${from}&to=${to}`));
  return {
    ...loadIn(history, from, to),
    isLimited: throughput.isLimited,
    ratePerSecond: throughput.ratePerSecond,
    itemCount: figures.itemCount,
    itemBytes: figures.itemBytes,
    logicalPartitionCount: figures.logicalPartitionCount,
    largestLogicalBytes: figures.largestLogicalBytes,
    operations: operationsIn(recorded ?? (await recordingOf(client, name)), prediction),
  };
}

function checkKey(
  { database, container, partitionKeyPaths }: ContainerReport,
  prediction: Prediction,
) {
  if (partitionKeyPaths.join(",") === prediction.keyPaths.join(",")) return;
  throw new CommandFailure(
    `${database}/${container} has the key ${partitionKeyPaths.join(", ")}, and the prediction is ` +
      `for ${prediction.keyPaths.join(", ")}: it was not moved yet, or this is another container.`,
  );
}

/** When clients were led to the container; 0 if nobody knows of it. */
async function cutOverOf(client: AdminClient, name: ContainerName): Promise<number> {
  const { copies } = await client.get<JobsAnswer>("jobs");
  return copies.reduce((latest, { target, cutOver }) => {
    const isIt = target.database === name.database && target.container === name.container;
    return isIt && cutOver !== undefined ? Math.max(latest, cutOver.at) : latest;
  }, 0);
}

/** Slots are minutes: the first of them may have begun before the span. */
function loadIn({ times, total, partitions }: HistoryReport, from: number, to: number) {
  const sumOf = (pick: "ru" | "requestCount" | "throttledCount"): number =>
    total.reduce((sum, slot) => sum + (slot?.[pick] ?? 0), 0);
  const first = times.find((_, at) => total[at] !== null) ?? to;
  return {
    seconds: Math.max(0, to - Math.max(from, first)) / 1000,
    ru: sumOf("ru"),
    requestCount: sumOf("requestCount"),
    throttledCount: sumOf("throttledCount"),
    partitions: partitions.map(({ id, slots }) => ({
      id,
      ru: slots.reduce((sum, slot) => sum + (slot?.ru ?? 0), 0),
    })),
  };
}

/** Undefined: nobody records. */
async function recordingOf(
  client: AdminClient,
  name: ContainerName,
): Promise<Recording | undefined> {
  try {
    return (await client.get<{ readonly recording: Recording }>(routeOf(name, "recordings")))
      .recording;
  } catch (failure) {
    if (failure instanceof CommandFailure) return undefined;
    throw failure;
  }
}

/** What was recorded under another key says nothing. */
function operationsIn(
  recording: Recording | undefined,
  { keyPaths }: Prediction,
): readonly ObservedOperation[] | undefined {
  if (recording?.partitionKeyPaths.join(",") !== keyPaths.join(",")) return undefined;
  return recording.operations.map(({ kind, text, count, ru }) => ({
    kind,
    text,
    count,
    ruEach: ru.mean,
  }));
}
