/**
 * The lab for whoever has a page and not a terminal: placements of a few items at once, and runs of
 * the lab's commands, one at a time.
 *
 * Invariants
 * - At most one run is at work; at most `WAITING_MAX` wait.
 * - Of runs that ended, the last `ENDED_MAX` are remembered; none is remembered over a restart.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Draw } from "../../keys/component.ts";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import { fromRecording } from "../../lab/observed/fromRecording.ts";
import { placementOf } from "../../lab/placement/placement.ts";
import { placementFindings } from "../../lab/placement/placementCheck.ts";
import { scenarios } from "../../lab/scenario/scenarios.ts";
import { printWorkload } from "../../lab/workload/printWorkload.ts";
import { workloadTemplates } from "../../lab/workload/templates.ts";
import { workloadSummary } from "../../lab/workload/workloadSummary.ts";
import { readWorkload } from "../../lab/workload/workloadText.ts";
import type { Limits } from "../../model/limits.ts";
import type {
  LabRunEntry,
  LabRunQuestion,
  LabTemplate,
  PlacementAnswer,
  PlacementQuestion,
  WorkloadAnswer,
} from "../../protocol/adminLab.ts";
import type { EstimatedPrice } from "../../protocol/adminQuery.ts";
import type { Recording } from "../../recording/recording.ts";
import type { LabRunSetting } from "./labRun.ts";
import { LabRun } from "./labRun.ts";
import { type EstimateSetting, queryEstimate } from "./queryEstimate.ts";

interface LabDeskSetting extends LabRunSetting {
  readonly limits: Limits;
  random(): number;
}

const WAITING_MAX = 8;
const ENDED_MAX = 20;
/** The rate of a container that nobody has given one. */
const RATE_PER_SECOND = 400;

export class LabDesk {
  readonly #setting: LabDeskSetting;
  /** The latest first. */
  #runs: readonly LabRun[] = [];
  #count = 0;
  #working: Promise<void> = Promise.resolve();

  constructor(setting: LabDeskSetting) {
    this.#setting = setting;
  }

  async place(question: PlacementQuestion): Promise<Result<PlacementAnswer, string>> {
    const { limits, random, wallNow } = this.#setting;
    const levels = parseKeyLevels(question.key);
    if (!levels.ok) {
      return no(`At ${levels.error.at + 1}: ${levels.error.message}.`);
    }
    const { items, ratePerSecond = RATE_PER_SECOND } = question;
    const bytes = items.map((item) => Buffer.byteLength(JSON.stringify(item)));
    let turn = 0;
    const draw: Draw = { random, turn: () => turn++ };
    const common = { items, bytes, levels: levels.value, limits };
    const placement = placementOf({ ...common, ratePerSecond, draw });
    const findings = await placementFindings({ ...common, startMillis: wallNow() });
    return ok({
      ...placement,
      itemCount: items.length,
      itemBytes: bytes.reduce((sum, one) => sum + one, 0),
      findings: findings.map(({ check, outcome, sentence }) => ({ check, outcome, sentence })),
    });
  }

  /** The price of a query that nobody has run, or why it cannot be told. */
  estimate(setting: EstimateSetting): Result<EstimatedPrice, string> {
    return queryEstimate(setting);
  }

  workload(text: string): WorkloadAnswer {
    const read = readWorkload(text, formOf(text), "workload");
    if (!read.ok) return { summary: [], problems: read.error };
    return { summary: workloadSummary(read.value, undefined).trimEnd().split("\n"), problems: [] };
  }

  /** A recording as a workload, in YAML. */
  recordedWorkload(recording: Recording): string {
    return printWorkload(fromRecording(recording));
  }

  get templates(): readonly LabTemplate[] {
    return [
      ...workloadTemplates.map(({ name, title, text }) => ({
        name,
        title,
        kind: "template" as const,
        text,
      })),
      ...scenarios.map(({ name, title, workloadText }) => ({
        name,
        title,
        kind: "scenario" as const,
        text: workloadText,
      })),
    ];
  }

  /** Refuses a workload that cannot be used, and more runs than anybody waits for. */
  start(question: LabRunQuestion): Result<LabRunEntry, string> {
    const read = readWorkload(question.workload, formOf(question.workload), "workload");
    if (!read.ok) {
      const lines = read.error.map(({ place, message }) => `${place}: ${message}`);
      return no(`The workload cannot be used. ${lines.join(" ")}`);
    }
    return this.#begin(read.value.title, question);
  }

  /** Puts keys of a run on the engine, with the same workload and the same data. */
  prove(
    { id, title, question }: LabRun,
    candidates: readonly string[],
  ): Result<LabRunEntry, string> {
    return this.#begin(title, { ...question, kind: "prove", candidates, onlyMine: true }, id);
  }

  #begin(title: string, question: LabRunQuestion, proofOf?: string): Result<LabRunEntry, string> {
    if (this.#runs.filter(({ hasEnded }) => !hasEnded).length > WAITING_MAX) {
      return no(`${WAITING_MAX} runs wait already. Cancel one, or ask again when one has ended.`);
    }
    const run = new LabRun(this.#setting, { id: String(++this.#count), title, question, proofOf });
    this.#runs = this.#remembered([run, ...this.#runs]);
    this.#working = this.#working.then(() => run.run());
    return ok(run.entry(true));
  }

  get entries(): readonly LabRunEntry[] {
    return this.#runs.map((run) => run.entry(false));
  }

  find(id: string): LabRun | undefined {
    return this.#runs.find((run) => run.id === id);
  }

  forget(run: LabRun): void {
    run.cancel();
    this.#runs = this.#runs.filter((one) => one !== run);
  }

  /** Resolves when the runs that were started before have ended. */
  get idle(): Promise<void> {
    return this.#working;
  }

  /** Ends what runs; resolves when nothing does any more. */
  async close(): Promise<void> {
    for (const run of this.#runs) run.cancel();
    await this.#working;
  }

  #remembered(runs: readonly LabRun[]): readonly LabRun[] {
    let endedCount = 0;
    return runs.filter((run) => !run.hasEnded || ++endedCount <= ENDED_MAX);
  }
}

/** What begins like JSON is JSON, all else YAML. */
function formOf(text: string): "json" | "yaml" {
  return /^\s*\{\s*"/.test(text) ? "json" : "yaml";
}
