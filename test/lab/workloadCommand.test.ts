/** `orrery lab workload` as it is typed: what it prints, where it writes, how it ends. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { LAB_WORKLOAD_HELP, runLabWorkload } from "../../src/cli/lab/workload.ts";
import { CsvReader } from "../../src/cli/lab/workloadCsv.ts";
import { readLogFile } from "../../src/cli/lab/workloadLogFile.ts";
import type { JsonObject } from "../../src/json/value.ts";
import { workloadTemplates } from "../../src/lab/workload/templates.ts";

const folder = mkdtempSync(join(tmpdir(), "orrery-workload-"));
const fileNamed = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

/** What went to standard output and standard error, and the message it ended with. */
async function run(...args: string[]): Promise<{ out: string; err: string; failure: string }> {
  const seen = { out: "", err: "", failure: "" };
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    seen.out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    seen.err += String(text);
    return true;
  });
  try {
    await runLabWorkload(args, {});
  } catch (error) {
    seen.failure = `${(error as Error).name}: ${(error as Error).message}`;
  }
  vi.restoreAllMocks();
  return seen;
}

describe("new, templates, check", () => {
  test("help", async () => {
    expect((await run("--help")).out).toBe(LAB_WORKLOAD_HELP);
    expect((await run()).out).toBe(LAB_WORKLOAD_HELP);
  });

  test("a template to standard output, or to a file that is not there yet", async () => {
    expect((await run("new")).out).toBe(workloadTemplates[0]!.text);
    const file = fileNamed("mine.yaml");
    expect(await run("new", "--template", "iot", "--output", file)).toEqual({
      out: "",
      err: `workload: ${file}\n`,
      failure: "",
    });
    expect(readFileSync(file, "utf8")).toContain("iot-readings");
    expect((await run("new", "--output", file)).failure).toBe(
      `CommandFailure: ${file} is there already; --force writes over it.`,
    );
    expect((await run("new", "--output", file, "--force")).failure).toBe("");
    expect(readFileSync(file, "utf8")).toBe(workloadTemplates[0]!.text);
  });

  test("what there is", async () => {
    const { out } = await run("templates");
    expect(out.split("\n").map((line) => line.split(" ")[0])).toEqual([
      "blank",
      "orders",
      "iot",
      "tenants",
      "feed",
      "",
    ]);
  });

  test.each(workloadTemplates)("check of $name shows what was understood", async (template) => {
    const file = fileNamed(`${template.name}.yaml`);
    writeFileSync(file, template.text);
    const { out, failure } = await run("check", file);
    expect(failure).toBe("");
    expect(out).toMatch(/^item +\S+ (bytes|KB)$/m);
    expect(out).toMatch(/^operation +kind +per second +share +finds its items by$/m);
    expect(out).toContain("candidates\n");
    expect(out).not.toContain("remarks\n");
    const json = JSON.parse((await run("check", "--json", file)).out) as { operations: unknown[] };
    expect(json.operations.length).toBeGreaterThan(3);
  });

  test("all problems, each with its place", async () => {
    const file = fileNamed("bad.json");
    writeFileSync(file, '{\n  "item": {"bytes": "much"},\n  "operations": [{"kind": "reed"}]\n}');
    const { out, failure } = await run("check", file);
    expect(out).toBe("");
    expect(failure.split("\n")).toEqual([
      `CommandFailure: ${file} has 3 problems.`,
      `${file}:2:21 item.bytes: This must be a number of bytes, or a size such as 4 KB, not 'much'.`,
      expect.stringContaining(`${file}:3:18 operations[0]: It has no rate;`),
      expect.stringContaining(`${file}:3:27 operations[0].kind: 'reed' is not known.`),
    ]);
    const json = await run("check", "--json", file);
    expect((JSON.parse(json.out) as { problems: unknown[] }).problems).toHaveLength(3);
  });

  test.each([
    [["make"], "There is no command 'lab workload make'"],
    [["check"], "check needs the name of a workload file."],
    [["check", "a", "b"], "'b' is one word too many."],
    [["check", "a", "--template", "x"], "--template says nothing to 'lab workload check'."],
    [["new", "--template", "x"], "There is no template 'x'; there are blank, orders"],
    [["import"], "import needs the name of a log file."],
    [["import", "x.json", "--key", "month(/a)"], "--key is 'month(/a)'; it must be a path"],
  ])("%j makes no sense", async (args, message) => {
    const { failure } = await run(...args);
    expect(failure.startsWith("BadOption: "), failure).toBe(true);
    expect(failure).toContain(message);
  });

  test("a file that is not there", async () => {
    expect((await run("check", fileNamed("gone.yaml"))).failure).toContain(
      "cannot be read: ENOENT",
    );
    expect((await run("import", fileNamed("gone.json"))).failure).toContain(
      "cannot be read: ENOENT",
    );
  });
});

