/** An order within one key: walked along the index or sorted, whichever is less work. */
import { beforeAll, expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import { rangeOfKey } from "../../partition/epkRange.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { containerIn, databaseIn, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { QueryAnswer } from "./queryItems.ts";

const KEY_COUNT = 20;
const ITEMS_OF_KEY = 40;
/** All items of this key come behind those of the others. */
const LATE = "late";
const keys = [...Array.from({ length: KEY_COUNT }, (_, index) => `key ${index}`), LATE];

let simulated: Simulated;
let container: Container;

beforeAll(async () => {
  simulated = await simulatedAccount();
  const database = await databaseIn(simulated.account);
  container = await containerIn(simulated.account, database);
  for (const [place, pk] of keys.entries()) {
    for (let index = 0; index < ITEMS_OF_KEY; index++) {
      const score = pk === LATE ? -index : 1 + ((index * 31 + place * 17) % 1_009);
      await write({ id: `${index}`, pk, score });
    }
  }
});

async function write(item: { readonly id: string; readonly pk: string; readonly score: number }) {
  const request = { kind: "create", body: item, key: [item.pk] } as const;
  const written = simulated.account.writeItem(container, request);
  assert(written.ok, "the item was refused");
  const outcome = await written.value;
  assert(outcome.kind === "created", JSON.stringify(outcome));
}

async function top(pk: string, count: number, direction = "DESC"): Promise<QueryAnswer> {
  const text = `SELECT TOP ${count} VALUE c.score FROM c WHERE c.pk = @pk ORDER BY c.score ${direction}`;
  const answer = await simulated.account.queryItems(container, {
    text,
    parameters: new Map([["@pk", pk]]),
    parameterNames: new Set(["@pk"]),
    scope: { kind: "key", range: rangeOfKey(container.definition.partitionKey, [pk]) },
    isFanOutAllowed: true,
    continuation: undefined,
    countMax: 100,
  });
  assert(answer.ok, JSON.stringify(answer));
  return answer.value;
}

function scoresOf({ rows }: QueryAnswer): readonly number[] {
  return rows.map((row) => Number(row.toString()));
}

/** As the items were made. */
function firstOf(pk: string, count: number, sign: 1 | -1): readonly number[] {
  const place = keys.indexOf(pk);
  const scores = Array.from({ length: ITEMS_OF_KEY }, (_, index) =>
    pk === LATE ? -index : 1 + ((index * 31 + place * 17) % 1_009),
  );
  return scores.sort((a, b) => sign * (a - b)).slice(0, count);
}

test("a few rows of a key among many are read along the index, and nothing else is", async () => {
  await top("key 3", 5);
  const page = await top("key 7", 5);
  expect(scoresOf(page)).toEqual(firstOf("key 7", 5, -1));
  expect(page.work.access).toEqual(["order(index)"]);
  expect(page.work.itemCount).toBe(5);
});

test("all rows of a key are sorted", async () => {
  const page = await top("key 7", ITEMS_OF_KEY);
  expect(scoresOf(page)).toEqual(firstOf("key 7", ITEMS_OF_KEY, -1));
  expect(page.work.access).toContain("sort");
});

test("a walk that meets none of them for long is given up, and the rows are right", async () => {
  const page = await top(LATE, 5);
  expect(scoresOf(page)).toEqual(firstOf(LATE, 5, -1));
  expect(page.work.access).toContain("sort");
  const ascending = await top(LATE, 5, "ASC");
  expect(scoresOf(ascending)).toEqual(firstOf(LATE, 5, 1));
  expect(ascending.work.access).toEqual(["order(index)"]);
});

test.each(keys)(
  "what %s is charged does not depend on what is remembered of places",
  async (pk) => {
    const first = await top(pk, 5);
    expect((await top(pk, 5)).charge).toBe(first.charge);
  },
);
