/**
 * `orrery record`: has a server take down what is asked of a container, shows how far that is, and
 * writes a workload of it. What was recorded is written whatever ends the recording: its time,
 * Ctrl-C, or the server.
 */

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { millis } from "../base/units.ts";
import { shortBytesText } from "../base/wording.ts";
import { fromRecording } from "../lab/observed/fromRecording.ts";
import { printWorkload } from "../lab/workload/printWorkload.ts";
import type { RecordingQuestion } from "../protocol/admin.ts";
import type {
  OperationRecord,
  Recording,
  RecordingProgress,
  ShapeProgress,
} from "../recording/recording.ts";
import { Secrets } from "../recording/secrets.ts";
import { RECORDING_SECONDS_MAX as SECONDS_MAX } from "../server/admin/recordings.ts";
import { BadOption } from "../server/surroundings/options.ts";
import { realClock, realTimer } from "../server/surroundings/realWorld.ts";
import { AdminClient, routeOf } from "./connect/adminClient.ts";
import type { ContainerName, Environment } from "./connect/serverOptions.ts";
import { accountOf, containerOf, SERVER_HELP, SERVER_OPTIONS } from "./connect/serverOptions.ts";
import { CommandFailure } from "./terminal/failure.ts";
import type { LiveRow, Section } from "./terminal/liveTable.ts";
import { LiveTable, numberText, percentText } from "./terminal/liveTable.ts";

export const RECORD_HELP: string = `usage: orrery record <db>/<container> [options]

Records what is asked of a container: operations and query texts with their rates and charges, how
often which keys and values occur, what items look like and what updates change. Writes a workload
for \`orrery lab\` when the time is over or Ctrl-C is pressed.

  --seconds <n>            for how long (default: until Ctrl-C; at most ${SECONDS_MAX}, a day)
  --secret <path>          a path such as /customer/email whose values are not to be kept: neither
                           in items nor in queries nor in keys; may be repeated; '*' means all
                           values. The recording shows secret-1, secret-2 and so on instead
  --output <file>          where the workload goes (default: <container>.workload.yaml; - for
                           standard output)
  --json <file>            the recording itself as well, as JSON
  --discard                ends and forgets a recording that is still under way, and does no more
${SERVER_HELP}\
Ends with 0 when the workload was written, with 1 when the server refused or did not answer, with 2
when an option makes no sense.
`;

const POLL_MS = 1_000;
/** Where every line stays, fewer are more. */
const POLL_PLAIN_MS = 10_000;

export async function runRecord(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      seconds: { type: "string" },
      secret: { type: "string", multiple: true },
      output: { type: "string" },
      json: { type: "string" },
      discard: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(RECORD_HELP);
    return;
  }
  const [named, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  const name = containerOf(named);
  const question = questionOf(values.seconds, values.secret ?? []);
  const client = new AdminClient(accountOf(values, environment));
  const table = new LiveTable(process.stderr, environment);
  try {
    const route = routeOf(name, "recordings");
    if (values.discard === true) {
      const { recording } = await client.delete<{ recording: Recording }>(route);
      process.stderr.write(`${discardedText(recording)}\n`);
      return;
    }
    const recording = await recorded(client, route, question, table);
    const output = values.output ?? `${fileName(name)}.workload.yaml`;
    table.print(summarySections(recording));
    write(output, printWorkload(fromRecording(recording)));
    if (values.json !== undefined) write(values.json, `${JSON.stringify(recording, null, 2)}\n`);
    if (output !== "-") process.stderr.write(`Wrote ${output}\n`);
  } finally {
    client.close();
  }
}

function questionOf(
  seconds: string | undefined,
  secretPaths: readonly string[],
): RecordingQuestion {
  const secrets = Secrets.parse(secretPaths);
  if (!secrets.ok) throw new BadOption(`--secret: ${secrets.error}`);
  if (seconds === undefined) return { secretPaths };
  const count = /^\d{1,6}$/.test(seconds) ? Number(seconds) : 0;
  if (count < 1 || count > SECONDS_MAX) {
    const range = `a whole number from 1 to ${SECONDS_MAX}`;
    throw new BadOption(`--seconds is '${seconds}'; it must be ${range}.`);
  }
  return { secretPaths, seconds: count };
}

/** Starts, shows how far it is, and ends with the last word of the server about it. */
async function recorded(
  client: AdminClient,
  route: string,
  question: RecordingQuestion,
  table: LiveTable,
): Promise<Recording> {
  const interruption = new Interruption();
  const begun = await client.post<{ recording: RecordingProgress }>(route, question);
  if (question.seconds === undefined) process.stderr.write("Recording until Ctrl-C.\n");
  const pollMs = table.isInPlace ? POLL_MS : POLL_PLAIN_MS;
  // By our own clock: that of the server may be another.
  const endsAt = realClock.now() + begun.recording.endsAt - begun.recording.startedAt;
  let last: Recording | undefined;
  try {
    for (;;) {
      const left = endsAt - realClock.now();
      await interruption.wait(Math.max(0, Math.min(pollMs, left)));
      if (interruption.isOver || realClock.now() >= endsAt) break;
      // All of it: if the server goes away, this is what there is.
      last = (await client.get<{ recording: Recording }>(route)).recording;
      if (last.state !== "running") break;
      table.show(progressSections(last));
    }
    return (await client.delete<{ recording: Recording }>(route)).recording;
  } catch (failure) {
    if (last === undefined || !(failure instanceof CommandFailure)) throw failure;
    process.stderr.write(`orrery: ${failure.message}\nThis is what was recorded until then.\n`);
    process.exitCode = 1;
    return last;
  } finally {
    interruption.close();
  }
}

