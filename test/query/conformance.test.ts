/**
 * What the language promises, case by case (`cases/*.case`), put to the naive model and, through
 * the official client, to containers of 1 and 20 physical partitions, and with ORRERY_LONG of 5.
 */
import type { Container, ContainerRequest } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/json/value.ts";
import { parseQuery } from "../../src/query/language/parser.ts";
import type { Stage } from "../sdk/stage.ts";
import { openStage } from "../sdk/stage.ts";
import { ask, fillContainer, RATES } from "./arena.ts";
import type { CaseFile, QueryCase, TableCase, TableLine } from "./caseFile.ts";
import { readCaseFiles } from "./caseFile.ts";
import { canonical, withoutSystemParts } from "./judge.ts";
import { naiveRows } from "./naive.ts";

const FILES = readCaseFiles();
const PARTITION_COUNTS = process.env["ORRERY_LONG"] !== undefined ? [1, 5, 20] : [1, 20];

/** Title → why the engine cannot do it yet. It runs, and must fail: then its line has to go. */
const KNOWN_GAPS: Readonly<Record<string, string>> = {};

/** What a case expects and what came, told alike: rows or the complaint. */
type Told = { readonly rows: readonly string[] } | { readonly error: string };

describe("the naive model", () => {
  describe.each(FILES)("$name", (file) => {
    const queries = file.queries.filter(({ beyondModel }) => beyondModel === undefined);
    test.each(queries)("$title", (one) => {
      expect(toldByModel(file, one)).toEqual(expectedOf(one));
    });
    test.each(file.tables)("$title", (table) => {
      const complaints = table.lines.map((line) => {
        const told = toldByModel(file, { text: textOf(line), parameters: {} });
        return complaintAbout(line, "rows" in told ? told.rows : [told.error]);
      });
      expect(complaints.filter((complaint) => complaint !== undefined)).toEqual([]);
    });
  });
});

describe("the engine", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  describe.each(FILES)("$name", (file) => {
    let containers: readonly Container[];
    beforeAll(async () => {
      const filled: Container[] = [];
      for (const count of PARTITION_COUNTS) {
        const throughput = RATES[count]!;
        const definition = { ...(file.container as Partial<ContainerRequest>), throughput };
        filled.push(await fillContainer(stage.database, definition, file.items));
      }
      containers = filled;
    });

    test.each(file.queries)("$title", async (one) => {
      const isGap = Object.hasOwn(KNOWN_GAPS, one.title);
      const told = await Promise.all(containers.map((container) => toldByEngine(container, one)));
      if (isGap) expect(told).not.toEqual(told.map(() => expectedOf(one)));
      else expect(told).toEqual(told.map(() => expectedOf(one)));
    });
    test.each(file.tables)("$title", async (table) => {
      expect(await tableComplaints(containers[0]!, table)).toEqual([]);
      const { id } = file.items[0]!;
      for (const container of containers) {
        expect(await tableInOneQuery(container, table, String(id))).toEqual([]);
      }
    });
  });
});

function expectedOf({ expected, text }: QueryCase): Told {
  if (expected.kind === "error") return { error: `${expected.code} ${expected.message}`.trim() };
  return { rows: toldRows(text, expected.rows) };
}

/** In their order if the query asks for one. */
function toldRows(text: string, rows: readonly JsonValue[]): readonly string[] {
  const parsed = parseQuery(text);
  const isOrdered = parsed.ok && parsed.value.orderBy !== undefined;
  const told = rows.map((row) => canonical(row));
  return isOrdered ? told : told.toSorted();
}

type Asked = Pick<QueryCase, "text" | "parameters"> & Partial<Pick<QueryCase, "expected">>;

function toldByModel({ items }: CaseFile, { text, parameters, expected }: Asked): Told {
  const parsed = parseQuery(text);
  if (!parsed.ok) {
    const problem = parsed.error;
    if (problem.kind === "refused") return toldError("", problem.message, expected);
    const [first] = problem.diagnostics;
    return toldError(String(first!.code), first!.message, expected);
  }
  const outcome = naiveRows(parsed.value, items, parameters);
  if (outcome.kind === "rows") return { rows: toldRows(text, outcome.rows) };
  return toldError(outcome.code, undefined, expected);
}

async function toldByEngine(container: Container, one: QueryCase): Promise<Told> {
  const { text, parameters, expected } = one;
  const answer = await ask(container, text, parameters);
  if (answer.kind === "rows") return { rows: toldRows(text, answer.rows.map(withoutSystemParts)) };
  if (answer.kind === "declined") return { error: answer.message };
  if (answer.status !== 400) return { error: `${answer.status} ${answer.message}` };
  const code = /"code":"?(SC\d+|\d+)/.exec(answer.message)?.[1] ?? "";
  return toldError(code, answer.message, expected);
}

/** As expected if code and message agree with what is; otherwise with all there is to know. */
function toldError(
  code: string,
  message: string | undefined,
  expected?: QueryCase["expected"],
): Told {
  if (expected?.kind !== "error") return { error: `${code} ${message ?? ""}` };
  const isCode = expected.code === "" || expected.code === code;
  const isMessage = message === undefined || message.includes(expected.message);
  if (!isCode || !isMessage) return { error: `${code} ${message ?? ""}` };
  return { error: `${expected.code} ${expected.message}`.trim() };
}

// Tables

const textOf = ({ expression }: TableLine): string => `SELECT VALUE ${expression}`;

async function tableComplaints(container: Container, table: TableCase): Promise<string[]> {
  const complaints: string[] = [];
  for (const line of table.lines) {
    const answer = await ask(container, textOf(line));
    const told =
      answer.kind === "rows" ? answer.rows.map((row) => canonical(row)) : [answer.message];
    const complaint = complaintAbout(line, told);
    if (complaint !== undefined) complaints.push(complaint);
  }
  return complaints;
}

/** The same expressions once more, this time for an item. */
async function tableInOneQuery(
  container: Container,
  { lines }: TableCase,
  id: string,
): Promise<string[]> {
  const members = lines.map(({ expression }, index) => `"${index}": ${expression}`);
  const text = `SELECT VALUE {${members.join(", ")}} FROM c WHERE c.id = @id`;
  const answer = await ask(container, text, { "@id": id });
  if (answer.kind !== "rows") return [answer.message];
  const row = answer.rows[0] as Readonly<Record<string, JsonValue>>;
  return lines.flatMap((line, index) => {
    const told = Object.hasOwn(row, index) ? [canonical(row[index]!)] : [];
    return complaintAbout(line, told) ?? [];
  });
}

function complaintAbout(line: TableLine, told: readonly string[]): string | undefined {
  const { expression, expected, isRough } = line;
  const shown = told.join(", ") || "undefined";
  const isRight =
    expected === undefined
      ? told.length === 0
      : told.length === 1 && (isRough ? isNear(told[0]!, expected) : shown === canonical(expected));
  if (isRight) return undefined;
  const wanted = expected === undefined ? "undefined" : canonical(expected);
  return `${expression} is ${shown}, not ${wanted}`;
}

function isNear(told: string, expected: JsonValue): boolean {
  return (
    Math.abs(Number(told) - Number(expected)) <= 1e-9 * Math.max(1, Math.abs(Number(expected)))
  );
}
