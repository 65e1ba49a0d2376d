/**
 * `orrery import`: puts items from files into a container of a running server. What became of them
 * goes to standard output, how far it is and what did not go in to standard error.
 */
import { closeSync, openSync } from "node:fs";
import { millis } from "../base/units.ts";
import { realClock, realRandom, realTimer } from "../server/surroundings/realWorld.ts";
import { ServerConnection } from "./connect/connection.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { Complaints } from "./import/complaints.ts";
import { DryRun } from "./import/dryRun.ts";
import { ImportRun, type OperationSink, type RunEnd } from "./import/importRun.ts";
import { IMPORT_HELP, type ImportOptions, importOptionsOf } from "./import/options.ts";
import { PartitionWriter } from "./import/partitionWriter.ts";
import { placementOf, type RangeMap } from "./import/placement.ts";
import { postOperations } from "./import/request.ts";
import {
  fingerprintOf,
  type KnownInput,
  readResumeFile,
  resumedFrom,
  writeResumeFile,
} from "./import/resumeFile.ts";
import { dryLines, progressText, summaryLines } from "./import/tally.ts";
import { type Facts, ImportTarget } from "./import/target.ts";
import { CommandFailure } from "./terminal/failure.ts";
import { ProgressTicker } from "./terminal/progressTicker.ts";

const INTERRUPTED_CODE = 130;

export async function runImport(args: string[], environment: Environment): Promise<void> {
  const options = importOptionsOf(args, environment);
  if (options === undefined) {
    process.stdout.write(IMPORT_HELP);
    return;
  }
  for (const file of options.files) if (file !== "-") checkReadable(file);
  const target = new ImportTarget(options.account, options.name);
  try {
    const facts = await factsOf(target, options);
    const ranges = facts.rid === "" ? undefined : await target.ranges();
    await importInto(target, facts, ranges, options, environment);
  } finally {
    target.close();
  }
}

/** Before anything is sent: the third of three files may be missing. */
function checkReadable(file: string): void {
  try {
    closeSync(openSync(file, "r"));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isMissing) throw new CommandFailure(`There is no file '${file}'.`);
    throw new CommandFailure(`'${file}' cannot be read: ${(error as Error).message}.`);
  }
}

/** Makes the container where that was asked for; the rid is empty if it would only be made. */
async function factsOf(target: ImportTarget, options: ImportOptions): Promise<Facts> {
  const { creation, isDry } = options;
  const found = await target.facts();
  if (creation === undefined) {
    if (found !== undefined) return found;
    throw target.refusal(404, "");
  }
  if (found !== undefined) {
    const [wanted, there] = [creation.definition, found.definition].map(({ paths }) =>
      paths.join(),
    );
    if (wanted !== there) {
      throw new CommandFailure(
        `The container is there already, with the partition key ${there}, not ${wanted}. Leave ` +
          "--create out to use it as it is, or name another one.",
      );
    }
    const left = creation.throughput === undefined ? "" : "; its throughput is left as it is";
    process.stderr.write(`The container is there already${left}.\n`);
    return found;
  }
  if (isDry) return { rid: "", definition: creation.definition, hasUniqueKeys: false };
  await target.create(creation);
  const made = await target.facts();
  if (made === undefined) throw target.refusal(404, "");
  return made;
}

async function importInto(
  target: ImportTarget,
  facts: Facts,
  ranges: RangeMap | undefined,
  options: ImportOptions,
  environment: Environment,
): Promise<void> {
  const notes = options.resume === undefined ? undefined : new Notes(options, facts.rid);
  const ticker = new ProgressTicker(environment, (isDrawn) => progressText(run.sight, isDrawn));
  const complaints = new Complaints({
    countMax: options.errorsMax,
    rejects: options.rejects,
    isResumed: notes?.isResumed === true,
    tell: (text) => ticker.tell(text),
  });
  const run = new ImportRun({
    options,
    placement: placementOf(facts.definition),
    complaints,
    clock: realClock,
    draw: { random: () => realRandom.next(), turn: turns() },
    skippedBytes: notes?.skippedBytes ?? options.files.map(() => 0),
    isResumed: notes?.isResumed === true,
  });
  const connection = new ServerConnection(options.account, options.concurrency);
  const dry = options.isDry ? new DryRun(ranges, (...told) => run.settled(...told)) : undefined;
  const sink = dry ?? writerOf(run, { target, facts, ranges: ranges!, connection, options });
  try {
    const end = await watched(run, sink, ticker, notes);
    tellEnd(run, end, options, complaints.count);
    if (dry !== undefined) process.stdout.write(`${dry.lines().join("\n")}\n`);
  } finally {
    complaints.close();
    connection.close();
  }
}

