/** What is recorded of foreign suites accounts for every test, and is what the page says. */
import { describe, expect, test } from "vitest";
import { FOREIGN_CAUSES, foreignRuns, foreignSection } from "./foreignSuites.ts";

describe("what is recorded of foreign suites", () => {
  test.each(foreignRuns())("$suite: every failure has a known cause and a reason", (run) => {
    expect(run.passed).toBeGreaterThan(0);
    const names = run.failed.map((failure) => failure.test);
    expect(new Set(names).size).toBe(names.length);
    for (const { cause, why } of run.failed) {
      expect(Object.keys(FOREIGN_CAUSES)).toContain(cause);
      expect(why).not.toBe("");
    }
  });

  test("is on the page, suite by suite and failure by failure", () => {
    const text = foreignSection();
    const runs = foreignRuns();
    expect(runs.length).toBeGreaterThan(3);
    for (const { suite, failed } of runs) {
      expect(text).toContain(`| ${suite}, `);
      for (const failure of failed) expect(text).toContain(`\`${failure.test}\``);
    }
  });
});
