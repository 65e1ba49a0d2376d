/**
 * What the benchmark `growth` asks: of items spread over many keys, and of a container whose items
 * all have one key, where whatever is gathered for each page shows.
 */
import { itemTextOf, PARTITION_KEY_COUNT, partitionKeyOf } from "./items.mjs";
import { CREATED_CONTAINER, itemsPathOf, LOADED_CONTAINER, loadedIdOf } from "./requests.mjs";

/**
 * @typedef {object} Shape
 * @property {string} name
 * @property {number} count requests in one turn
 * @property {number} [status] 200 where it is absent
 * @property {(index: number, itemCount: number) => Asked} ask
 * @property {number | ((itemCount: number) => number)} [rows] of one answer, which is checked once
 * @property {number} [skipsPages] asks with the continuation that follows so many pages
 */
/** @typedef {{ verb: string, path: string, headers?: Record<string, string>, body?: string }} Asked */

export const POINT_READ = "point read";
const loaded = itemsPathOf(LOADED_CONTAINER);
const itemAt = (/** @type {number} */ index) => JSON.parse(itemTextOf(loadedIdOf(index), index, 0));
const pageOf100 = { "x-ms-max-item-count": "100" };
/** Ids that no run before has created, when items of it are taken again. */
const createdRun = Date.now().toString(36);
let createdCount = 0;

/** @type {(text: string, parameters: Record<string, unknown>, key?: string, more?: Record<string, string>) => Asked} */
function query(text, parameters, key, more = {}) {
  const list = Object.entries(parameters).map(([name, value]) => ({ name: `@${name}`, value }));
  return {
    verb: "POST",
    path: loaded,
    headers: {
      "content-type": "application/query+json",
      "x-ms-documentdb-isquery": "true",
      ...(key === undefined
        ? { "x-ms-documentdb-query-enablecrosspartition": "true", "x-orrery-merge-query": "true" }
        : { "x-ms-documentdb-partitionkey": JSON.stringify([key]) }),
      ...more,
    },
    body: JSON.stringify({ query: text, parameters: list }),
  };
}

/** @type {(text: string, index: number, more?: Record<string, string>) => Asked} */
function inKey(text, index, more) {
  const pk = partitionKeyOf(index);
  return query(text, { pk }, pk, more);
}

const itemsOfKey = (/** @type {number} */ itemCount) => Math.floor(itemCount / PARTITION_KEY_COUNT);

/** Items of 1 KB over 100 keys. @type {readonly Shape[]} */
export const SPREAD_SHAPES = [
  {
    name: POINT_READ,
    count: 4000,
    ask: (index) => ({
      verb: "GET",
      path: `${loaded}/${loadedIdOf(index)}`,
      headers: { "x-ms-documentdb-partitionkey": JSON.stringify([partitionKeyOf(index)]) },
    }),
  },
  {
    name: "equality, no key",
    count: 800,
    rows: 1,
    ask: (index) => query("SELECT * FROM c WHERE c.sku = @s", { s: itemAt(index).sku }),
  },
  {
    name: "equality, key in header",
    count: 800,
    rows: 1,
    ask: (index) =>
      query("SELECT * FROM c WHERE c.sku = @s", { s: itemAt(index).sku }, partitionKeyOf(index)),
  },
  {
    name: "equality, key in header and filter",
    count: 800,
    rows: 1,
    ask: (index) =>
      query(
        "SELECT * FROM c WHERE c.pk = @pk AND c.sku = @s",
        { pk: partitionKeyOf(index), s: itemAt(index).sku },
        partitionKeyOf(index),
      ),
  },
  {
    name: "TOP 10 ORDER BY in a key",
    count: 800,
    rows: 10,
    ask: (index) => inKey("SELECT TOP 10 * FROM c WHERE c.pk = @pk ORDER BY c.price DESC", index),
  },
  {
    name: "COUNT in a key",
    count: 800,
    rows: 1,
    ask: (index) => inKey("SELECT VALUE COUNT(1) FROM c WHERE c.pk = @pk", index),
  },
  {
    name: "first 100 items of a key",
    count: 200,
    rows: (itemCount) => Math.min(100, itemsOfKey(itemCount)),
    ask: (index) => inKey("SELECT * FROM c WHERE c.pk = @pk", index, pageOf100),
  },
  {
    name: "DISTINCT in a key",
    count: 20,
    ask: (index) => inKey("SELECT DISTINCT VALUE c.isActive FROM c WHERE c.pk = @pk", index),
  },
  {
    name: "GROUP BY in a key",
    count: 20,
    ask: (index) =>
      inKey("SELECT c.isActive, COUNT(1) AS n FROM c WHERE c.pk = @pk GROUP BY c.isActive", index),
  },
  {
    name: "TOP 10 ORDER BY",
    count: 400,
    rows: 10,
    ask: () => query("SELECT TOP 10 * FROM c ORDER BY c.price DESC", {}),
  },
  {
    name: "COUNT",
    count: 800,
    rows: 1,
    ask: () => query("SELECT VALUE COUNT(1) FROM c", {}),
  },
  {
    name: "feed page of 100",
    count: 100,
    ask: () => ({
      verb: "GET",
      path: loaded,
      headers: { "a-im": "Incremental feed", "x-ms-max-item-count": "100" },
    }),
  },
  {
    name: "create",
    count: 1500,
    status: 201,
    ask: () => {
      const index = createdCount++;
      return {
        verb: "POST",
        path: itemsPathOf(CREATED_CONTAINER),
        headers: { "x-ms-documentdb-partitionkey": JSON.stringify([partitionKeyOf(index)]) },
        body: itemTextOf(`created-${createdRun}-${index}`, index, 0),
      };
    },
  },
];

