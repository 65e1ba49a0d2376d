/**
 * Queries that call user-defined functions, drawn from a seed: any query is the same query when
 * parts of it are given to a function that returns its argument. Same rows, on the same pages.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { JsonValue } from "../../src/json/value.ts";
import { isSameExpression } from "../../src/query/bind/sameExpression.ts";
import type { RunOptions } from "../../src/query/execute/listSource.fake.ts";
import { cutAt, ListContainer, Refused } from "../../src/query/execute/listSource.fake.ts";
import type { Expression, Query } from "../../src/query/language/ast.ts";
import { parseQuery } from "../../src/query/language/parser.ts";
import { printQuery } from "../../src/query/language/printer.ts";
import { mapExpression, mapQuery, partsOf } from "../../src/query/language/visitor.ts";
import { COMPOSITES, drawQuery } from "./generate.ts";
import { Draw, drawItems } from "./generateItems.ts";

const FUNCTIONS = {
  same: (value: JsonValue | undefined): JsonValue | undefined => value,
  second: (_: unknown, value: JsonValue | undefined): JsonValue | undefined => value,
};
const COMPOSITE_INDEXES = COMPOSITES.map((paths) =>
  paths.map(([name, order]) => ({
    path: `/${name}`,
    order: order === "ASC" ? ("ascending" as const) : ("descending" as const),
  })),
);
/** A call hides that an expression is written like a group key; or there are too many of them. */
const UNLUCKY: ReadonlySet<unknown> = new Set(["SC2102", "SC3005"]);
const RANGES = [cutAt(), cutAt("80"), cutAt("30", "31", "A0")];

test("a function that returns its argument changes nothing", async () => {
  let calledCount = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 1e9 }), async (seed) => {
      const draw = new Draw(seededRandom(seed));
      const container = new ListContainer(drawItems(draw, 5 + draw.below(30)), {
        policy: { compositeIndexes: COMPOSITE_INDEXES },
        functions: FUNCTIONS,
      });
      const { text, parameters } = drawQuery(draw);
      const calling = withCalls(text, draw);
      const options = { ...drawOptions(draw), parameters: named(parameters) };
      const expected = await outcomeOf(container, text, options);
      const outcome = await outcomeOf(container, calling, options);
      calledCount += container.batches.length;
      if (UNLUCKY.has(outcome.code)) return;
      expect(outcome, calling).toEqual(expected);
    }),
    { numRuns: 150 },
  );
  expect(calledCount).toBeGreaterThan(150);
});

function named(parameters: Readonly<Record<string, JsonValue>>): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name.replace(/^@?/, "@"), value]),
  );
}

function drawOptions(draw: Draw): RunOptions {
  return {
    countMax: draw.pick([1, 2, 3, 7, 1000]),
    ranges: draw.pick(RANGES),
    ...(draw.chance(0.2) && { timeSliceMs: 40 }),
  };
}

interface Outcome {
  readonly pages?: readonly (readonly JsonValue[])[];
  readonly code?: string | number;
  readonly message?: string;
}

async function outcomeOf(
  container: ListContainer,
  text: string,
  options: RunOptions,
): Promise<Outcome> {
  try {
    const pages = (await container.pages(text, options)).map(({ rows }) => rows);
    // When time is up is another matter: functions take some.
    return { pages: options.timeSliceMs === undefined ? pages : [pages.flat()] };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { problem } = error;
    return problem.kind === "refused"
      ? { message: problem.message }
      : { code: problem.diagnostics[0]!.code, message: problem.diagnostics[0]!.message };
  }
}

const CALLS_MAX = 10;

/** The query with calls around some of its expressions, wherever they may be. */
function withCalls(text: string, draw: Draw): string {
  const parsed = parseQuery(text);
  if (!parsed.ok) throw new Error(text);
  const query = parsed.value;
  const nameless = namelessIn(query);
  let left = CALLS_MAX;
  const called = (argument: Expression): Expression => {
    left--;
    const { span } = argument;
    const args = draw.chance(0.3)
      ? { name: "second", args: [{ kind: "number", span, value: 1 } as const, argument] }
      : { name: "same", args: [argument] };
    return { kind: "call", span, nameSpan: span, isUdf: true, ...args };
  };
  const keys = (query.groupBy ?? []).map((key) => ({
    key,
    replaced: left > 2 && draw.chance(0.5) ? called(key) : key,
  }));
  const replace = (part: Expression): Expression | undefined => {
    const key = keys.find((each) => isSameExpression(each.key, part));
    if (key !== undefined) return key.replaced;
    if (left <= 0 || nameless.has(part) || !draw.chance(0.25)) return undefined;
    left--;
    const inner = mapExpression(part, (inside) => (inside === part ? undefined : replace(inside)));
    left++;
    return called(inner);
  };
  const mapped = mapQuery(query, replace);
  return printQuery(query.orderBy === undefined ? mapped : { ...mapped, orderBy: query.orderBy });
}

/** Selected expressions that the names of their values are taken from. */
function namelessIn(root: Query): ReadonlySet<Expression> {
  const found = new Set<Expression>();
  const waiting: (Expression | Query)[] = [root];
  for (let tree = waiting.pop(); tree !== undefined; tree = waiting.pop()) {
    if (!("kind" in tree) && tree.select.selection.kind === "list") {
      for (const { expression, alias } of tree.select.selection.items) {
        if (alias === undefined) found.add(expression);
      }
    }
    waiting.push(...partsOf(tree));
  }
  return found;
}
