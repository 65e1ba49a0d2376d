/**
 * One run of the lab: the files it works on, the command, and what came of it.
 *
 * | state     | what happens                          | what comes next         |
 * | --------- | ------------------------------------- | ----------------------- |
 * | waiting   | another run is at work                | running, cancelled      |
 * | running   | the data is written, the command runs | done, failed, cancelled |
 * | the rest  | nothing any more                      | it is forgotten         |
 *
 * Everything that a run writes is in a folder of its own, which goes with the run.
 */
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import type { JsonValue } from "../../json/value.ts";
import type {
  LabData,
  LabRunAsked,
  LabRunEntry,
  LabRunQuestion,
  LabRunState,
} from "../../protocol/adminLab.ts";
import type { RunningCommand, StartCommand } from "./labCommand.ts";

export interface LabRunSetting {
  readonly start: StartCommand;
  /** Where folders of runs are made. */
  readonly parent: string;
  wallNow(): number;
  /** The items of a container as lines of NDJSON; undefined if there is no such container. */
  linesOf(database: string, container: string, countMax: number): AsyncIterable<string> | undefined;
}

interface LabRunStart {
  readonly id: string;
  readonly title: string;
  readonly question: LabRunQuestion;
  /** The id of the run that this one proves. */
  readonly proofOf?: string | undefined;
}

const WORKLOAD_FILE = "workload.yaml";
const PAGE_FILE = "report.html";
/** Of a container as many items are looked at, if nobody says how many. */
const SAMPLE_COUNT = 200_000;

export class LabRun {
  readonly id: string;
  readonly title: string;
  readonly #setting: LabRunSetting;
  readonly #question: LabRunQuestion;
  readonly #proofOf: string | undefined;
  readonly #startedAt: number;
  #endedAt: number | undefined;
  #state: LabRunState = "waiting";
  #progress: string | undefined;
  #problem: string | undefined;
  #result: JsonValue | undefined;
  #page: string | undefined;
  #command: RunningCommand | undefined;

  constructor(setting: LabRunSetting, { id, title, question, proofOf }: LabRunStart) {
    this.#setting = setting;
    this.id = id;
    this.title = title;
    this.#question = question;
    this.#proofOf = proofOf;
    this.#startedAt = setting.wallNow();
  }

  get hasEnded(): boolean {
    return this.#state !== "waiting" && this.#state !== "running";
  }

  get question(): LabRunQuestion {
    return this.#question;
  }

  get page(): string | undefined {
    return this.#page;
  }

  entry(isWhole: boolean): LabRunEntry {
    return {
      id: this.id,
      kind: this.#question.kind,
      state: this.#state,
      title: this.title,
      startedAt: this.#startedAt,
      ...(this.#endedAt !== undefined && { endedAt: this.#endedAt }),
      ...(this.#progress !== undefined && !this.hasEnded && { progress: this.#progress }),
      ...(this.#proofOf !== undefined && { proofOf: this.#proofOf }),
      ...(isWhole && { asked: askedOf(this.#question) }),
      commands: this.#commands,
      ...(this.#problem !== undefined && { problem: this.#problem }),
      ...(isWhole && this.#result !== undefined && { result: this.#result }),
      hasPage: this.#page !== undefined,
    };
  }

  /** Resolves when the run has ended, however it did. */
  async run(): Promise<void> {
    if (this.hasEnded) return;
    this.#state = "running";
    const { parent, start } = this.#setting;
    let folder: string | undefined;
    try {
      folder = await mkdtemp(join(parent, "lab-"));
      await writeFile(join(folder, WORKLOAD_FILE), this.#question.workload);
      const dataFile = await this.#writeData(folder);
      if (this.hasEnded) return;
      this.#command = start(argumentsOf(this.#question, dataFile), folder, (text) => {
        this.#progress = text;
      });
      const { code, output, complaint } = await this.#command.ended;
      if (this.hasEnded) return;
      if (code !== 0) throw new Error(complaint || `The command ended with ${code ?? "a signal"}.`);
      this.#result = JSON.parse(output) as JsonValue;
      this.#page = await readFile(join(folder, PAGE_FILE), "utf8").catch(() => undefined);
      this.#end("done");
    } catch (error) {
      if (!this.hasEnded) {
        this.#problem = (error as Error).message;
        this.#end("failed");
      }
    } finally {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    }
  }

  /** Ends the run where it stands; one that has ended stays as it is. */
  cancel(): void {
    if (this.hasEnded) return;
    this.#end("cancelled");
    this.#command?.stop();
  }

  get #commands(): readonly string[] {
    const { data } = this.#question;
    const args = argumentsOf(this.#question, data && nameOfData(data)).filter(
      (arg) => arg !== "--json",
    );
    const exporting =
      data?.kind === "container"
        ? [`orrery export ${data.database}/${data.container} ${nameOfData(data)}`]
        : [];
    return [...exporting, `orrery ${args.map(quoted).join(" ")}`];
  }

  #end(state: LabRunState): void {
    this.#state = state;
    this.#endedAt = this.#setting.wallNow();
  }

  async #writeData(folder: string): Promise<string | undefined> {
    const { data } = this.#question;
    if (data === undefined) return undefined;
    if (data.kind === "text") {
      const file = `data.${data.format}`;
      await writeFile(join(folder, file), data.text);
      return file;
    }
    const lines = this.#setting.linesOf(
      data.database,
      data.container,
      data.sampleCount ?? SAMPLE_COUNT,
    );
    if (lines === undefined) {
      throw new Error(`There is no container '${data.container}' in '${data.database}'.`);
    }
    const file = "data.ndjson";
    const out = createWriteStream(join(folder, file));
    let count = 0;
    for await (const line of lines) {
      if (this.hasEnded) break;
      count++;
      if (count % 10_000 === 0) this.#progress = `${count} items read`;
      if (!out.write(`${line}\n`)) await new Promise<void>((next) => void out.once("drain", next));
    }
    out.end();
    await finished(out);
    if (count === 0) throw new Error(`The container '${data.container}' has no items yet.`);
    return file;
  }
}

function askedOf({ data, ...rest }: LabRunQuestion): LabRunAsked {
  if (data === undefined) return rest;
  return { ...rest, data: data.kind === "text" ? { kind: "text", name: nameOfData(data) } : data };
}

function nameOfData(data: LabData): string {
  if (data.kind === "container") return `${data.container}.ndjson`;
  return data.name ?? `data.${data.format}`;
}

function argumentsOf(question: LabRunQuestion, dataFile: string | undefined): readonly string[] {
  const { kind, candidates = [], onlyMine, current, months, seed } = question;
  return [
    "lab",
    kind,
    `--workload=${WORKLOAD_FILE}`,
    ...(dataFile === undefined ? [] : [`--data=${dataFile}`]),
    ...candidates.map((key) => `--candidate=${key}`),
    ...(onlyMine === true ? ["--only-mine"] : []),
    ...(current === undefined ? [] : [`--current=${current}`]),
    ...(months === undefined ? [] : [`--months=${months}`]),
    ...(seed === undefined ? [] : [`--seed=${seed}`]),
    ...(kind === "prove" ? ["--quick"] : []),
    `--html=${PAGE_FILE}`,
    "--json",
  ];
}

/** As a shell takes it. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
