/**
 * What is to be run: the data, the workload and the keys, as they stand in the address and in what
 * somebody typed; and the question to the server that follows, or what is missing, and where.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import type { NamedContainer } from "../../model/copyJob.ts";
import type { LabData, LabRunAsked, LabRunQuestion } from "../../protocol/adminLab.ts";

export const STEPS = ["data", "workload", "candidates", "run", "compare", "verdict"] as const;
export type LabStep = (typeof STEPS)[number];

export type DataKind = "container" | "text" | "none";

/** Text that somebody gave, too long for the address. */
export interface GivenText {
  readonly name: string;
  readonly text: string;
}

export interface LabForm {
  readonly about: NamedContainer | undefined;
  readonly dataKind: DataKind;
  /** How many items of a container at most, as typed. */
  readonly sample: string;
  readonly given: GivenText | undefined;
  readonly workload: string;
  /** Keys of one's own, one a line. */
  readonly keys: string;
  readonly isOnlyMine: boolean;
  /** Empty: none. */
  readonly current: string;
}

interface FormProblem {
  readonly step: LabStep;
  readonly message: string;
}

const SAMPLE_MAX = 5_000_000;
export const USUAL_SAMPLE = "50000";

export function runQuestionOf(form: LabForm): Result<LabRunQuestion, FormProblem> {
  const data = dataOf(form);
  if (!data.ok) return data;
  if (form.workload.trim() === "") {
    return no({ step: "workload", message: "Say what is asked of the container first." });
  }
  const candidates = keyLines(form.keys);
  const wrong = [...candidates, ...keyLines(form.current)].find((key) => keyProblem(key));
  if (wrong !== undefined) {
    return no({ step: "candidates", message: `${wrong}: ${keyProblem(wrong)}` });
  }
  if (form.isOnlyMine && candidates.length === 0) {
    return no({ step: "candidates", message: "Name a key, or let the advisor propose keys." });
  }
  return ok({
    kind: "advise",
    workload: form.workload,
    ...(data.value !== undefined && { data: data.value }),
    ...(candidates.length > 0 && { candidates }),
    ...(form.isOnlyMine && { onlyMine: true }),
    ...(form.current.trim() !== "" && { current: form.current.trim() }),
  });
}

function dataOf({
  about,
  dataKind,
  sample,
  given,
}: LabForm): Result<LabData | undefined, FormProblem> {
  const missing = (message: string) => no({ step: "data" as const, message });
  if (dataKind === "none") return ok(undefined);
  if (dataKind === "text") {
    if (given === undefined || given.text.trim() === "") {
      return missing("Choose a file, or paste items.");
    }
    return ok({ kind: "text", ...given, format: formatOf(given) });
  }
  if (about === undefined) return missing("Choose a container.");
  const sampleCount = Number(sample);
  if (!Number.isInteger(sampleCount) || sampleCount < 1 || sampleCount > SAMPLE_MAX) {
    return missing("Say how many items to look at, from 1 to 5,000,000.");
  }
  return ok({ kind: "container", ...about, sampleCount });
}

/** By the name of the file; what has none, by how it begins. */
export function formatOf({ name, text }: GivenText): "ndjson" | "json" | "csv" {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  if (ending === "csv") return "csv";
  const first = text.trimStart().slice(0, 1);
  if (first === "[") return "json";
  return first === "{" ? "ndjson" : "csv";
}

/** The keys in a text: one a line, empty lines left out. */
export function keyLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** What is wrong with a key, and where; undefined if nothing is. */
export function keyProblem(key: string): string | undefined {
  const levels = parseKeyLevels(key);
  return levels.ok ? undefined : `at character ${levels.error.at + 1}, ${levels.error.message}.`;
}

/** A key definition as an expression. */
export function expressionOf(paths: readonly string[]): string {
  return paths.length === 1 ? paths[0]! : `[${paths.join(", ")}]`;
}

/** What a run rests on, in a few words. */
export function askedDataText({ data }: LabRunAsked): string {
  if (data === undefined) return "what the workload declares";
  if (data.kind === "text") return data.name;
  return `${data.database}/${data.container}`;
}

/** The step that is on show if the address names none. */
export function usualStep(runState: string | undefined): LabStep {
  if (runState === undefined) return "data";
  return runState === "done" ? "compare" : "run";
}