/** Ctrl-C, once; a second one kills. */
class Interruption {
  isOver = false;
  #wake = (): void => undefined;
  readonly #onSignal = (): void => {
    this.isOver = true;
    this.#wake();
  };

  constructor() {
    process.once("SIGINT", this.#onSignal);
  }

  wait(forMs: number): Promise<void> {
    if (this.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = realTimer.after(millis(forMs), resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  close(): void {
    process.removeListener("SIGINT", this.#onSignal);
  }
}

function write(file: string, text: string): void {
  if (file === "-") process.stdout.write(text);
  else writeFileSync(file, text);
}

/** A name may hold what a file's may not. */
function fileName({ container }: ContainerName): string {
  return container.replace(/[^\w.-]/g, "_");
}

function discardedText({ database, container, operationCount, seconds }: Recording): string {
  return (
    `Discarded the recording of ${database}/${container}: ${numberText(operationCount)} ` +
    `operations in ${numberText(seconds)} s.`
  );
}

/** How far it is. */
function progressSections(progress: RecordingProgress): readonly Section[] {
  const { database, container, seconds, operationCount, ratePerSecond, shapeCount } = progress;
  const parts = [
    `${numberText(operationCount)} operations`,
    `${numberText(ratePerSecond)} per second`,
    `${numberText(shapeCount)} shape${shapeCount === 1 ? "" : "s"}`,
    ...(progress.throttledCount > 0 ? [`${numberText(progress.throttledCount)} throttled`] : []),
    ...(progress.failedCount > 0 ? [`${numberText(progress.failedCount)} failed`] : []),
  ];
  return [
    lines(
      [`${database}/${container}  recording for ${numberText(Math.floor(seconds))} s`],
      "strong",
    ),
    lines([parts.join(", ")]),
    {
      kind: "table",
      rows: progress.top.map((shape) => ({ cells: shapeCells(shape) })),
      right: RIGHT,
    },
  ];
}

const RIGHT = ["count", "per s", "RU", "RU p99", "rows", "keys", "top key %", "429s"];

function shapeCells({ id, count, ruMean, text }: ShapeProgress): LiveRow["cells"] {
  return { operation: id, count: numberText(count), RU: numberText(ruMean), text: textCell(text) };
}

/** What came of it. */
function summarySections(recording: Recording): readonly Section[] {
  const { database, container, seconds, operationCount, statuses, items, others } = recording;
  const answers = Object.entries(statuses).map(
    ([status, count]) => `${numberText(count)} × ${status}`,
  );
  const title = `${database}/${container}  recorded for ${numberText(Math.round(seconds))} s`;
  const rate = seconds === 0 ? 0 : operationCount / seconds;
  return [
    lines([title], "strong"),
    lines([
      `${numberText(operationCount)} operations, ${numberText(rate)} per second; ` +
        `${numberText(recording.ru)} RU`,
      ...(answers.length === 0 ? [] : [`Answers: ${answers.join(", ")}`]),
      ...(recording.reason === undefined ? [] : [recording.reason]),
      "",
    ]),
    {
      kind: "table",
      rows: recording.operations
        .filter(({ count, throttledCount }) => count + throttledCount > 0)
        .map((operation) => ({ cells: operationCells(operation, seconds) })),
      right: RIGHT,
    },
    lines([
      ...(others.count === 0
        ? []
        : [`${numberText(others.count)} operations of shapes that there was no room for.`]),
      ...(items.count === 0
        ? []
        : [
            "",
            `Items: ${numberText(items.count)} written, ` +
              `${shortBytesText(Math.round(items.bytes.mean))} ` +
              `on average, ${numberText(items.paths.length)} paths.`,
          ]),
    ]),
  ];
}

function operationCells(operation: OperationRecord, seconds: number): LiveRow["cells"] {
  const { id, count, ru, rows, keys, throttledCount, text } = operation;
  const [top] = keys.heaviest;
  return {
    operation: id,
    count: numberText(count),
    "per s": numberText(seconds === 0 ? 0 : count / seconds),
    RU: numberText(ru.mean),
    "RU p99": numberText(ru.p99),
    rows: rows === undefined ? "-" : numberText(rows.mean),
    keys: keys.count === 0 ? "-" : numberText(keys.distinct),
    "top key %": top === undefined ? "-" : percentText(top.count / keys.count),
    "429s": numberText(throttledCount),
    text: textCell(text),
  };
}

function textCell(text: string | undefined): string {
  return (text ?? "").replace(/\s+/g, " ").trim();
}

function lines(texts: readonly string[], tone?: "strong"): Section {
  return { kind: "lines", lines: texts, tone };
}