function turns(): () => number {
  let count = 0;
  return () => count++;
}

function writerOf(
  run: ImportRun,
  parts: {
    readonly target: ImportTarget;
    readonly facts: Facts;
    readonly ranges: RangeMap;
    readonly connection: ServerConnection;
    readonly options: ImportOptions;
  },
): PartitionWriter {
  const { target, facts, ranges, connection, options } = parts;
  const { mode, concurrency, patienceMs } = options;
  return new PartitionWriter({
    post: (rangeId, operations) => postOperations(connection, target, rangeId, operations, mode),
    ranges,
    readRanges: () => target.ranges(),
    refusalOf: (status, body) => target.refusal(status, body),
    rules: { mode, hasUniqueKeys: facts.hasUniqueKeys },
    concurrency,
    patienceMs,
    clock: realClock,
    timer: realTimer,
    onSettled: (operation, outcome) => run.settled(operation, outcome),
  });
}

/** Runs, shows how far it is, notes it, and listens for Ctrl-C; a second one ends the program. */
async function watched(
  run: ImportRun,
  sink: OperationSink,
  ticker: ProgressTicker,
  notes: Notes | undefined,
): Promise<RunEnd> {
  const interrupt = (): void => run.interrupt();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  ticker.start();
  notes?.start(run);
  try {
    return await run.run(sink);
  } catch (error) {
    if (error instanceof CommandFailure) throw withAdvice(error, run, notes);
    throw error;
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
    ticker.stop();
    ticker.tellLast();
    notes?.stop(run);
  }
}

function withAdvice(error: CommandFailure, run: ImportRun, notes: Notes | undefined): Error {
  const { itemCount } = run.sight.tally;
  return new CommandFailure(
    `${error.message}\n${itemCount} items went in. ${adviceOf(notes?.file)}`,
  );
}

function adviceOf(resume: string | undefined): string {
  return resume === undefined
    ? "Run it again with --mode skip to let those be; with --resume it could go on from here."
    : `The same command goes on from here: ${resume} knows how far it is.`;
}

function tellEnd(run: ImportRun, end: RunEnd, options: ImportOptions, rejected: number): void {
  const { resume, rejects, errorsMax, isDry, mode } = options;
  const lines = isDry ? dryLines(run.sight) : summaryLines(run.sight, mode);
  process.stdout.write(`${lines.join("\n")}\n`);
  if (rejected > 0 && rejects !== undefined) process.stderr.write(`rejects: ${rejects}\n`);
  if (end === "tooManyErrors") {
    process.stderr.write(
      `Stopped: more than ${errorsMax} items cannot go in. --max-errors lets it go on, ` +
        `--rejects keeps them. ${adviceOf(resume)}\n`,
    );
  }
  if (end === "interrupted") {
    process.stderr.write(`Interrupted. ${isDry ? "" : adviceOf(resume)}\n`);
    // Somebody may still be at the other end of it.
    process.stdin.destroy();
  }
  if (end === "interrupted") process.exitCode = INTERRUPTED_CODE;
  else if (rejected > 0) process.exitCode = 1;
}

const NOTE_MS = 1000;

/** What `--resume` keeps, from the beginning of a run to its end. */
class Notes {
  readonly file: string;
  readonly isResumed: boolean;
  readonly skippedBytes: readonly number[];
  readonly #target: string;
  readonly #inputs: readonly Omit<KnownInput, "doneBytes">[];
  #cancel: (() => void) | undefined;

  constructor({ resume, account, name, files }: ImportOptions, rid: string) {
    this.file = resume!;
    const { database, container } = name;
    this.#target = `${account.endpoint.origin} ${database}/${container} (${rid})`;
    this.#inputs = files.map((file) => ({ name: file, fingerprint: fingerprintOf(file) }));
    const state = readResumeFile(this.file);
    this.isResumed = state !== undefined;
    const now = { target: this.#target, inputs: this.#inputs };
    this.skippedBytes = resumedFrom(this.file, state, now);
  }

  start(run: ImportRun): void {
    this.#write(run);
    this.#goOn(run);
  }

  #goOn(run: ImportRun): void {
    this.#cancel = realTimer.after(millis(NOTE_MS), () => {
      try {
        this.#write(run);
      } catch {
        // What cannot be written now is written at the end, or else it is told there.
      }
      this.#goOn(run);
    });
  }

  stop(run: ImportRun): void {
    this.#cancel?.();
    this.#write(run);
  }

  #write({ inputs }: ImportRun): void {
    const known = this.#inputs.map((input, index) => {
      return { ...input, doneBytes: inputs[index]!.doneBytes };
    });
    writeResumeFile(this.file, { target: this.#target, inputs: known });
  }
}
