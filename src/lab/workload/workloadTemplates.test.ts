/** Every template is a workload without problems, without guesses, and without loose ends. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { accessOf } from "./access.ts";
import { printWorkload } from "./printWorkload.ts";
import { workloadTemplates } from "./templates.ts";
import type { Workload } from "./workload.ts";
import { readWorkload } from "./workloadText.ts";

function read(text: string): Workload {
  const outcome = readWorkload(text, "yaml", "template.yaml");
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error, null, 2));
  return outcome.value;
}

test.each(workloadTemplates)("$name", ({ text }) => {
  const workload = read(text);
  expect(workload.remarks).toEqual([]);
  expect(workload.operations.length).toBeGreaterThanOrEqual(4);
  expect(workload.candidates.length).toBeGreaterThanOrEqual(3);
  for (const operation of workload.operations) {
    const { equal, ranges } = accessOf(operation);
    for (const path of [...equal.keys(), ...ranges.map((range) => range.path)]) {
      expect(workload.properties.has(path), `${operation.id} ${path}`).toBe(true);
    }
  }
  expect(text.split("\n").every((line) => line.length <= 132)).toBe(true);
  expect(read(printWorkload(workload)).operations).toEqual(workload.operations);
});

test("whatever is done to a file, it is read or refused with places", () => {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.integer({ min: 0, max: 12 }),
    added: fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom("-1", "[", "}", ": ", "*a", "&a ", "\n- ", "null", "1e999", "{}", "'", "\t"),
    ),
  });
  const anyTemplate = fc.constantFrom(...workloadTemplates.map(({ text }) => text));
  fc.assert(
    fc.property(anyTemplate, fc.array(edit, { minLength: 1, maxLength: 4 }), (template, edits) => {
      let text = template;
      for (const { at, removed, added } of edits) {
        const place = Math.floor(at * text.length);
        text = text.slice(0, place) + added + text.slice(place + removed);
      }
      const outcome = readWorkload(text, "yaml", "edited.yaml");
      if (outcome.ok)
        expect(read(printWorkload(outcome.value)).growth).toEqual(outcome.value.growth);
      else {
        expect(outcome.error.length).toBeGreaterThan(0);
        for (const { place, message } of outcome.error) {
          expect(place).toMatch(/^\d+:\d+( |$)/);
          expect(message).toMatch(/\S/);
        }
      }
    }),
    { numRuns: 100 },
  );
});

test("the first one names every member there is", () => {
  const { text } = workloadTemplates[0]!;
  const printed = printWorkload(read(text));
  const names = [...printed.matchAll(/^\s*(?:- )?([a-z]\w*):/gim)].map(([, name]) => name!);
  for (const name of new Set(names)) expect(text).toContain(`${name}:`);
  for (const name of ["ru", "peakFactor", "hours", "knows", "throughput", "requests"]) {
    expect(text).toContain(`${name}:`);
  }
});