const row = (at: number): JsonObject => ({
  TimeGenerated: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(),
  Type: "CDBDataPlaneRequests",
  DatabaseName: "db",
  CollectionName: "c",
  OperationName: at % 4 === 0 ? "Create" : "Read",
  StatusCode: at % 4 === 0 ? 201 : 200,
  RequestCharge: 2,
});
const ROWS = Array.from({ length: 101 }, (_, at) => row(at));
const NAMES = Object.keys(ROWS[0]!);
const csv = (rows: readonly JsonObject[]): string =>
  `${NAMES.join(",")}\r\n${rows.map((one) => NAMES.map((name) => `"${one[name]}"`).join(",")).join("\r\n")}\r\n`;

describe("import", () => {
  const lines = ROWS.map((one) => JSON.stringify(one)).join("\n");
  const table = {
    name: "PrimaryResult",
    columns: NAMES.map((name) => ({ name })),
    rows: ROWS.map((one) => NAMES.map((name) => one[name])),
  };

  test.each([
    ["lines.json", lines],
    ["lines.ndjson.gz", gzipSync(lines)],
    ["broken.jsonl", `{"time": \n${lines}\nnot json\n`],
    ["list.json", JSON.stringify(ROWS, null, 2)],
    ["line.json", `\uFEFF${JSON.stringify(ROWS)}`],
    ["records.json", JSON.stringify({ records: ROWS })],
    ["tables.json", JSON.stringify({ tables: [table] })],
    ["table.csv", csv(ROWS)],
    ["table.csv.gz", gzipSync(csv(ROWS))],
  ])("%s", async (name, content) => {
    const file = fileNamed(name);
    writeFileSync(file, content);
    const { out, err, failure } = await run("import", file);
    expect(failure).toBe("");
    expect(out).toContain("name: c\n");
    expect(out).toMatch(/- id: create\n +kind: create\n +rate: 0\.26\n +ru: 2\n/);
    expect(out).toMatch(/- id: pointRead\n +kind: pointRead\n +rate: 0\.75\n +ru: 2\n/);
    const isBroken = name.startsWith("broken");
    expect(err).toBe(
      isBroken
        ? `${file}: 2 lines could not be read (line 1: no JSON object); the others were.\n`
        : "",
    );
    const written = fileNamed(`${name}.yaml`);
    await run("import", file, "--output", written);
    expect((await run("check", written)).failure).toBe("");
  });

  test("several files are one log", async () => {
    const [first, second] = [fileNamed("a.ndjson"), fileNamed("b.csv")];
    writeFileSync(
      first,
      ROWS.slice(0, 50)
        .map((one) => JSON.stringify(one))
        .join("\n"),
    );
    writeFileSync(second, csv(ROWS.slice(50)));
    expect((await run("import", first, second)).out).toMatch(/rate: 0\.75\n/);
  });

  test("nothing of use is a failure that says what was read", async () => {
    const file = fileNamed("other.json");
    writeFileSync(file, '{"a": 1}\n{"a": 2}\n');
    expect((await run("import", file)).failure).toBe(
      "CommandFailure: There is no request in the logs: 2 rows were read, 2 of them not understood. CDBDataPlaneRequests has them.",
    );
    writeFileSync(file, lines);
    expect((await run("import", file, "--container", "db/x")).failure).toContain(
      "There is no request of db/x in the logs: 101 rows were read",
    );
  });

  test("a row of CSV with too few cells is told, and the others are read", async () => {
    const file = fileNamed("short.csv");
    writeFileSync(file, "a,b\n1,2\n3\n4,5\n");
    const rows: JsonObject[] = [];
    const outcome = await readLogFile(file, (one) => rows.push(one));
    expect(rows).toEqual([
      { a: "1", b: "2" },
      { a: "4", b: "5" },
    ]);
    expect(outcome).toEqual({
      rowCount: 2,
      brokenCount: 1,
      firstBroken: "row 3: 1 cells for 2 names",
    });
  });
});

test("CSV is read the same however it is cut", () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom("", ",", '"', "a\nb", "\r\n", 'x"y'));
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
  fc.assert(
    fc.property(
      table,
      fc.array(fc.integer({ min: 1, max: 5 })),
      fc.boolean(),
      (rows, cuts, isQuoted) => {
        const needs = (text: string): boolean => isQuoted || /[",\r\n]/.test(text);
        const written = (text: string): string =>
          needs(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const text = rows.map((cells) => `${cells.map(written).join(",")}\r\n`).join("");
        const read: (readonly string[])[] = [];
        const reader = new CsvReader((cells) => read.push(cells));
        let from = 0;
        for (const length of cuts) {
          reader.push(text.slice(from, from + length));
          from += length;
        }
        reader.push(text.slice(from));
        reader.end();
        expect(read).toEqual(rows);
      },
    ),
  );
});
