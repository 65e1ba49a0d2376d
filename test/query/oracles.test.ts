/**
 * Random queries, and ways to know their answers without being told:
 *
 * - the naive model, which every formulation has to agree with: much indexed or little, in one
 *   physical partition or twenty, in small pages or large, planned by the server or the client;
 * - a condition splits the rows in three: where it is true, where it is false, where it is neither;
 * - as many rows pass a filter as show true when the condition is what is selected.
 *
 * The short run is part of `npm test`. `ORRERY_ORACLE_COUNT` asks for more queries, and
 * `ORRERY_ORACLE_SEED` starts elsewhere: a complaint names the seed that leads to it.
 */
import type { Container, FeedOptions } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { stringifyKeepingDigits } from "../../src/json/stringify.ts";
import type { JsonObject } from "../../src/json/value.ts";
import { parseQuery } from "../../src/query/language/parser.ts";
import type { Wire } from "../http/wire.ts";
import { expectStatus, openWire } from "../http/wire.ts";
import { clientOf } from "../sdk/stage.ts";
import { type Answer, ask, RATES } from "./arena.ts";
import { COMPOSITES, type Drawn, drawFilter, drawQuery, ORDER_PATHS } from "./generate.ts";
import { Draw, drawItems, LONG, PARTITION_KEYS } from "./generateItems.ts";
import { canonical, differenceOf, type Freedom } from "./judge.ts";
import type { Parameters } from "./naive.ts";
import { naiveRows } from "./naive.ts";

const COUNT = Number(process.env["ORRERY_ORACLE_COUNT"] ?? 60);
const SEED = Number(process.env["ORRERY_ORACLE_SEED"] ?? 1);
const PATIENCE_MS = 60_000 + COUNT * 400;
const ITEM_COUNT = 60;
/** The same for many seeds, so that the seed of a query is enough to see it fail again. */
const ITEM_SEED = Math.floor(SEED / 100_000);
/** One complaint is rarely alone; more than a few help nobody. */
const COMPLAINTS_MAX = 5;

const compositeIndexes = COMPOSITES.map((paths) =>
  paths.map(([name, order]) => ({
    path: `/${name}`,
    order: order === "ASC" ? "ascending" : "descending",
  })),
);
const POLICIES: Readonly<Record<string, JsonObject>> = {
  full: { includedPaths: [{ path: "/*" }], excludedPaths: [], compositeIndexes },
  lean: {
    includedPaths: ORDER_PATHS.map((path) => ({ path: `/${path}/?` })),
    excludedPaths: [{ path: "/*" }],
    compositeIndexes,
  },
};

interface Field {
  readonly name: string;
  readonly partitionCount: number;
  readonly container: Container;
  /** As they are stored, in their order. */
  readonly items: readonly JsonObject[];
}

let wire: Wire;
let fields: readonly Field[];
const closing: (() => void)[] = [];

beforeAll(async () => {
  wire = await openWire();
  const client = clientOf(wire.server);
  closing.push(() => client.dispose());
  const items = drawItems(new Draw(seededRandom(ITEM_SEED)), ITEM_COUNT);
  const opened: Field[] = [];
  for (const [policy, indexingPolicy] of Object.entries(POLICIES)) {
    for (const partitionCount of [1, 20]) {
      const name = `${policy}-${partitionCount}`;
      await fill(name, indexingPolicy, RATES[partitionCount]!, items);
      const container = client.database("d").container(name);
      const { resources } = await container.items.readAll().fetchAll();
      const stored = resources as unknown as readonly JsonObject[];
      opened.push({ name, partitionCount, container, items: stored });
    }
  }
  fields = opened;
});
afterAll(async () => {
  for (const close of closing) close();
  await wire[Symbol.asyncDispose]();
});

/** By hand, because the official client would write -0 as 0. */
async function fill(
  id: string,
  indexingPolicy: JsonObject,
  rate: number,
  items: readonly JsonObject[],
): Promise<void> {
  const body = JSON.stringify({ id, partitionKey: { paths: ["/pk"] }, indexingPolicy });
  const headers = { "x-ms-offer-throughput": String(rate) };
  await expectStatus(201, wire.call("POST", ["dbs", "d", "colls"], { body, headers }));
  for (const item of items) {
    const headers = { "x-ms-documentdb-partitionkey": keyHeader(item) };
    const call = { headers, body: stringifyKeepingDigits(item) };
    await expectStatus(201, wire.call("POST", ["dbs", "d", "colls", id, "docs"], call));
  }
}

