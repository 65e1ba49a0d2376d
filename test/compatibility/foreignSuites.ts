/**
 * What docs/use/compatibility.md says of foreign suites: tests that other projects wrote for the
 * service, run against Orrery by hand. `foreignRuns.json` has what came of them when they were last
 * run; docs/use/sdks.md says how each is run.
 *
 * Every test that failed is named there with the reason, and no reason is a fault of Orrery: such a
 * one is mended, and the suite is run again.
 */
import { readFileSync } from "node:fs";
import { tableOf } from "./table.ts";

interface ForeignRun {
  readonly suite: string;
  /** The repository, and what it was like. */
  readonly project: string;
  readonly version: string;
  /** The client of the service that the suite works through. */
  readonly client: string;
  /** Options of `orrery start`; empty for none. */
  readonly server: string;
  readonly passed: number;
  readonly skipped: number;
  readonly failed: readonly ForeignFailure[];
}

interface ForeignFailure {
  readonly test: string;
  readonly cause: ForeignCause;
  readonly why: string;
}

/** Why a test fails although the server answers as the service does. */
export const FOREIGN_CAUSES = {
  suite: "the test contradicts the service, its own library or itself",
  model: "what stands in for a language model is not as clever",
  gateway: "it looks for what a client notes in direct mode only",
  account: "it wants a certain account of Azure",
} as const;

type ForeignCause = keyof typeof FOREIGN_CAUSES;

export function foreignRuns(): readonly ForeignRun[] {
  const text = readFileSync(new URL("foreignRuns.json", import.meta.url), "utf8");
  return JSON.parse(text) as readonly ForeignRun[];
}

export function foreignSection(): string {
  const runs = foreignRuns();
  const counts = runs.map(({ suite, project, version, client, server, ...run }) => [
    `${suite}, \`${project}\` ${version}`,
    client,
    server === "" ? "" : `\`${server}\``,
    `${run.passed}`,
    `${run.failed.length}`,
    `${run.skipped}`,
  ]);
  const failures = runs.flatMap(({ suite, failed }) =>
    failed.map(({ test, cause, why }) => [suite, `\`${test}\``, FOREIGN_CAUSES[cause], why]),
  );
  const passed = runs.reduce((sum, run) => sum + run.passed, 0);
  return `## Suites of other projects

Tests that others wrote for the service, run by hand against Orrery; [sdks.md](sdks.md) says how.
None of their code is here. ${passed} tests passed, ${failures.length} did not:

${tableOf(["suite", "client", "settings", "passed", "failed", "skipped"], counts)}
${tableOf(["suite", "test that fails", "cause", "why"], failures)}`;
}