export const ONE_KEY = "one";
/** How many values `kind` has; it divides no count that is asked for. */
const KIND_COUNT = 97;
const CREW = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove"];
const FILL = "a row of words that makes the item as long as it should be ".repeat(3);

/** An item of 300 bytes in the one logical partition. @type {(index: number) => string} */
export function smallItemTextOf(index) {
  const item = {
    id: loadedIdOf(index),
    pk: ONE_KEY,
    seq: index,
    // Coprime with every count of items, so that each score is there once.
    score: (index * 7919) % 1_000_003,
    kind: `kind-${index % KIND_COUNT}`,
    name: `${CREW[index % CREW.length]}-${index}`,
  };
  const length = JSON.stringify({ ...item, text: "" }).length;
  return JSON.stringify({ ...item, text: FILL.slice(0, 300 - length) });
}

/** @type {(text: string, parameters?: Record<string, unknown>, more?: Record<string, string>) => Asked} */
function inOne(text, parameters = {}, more = {}) {
  return query(text, { pk: ONE_KEY, ...parameters }, ONE_KEY, more);
}

/** Items of 300 bytes in one logical partition. @type {readonly Shape[]} */
export const ONE_KEY_SHAPES = [
  {
    name: POINT_READ,
    count: 4000,
    ask: (index) => ({
      verb: "GET",
      path: `${loaded}/${loadedIdOf(index)}`,
      headers: { "x-ms-documentdb-partitionkey": JSON.stringify([ONE_KEY]) },
    }),
  },
  {
    name: "page of 100, key in header",
    count: 200,
    rows: 100,
    ask: () => query("SELECT * FROM c", {}, ONE_KEY, pageOf100),
  },
  {
    name: "page of 100, key in filter too",
    count: 200,
    rows: 100,
    ask: () => inOne("SELECT * FROM c WHERE c.pk = @pk", {}, pageOf100),
  },
  {
    name: "the same, 20 pages on",
    count: 200,
    rows: (itemCount) => Math.min(100, itemCount - 2000),
    skipsPages: 20,
    ask: () => inOne("SELECT * FROM c WHERE c.pk = @pk", {}, pageOf100),
  },
  {
    name: "equality",
    count: 800,
    rows: 1,
    ask: (index) => inOne("SELECT * FROM c WHERE c.pk = @pk AND c.seq = @s", { s: index }),
  },
  {
    name: "range of 20, ordered by another property",
    count: 200,
    rows: 20,
    ask: (index, itemCount) => {
      const from = Math.min(index, itemCount - 20);
      return inOne(
        "SELECT * FROM c WHERE c.pk = @pk AND c.seq >= @a AND c.seq < @b ORDER BY c.score",
        { a: from, b: from + 20 },
      );
    },
  },
  {
    name: "TOP 10 ORDER BY, half of the items",
    count: 200,
    rows: 10,
    ask: (_, itemCount) =>
      inOne("SELECT TOP 10 * FROM c WHERE c.pk = @pk AND c.seq >= @a ORDER BY c.score DESC", {
        a: itemCount >> 1,
      }),
  },
  {
    name: "TOP 10 ORDER BY",
    count: 400,
    rows: 10,
    ask: () => inOne("SELECT TOP 10 * FROM c WHERE c.pk = @pk ORDER BY c.score DESC"),
  },
  {
    name: "COUNT",
    count: 800,
    rows: 1,
    ask: () => inOne("SELECT VALUE COUNT(1) FROM c WHERE c.pk = @pk"),
  },
  {
    name: "COUNT with a filter",
    count: 200,
    rows: 1,
    ask: (index) =>
      inOne("SELECT VALUE COUNT(1) FROM c WHERE c.pk = @pk AND c.kind = @k", {
        k: `kind-${index % KIND_COUNT}`,
      }),
  },
  {
    name: "page of 100 with a filter",
    count: 100,
    rows: (itemCount) => Math.min(100, Math.ceil(itemCount / KIND_COUNT)),
    ask: (index) =>
      inOne(
        "SELECT * FROM c WHERE c.pk = @pk AND c.kind = @k",
        { k: `kind-${index % KIND_COUNT}` },
        pageOf100,
      ),
  },
  {
    name: "page of 100 with a wide filter",
    count: 100,
    rows: 100,
    ask: (index, itemCount) =>
      inOne(
        "SELECT * FROM c WHERE c.pk = @pk AND c.seq >= @a",
        { a: Math.min(index, itemCount >> 1) },
        pageOf100,
      ),
  },
  {
    name: "IN of 3",
    count: 400,
    rows: 3,
    ask: (index, itemCount) =>
      inOne("SELECT * FROM c WHERE c.pk = @pk AND c.seq IN (@a, @b, @c)", {
        a: index,
        b: (index + 100) % itemCount,
        c: (index + 300) % itemCount,
      }),
  },
  {
    name: "STARTSWITH",
    count: 100,
    rows: (itemCount) => Math.min(100, Math.ceil(itemCount / CREW.length)),
    ask: (index) =>
      inOne(
        "SELECT * FROM c WHERE c.pk = @pk AND STARTSWITH(c.name, @p)",
        { p: CREW[index % CREW.length] },
        pageOf100,
      ),
  },
  {
    name: "OFFSET 1000 LIMIT 10",
    count: 50,
    rows: 10,
    ask: () => inOne("SELECT * FROM c WHERE c.pk = @pk OFFSET 1000 LIMIT 10"),
  },
];
