/**
 * Queries that take longer than a page may take: the answer comes in several pages, some of them
 * empty, and is the same as if it had come in one.
 *
 * The rows are cross products of one list with itself, so every count is known beforehand. With
 * ORRERY_LONG in one physical partition, too.
 */
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "../sdk/stage.ts";
import { openStage } from "../sdk/stage.ts";
import { ask, fillContainer, RATES } from "./arena.ts";

const ITEM_COUNT = 12;
const LIST = Array.from({ length: 65 }, (_, index) => index);
const PRODUCT = "FROM c JOIN x IN c.l JOIN y IN c.l JOIN z IN c.l";
const PATIENCE_MS = 120_000;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const IDS = Array.from({ length: ITEM_COUNT }, (_, index) => `i${index}`).toSorted(byText);

const PARTITION_COUNTS = process.env["ORRERY_LONG"] !== undefined ? [1, 20] : [20];

describe.each(PARTITION_COUNTS)("in %d physical partitions", (partitionCount) => {
  let container: Container;
  beforeAll(async () => {
    const items = IDS.map((id) => ({ id, pk: id, l: LIST }));
    const throughput = RATES[partitionCount]!;
    container = await fillContainer(stage.database, { throughput }, items);
  });

  test.each([
    {
      what: "rows are counted once",
      text: `SELECT VALUE COUNT(1) ${PRODUCT}`,
      rows: [ITEM_COUNT * LIST.length ** 3],
    },
    {
      what: "groups are whole",
      text: `SELECT x, COUNT(1) AS n ${PRODUCT} GROUP BY x`,
      rows: LIST.map((x) => ({ x, n: ITEM_COUNT * LIST.length ** 2 })),
    },
    {
      what: "duplicates are found",
      text: `SELECT DISTINCT VALUE x ${PRODUCT} WHERE z > 60`,
      rows: LIST,
    },
    {
      what: "rows are in order",
      text: `SELECT VALUE [c.id, x] ${PRODUCT} WHERE y = 64 AND z = 64 AND x > 61 ORDER BY c.id`,
      rows: IDS.flatMap((id) => [62, 63, 64].map((x) => [id, x])),
    },
    {
      what: "rows are skipped once",
      text: `SELECT VALUE c.id ${PRODUCT} WHERE x = 64 AND y = 64 AND z = 64 ORDER BY c.id DESC OFFSET 3 LIMIT 4`,
      rows: IDS.toReversed().slice(3, 7),
    },
    {
      what: "nothing is found in the end",
      text: `SELECT VALUE 1 ${PRODUCT} WHERE x + y + z < 0`,
      rows: [],
    },
  ])(
    "$what",
    async ({ text, rows }) => {
      const isOrdered = text.includes("ORDER BY");
      const answer = await ask(container, text, {}, { maxItemCount: isOrdered ? 3 : 1000 });
      if (answer.kind !== "rows") throw new Error(answer.message);
      expect(isOrdered ? answer.rows : answer.rows.toSorted(byNumber)).toEqual(rows);
    },
    PATIENCE_MS,
  );

  test.each([
    {
      what: "groups without a value",
      text: "SELECT VALUE x > 62 ? x : undefined FROM c JOIN x IN c.l GROUP BY x",
      rows: [63, 64],
    },
    {
      what: "distinct rows",
      text: "SELECT DISTINCT VALUE x FROM c JOIN x IN c.l WHERE x > 62",
      rows: [63, 64],
    },
    {
      what: "rows without a value",
      text: 'SELECT VALUE c.id = "i5" ? 5 : undefined FROM c ORDER BY c.id',
      rows: [5],
    },
    {
      what: "rows that are passed over",
      text: "SELECT VALUE x FROM c JOIN x IN c.l WHERE x = 64 OFFSET 10 LIMIT 100",
      rows: [64, 64],
    },
  ])("pages of one row: $what", async ({ text, rows }) => {
    const answer = await ask(container, text, {}, { maxItemCount: 1 });
    if (answer.kind !== "rows") throw new Error(answer.message);
    expect(answer.rows.toSorted(byNumber)).toEqual(rows);
  });
});

/** By the only number there is in a row. */
function byNumber(a: unknown, b: unknown): number {
  const numberOf = (row: unknown): number =>
    typeof row === "number" ? row : (row as { readonly x: number }).x;
  return numberOf(a) - numberOf(b);
}
