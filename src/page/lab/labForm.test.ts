/** From what was filled in to the question, or to what is missing and where. */
import { describe, expect, test } from "vitest";
import type { LabForm } from "./labForm.ts";
import { expressionOf, formatOf, keyLines, runQuestionOf, usualStep } from "./labForm.ts";

const FORM: LabForm = {
  about: { database: "shop", container: "orders" },
  dataKind: "container",
  sample: "500",
  given: undefined,
  workload: "operations: []",
  keys: "/customerId\n\n [/tenantId, /id] ",
  isOnlyMine: false,
  current: "/category",
};

describe("a run", () => {
  test("takes the container, the keys and the key in use", () => {
    expect(runQuestionOf(FORM)).toEqual({
      ok: true,
      value: {
        kind: "advise",
        workload: "operations: []",
        data: { kind: "container", database: "shop", container: "orders", sampleCount: 500 },
        candidates: ["/customerId", "[/tenantId, /id]"],
        current: "/category",
      },
    });
  });

  test("takes a text, and nothing where the workload declares everything", () => {
    const given = { name: "a.csv", text: "id,a\n1,2" };
    const answer = runQuestionOf({ ...FORM, dataKind: "text", given, keys: "", current: "" });
    expect(answer).toMatchObject({ value: { data: { kind: "text", format: "csv", ...given } } });
    const declared = runQuestionOf({ ...FORM, dataKind: "none", keys: "", current: "" });
    expect(declared).toEqual({ ok: true, value: { kind: "advise", workload: "operations: []" } });
  });

  test.each([
    [{ about: undefined }, "data"],
    [{ sample: "many" }, "data"],
    [{ dataKind: "text" as const }, "data"],
    [{ workload: " " }, "workload"],
    [{ keys: "concat(" }, "candidates"],
    [{ current: "category" }, "candidates"],
    [{ keys: "", isOnlyMine: true }, "candidates"],
  ])("with %o lacks something in the step %s", (changes, step) => {
    expect(runQuestionOf({ ...FORM, ...changes })).toMatchObject({ ok: false, error: { step } });
  });
});

test("the form of a text is told by its name, or by how it begins", () => {
  expect(formatOf({ name: "a.CSV", text: "{" })).toBe("csv");
  expect(formatOf({ name: "pasted items", text: ' [{"id":"1"}]' })).toBe("json");
  expect(formatOf({ name: "pasted items", text: '{"id":"1"}' })).toBe("ndjson");
  expect(formatOf({ name: "pasted items", text: "id,name" })).toBe("csv");
});

test("keys are lines, definitions are expressions", () => {
  expect(keyLines(" /a \n\n/b")).toEqual(["/a", "/b"]);
  expect(expressionOf(["/a"])).toBe("/a");
  expect(expressionOf(["/a", "/b"])).toBe("[/a, /b]");
});

test("the step that opens is the next that is of use", () => {
  expect([undefined, "waiting", "failed", "done"].map(usualStep)).toEqual([
    "data",
    "run",
    "run",
    "compare",
  ]);
});