/** Headers are plain ASCII; a missing key is an empty object. */
function keyHeader(item: JsonObject): string {
  const text = JSON.stringify([Object.hasOwn(item, "pk") ? item["pk"] : {}]);
  return text.replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

test(
  "every formulation of a query agrees with the naive model",
  async () => {
    const complaints: string[] = [];
    for (let index = 0; index < COUNT && complaints.length < COMPLAINTS_MAX; index++) {
      const seed = SEED + index;
      const drawn = drawQuery(new Draw(seededRandom(seed)));
      const found = await Promise.all(
        fields.map((field, at) =>
          complaintAbout(field, drawn, new Draw(seededRandom(seed * 8 + at))),
        ),
      );
      const [complaint, ...others] = found.filter((one) => one !== undefined);
      if (complaint === undefined) continue;
      complaints.push(`seed ${seed}, and ${others.length} more: ${complaint}`);
    }
    expect(shown(complaints)).toBe("");
  },
  PATIENCE_MS,
);

/** Without what makes them hard to read. */
function shown(complaints: readonly string[]): string {
  return complaints.join("\n\n").replaceAll(LONG, "LONG ");
}

async function complaintAbout(
  { name, partitionCount, container, items }: Field,
  drawn: Drawn,
  draw: Draw,
): Promise<string | undefined> {
  const { text, parameters } = drawn;
  const parsed = parseQuery(text);
  if (!parsed.ok) return `does not parse: ${text}`;
  const mayForce = !drawn.isLossy && (drawn.isMergeable || partitionCount === 1);
  const options: FeedOptions = {
    maxItemCount: draw.pick([1, 7, 1000]),
    forceQueryPlan: mayForce && draw.chance(0.5),
  };
  // The client sends no partition key when it plans by itself.
  const mayScope = options.forceQueryPlan !== true && draw.chance(0.2);
  const partitionKey = mayScope ? draw.pick(PARTITION_KEYS) : undefined;
  const isScoped = partitionKey !== undefined;
  const scope = isScoped ? items.filter((item) => item["pk"] === partitionKey) : items;
  const expected = naiveRows(parsed.value, scope, parameters);
  const answer = await ask(container, text, parameters, {
    ...options,
    ...(isScoped ? { partitionKey: partitionKey as string } : {}),
  });
  // The server goes from item to item; the client takes pages as they come.
  const isUnordered = drawn.isUnordered && !(drawn.isPlain && options.forceQueryPlan !== true);
  const difference = differenceFrom(expected, answer, { ...drawn, isUnordered });
  if (difference === undefined) return undefined;
  const asked = JSON.stringify({ ...options, ...(isScoped ? { partitionKey } : {}) });
  return `${name} ${asked}\n${text}\n${JSON.stringify(parameters)}\n${difference}`;
}

function differenceFrom(
  expected: ReturnType<typeof naiveRows>,
  answer: Answer,
  freedom: Freedom,
): string | undefined {
  if (expected.kind === "refused") {
    // Whether a number that cannot be shown is ever come across depends on the plan.
    if (expected.code === "4001") return undefined;
    return answer.kind !== "rows" ? undefined : `should be refused: ${expected.message}`;
  }
  if (answer.kind === "declined") return `declined: ${answer.message}`;
  // The client says what it can merge, and counting distinct rows is not among it.
  if (
    answer.kind === "refused" &&
    !answer.message.includes("the calling client does not support")
  ) {
    return `refused (${answer.status}): ${answer.message.slice(0, 500)}`;
  }
  if (answer.kind === "refused") return undefined;
  return differenceOf(expected, answer.rows, freedom);
}

test(
  "a condition splits the rows in three",
  async () => {
    await forEachFilter(async ({ container }, { from, bound, condition, parameters }) => {
      const rowsOf = (where: string): Promise<readonly string[]> =>
        canonicalRows(container, `SELECT VALUE ${bound}${from}${where}`, parameters);
      const [all, ...parts] = await Promise.all([
        rowsOf(""),
        rowsOf(` WHERE ${condition}`),
        rowsOf(` WHERE NOT (${condition})`),
        rowsOf(` WHERE NOT IS_BOOL(${condition})`),
      ]);
      const counts = parts.map((rows) => rows.length);
      const isWhole = parts.flat().toSorted().join("\n") === all!.toSorted().join("\n");
      return isWhole ? undefined : `${all!.length} rows fall into ${counts.join(" + ")}`;
    });
  },
  PATIENCE_MS,
);

test(
  "as many rows pass a filter as show that it is true",
  async () => {
    await forEachFilter(async ({ container }, { from, condition, parameters }) => {
      const [counted, shown] = await Promise.all([
        canonicalRows(container, `SELECT VALUE COUNT(1)${from} WHERE ${condition}`, parameters),
        canonicalRows(container, `SELECT VALUE (${condition})${from}`, parameters),
      ]);
      const trueCount = shown.filter((row) => row === "true").length;
      return counted[0] === String(trueCount) ? undefined : `${counted[0]} pass, ${trueCount} show`;
    });
  },
  PATIENCE_MS,
);

async function forEachFilter(
  complain: (field: Field, filter: ReturnType<typeof drawFilter>) => Promise<string | undefined>,
): Promise<void> {
  const complaints: string[] = [];
  for (let index = 0; index < COUNT / 4 && complaints.length < COMPLAINTS_MAX; index++) {
    const seed = SEED + index;
    const draw = new Draw(seededRandom(seed));
    const filter = drawFilter(draw);
    const field = draw.pick(fields);
    const complaint = await complain(field, filter);
    if (complaint === undefined) continue;
    const { from, condition, parameters } = filter;
    const asked = `${from} ${condition}\n${JSON.stringify(parameters)}`;
    complaints.push(`seed ${seed}, ${field.name}: ${complaint}\n${asked}`);
  }
  expect(shown(complaints)).toBe("");
}

async function canonicalRows(
  container: Container,
  text: string,
  parameters: Parameters,
): Promise<readonly string[]> {
  const answer = await ask(container, text, parameters);
  if (answer.kind !== "rows") throw new Error(`${text}\n${answer.message}`);
  return answer.rows.map((row) => canonical(row));
}
