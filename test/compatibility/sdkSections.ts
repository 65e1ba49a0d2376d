/**
 * What docs/use/compatibility.md says of whole SDKs: what was recorded when their tests and
 * programmes were last run (`suiteRun.json`, `sdkRuns.json`), as it was recorded. A programme that
 * has changed since is shown as not run.
 */
import { readFileSync } from "node:fs";
import type { SdkProgramme } from "./otherSdks.ts";
import { readProgrammes } from "./otherSdks.ts";
import { NOT_RUN, SECOND_RUNS, SUITE_EXCEPTIONS } from "./sdkSuite.ts";
import { tableOf } from "./table.ts";

interface SuiteRun {
  readonly version: string;
  readonly files: Readonly<Record<string, FileOutcome>>;
}

interface FileOutcome {
  readonly passed: number;
  readonly skipped: number;
  readonly failed: readonly string[];
  /** Those of the passed ones that need a server with other settings. */
  readonly passedWith: readonly { readonly test: string; readonly server: object }[];
}

type SdkRuns = Readonly<
  Record<
    string,
    { readonly programme: string; readonly operations: Readonly<Record<string, string>> }
  >
>;

export function suiteSection(): string {
  const { version, files } = recorded("suiteRun.json") as SuiteRun;
  const outcomes = Object.entries(files);
  const sum = (countOf: (outcome: FileOutcome) => number): number =>
    outcomes.reduce((total, [, outcome]) => total + countOf(outcome), 0);
  const exceptions = SUITE_EXCEPTIONS.map(({ file, test, why }) => [`\`${file}\``, test, why]);
  const notRun = NOT_RUN.map(({ file, why }) => [`\`${file}\``, "all", why]);
  const settled = outcomes.flatMap(([file, { passedWith }]) =>
    passedWith.map(({ test, server }) => [
      `\`${file}\``,
      test,
      settingsOf(server),
      reasonOf(file, server),
    ]),
  );
  const passed = sum((outcome) => outcome.passed);
  const failed = sum((outcome) => outcome.failed.length);
  const skipped = sum((outcome) => outcome.skipped);
  const counts = outcomes.map(([file, outcome]) => [
    `\`${file}\``,
    `${outcome.passed}`,
    `${outcome.failed.length}`,
    `${outcome.skipped}`,
  ]);
  return `## The JavaScript SDK's own tests

\`npm run campaign sdk-suite -- --suite <folder>\` runs the public tests of \`@azure/cosmos\` from a
checkout of azure-sdk-for-js, file by file, and fails if a test fails that is not in the first list,
or passes although it is; \`--record\` writes down what came of it. Recorded for version ${version}:
${passed} passed, ${failed} failed, ${skipped} are skipped by their authors.

${tableOf(["file", "test", "why it cannot pass"], [...notRun, ...exceptions])}
These pass, but not with the default settings of a server over plain HTTP:

${tableOf(["file", "test", "settings", "why"], settled)}
All files:

${tableOf(["file", "passed", "failed", "skipped"], counts)}`;
}

export function programmeSection(): string {
  const runs = recorded("sdkRuns.json") as SdkRuns;
  const programmes = readProgrammes();
  const operations = [...new Set(programmes.flatMap((programme) => programme.operations))];
  const rows = operations.map((operation) => [
    operation,
    ...programmes.map((programme) => stateOf(operation, programme, runs)),
  ]);
  const titles = programmes.map(({ language, sdk }) => `${language}: ${sdk}`);
  return `## SDKs of other languages

\`npm run campaign sdks\` runs these operations in gateway mode with each SDK whose tools are at hand,
and fails if one of them does not do what it should; \`--record\` writes down what came of it, and
the table says that. A dash means that the programme of that language does not have it, mostly
because its SDK does not. There is no programme for .NET; what it alone sends, batches as HybridRow,
is under "Batch and bulk".

${tableOf(["operation", ...titles], rows)}`;
}

function stateOf(operation: string, programme: SdkProgramme, runs: SdkRuns): string {
  if (!programme.operations.includes(operation)) return "–";
  const run = runs[programme.language.toLowerCase()];
  const outcome = run?.programme === programme.digest ? run.operations[operation] : undefined;
  if (outcome === undefined) return "not run";
  return outcome === "ok" ? "yes" : `fails: ${outcome}`;
}

function settingsOf(server: object): string {
  return Object.entries(server)
    .map(([name, value]) => `\`${name}: ${value}\``)
    .join(", ");
}

function reasonOf(file: string, server: object): string {
  const text = JSON.stringify(server);
  const found = SECOND_RUNS.find((run) => run.file === file && JSON.stringify(run.server) === text);
  return found?.why ?? "";
}

function recorded(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
}
