/** The form of a workload writes what the lab reads. */
import { expect, test } from "vitest";
import { USUAL_SHEET, workloadYaml } from "./workloadRows.ts";

test("the form begins with a workload that says what it has and leaves out the rest", () => {
  expect(workloadYaml(USUAL_SHEET)).toBe(`\
name: "my-container"
growth:
  peakFactor: 2
  perMonth: 0
operations:
  - id: "create-1"
    kind: create
    rate: 10
  - id: "pointRead-2"
    kind: pointRead
    rate: 50
  - id: "query-3"
    kind: query
    rate: 5
    sql: "SELECT * FROM c WHERE c.customerId = @customerId"
`);
});

test("a path is what the caller knows, what is changed, or what is filtered by", () => {
  const rows = [
    { kind: "pointRead", by: "/orderId", rate: "300/s" },
    { kind: "patch", by: "/status, /note", rate: "" },
    { kind: "query", by: "/customerId", rate: "5/min" },
  ] as const;
  const text = workloadYaml({ ...USUAL_SHEET, rows });
  expect(text).toContain('rate: "300/s"\n    knows: ["/orderId"]');
  expect(text).toContain('rate: 0\n    changes: ["/status","/note"]');
  expect(text).toContain('rate: "5/min"\n    equalityFilters: ["/customerId"]');
});

test("no text that is typed becomes another member", () => {
  const rows = [{ kind: "query", by: 'x"\n  - kind: delete', rate: "1\nrate: 2" }] as const;
  const text = workloadYaml({ ...USUAL_SHEET, rows });
  expect(text).toContain('sql: "x\\"\\n  - kind: delete"');
  expect(text).toContain('rate: "1\\nrate: 2"');
});
