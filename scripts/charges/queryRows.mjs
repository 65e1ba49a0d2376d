/**
 * Published figures of queries, and how each is tried. Containers that several figures are about
 * are filled once.
 */
import { leaves, onlyIndexed, sumOf } from "./stage.mjs";

/** @typedef {import("./stage.mjs").Stage} Stage */
/** @typedef {import("./stage.mjs").Shelf} Shelf */
/** @typedef {import("./stage.mjs").Item} Item */
/** @typedef {import("./pointRows.mjs").Row} Row */

const KIB = 1024;
const MIB = KIB * KIB;
const progress = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);

/**
 * Fills a container when the first figure needs it.
 * @param {(stage: Stage) => Promise<Shelf>} fill
 * @returns {(stage: Stage) => Promise<Shelf>}
 */
function once(fill) {
  /** @type {WeakMap<Stage, Promise<Shelf>>} */
  const filled = new WeakMap();
  return (stage) => {
    const shelf = filled.get(stage) ?? fill(stage);
    filled.set(stage, shelf);
    return shelf;
  };
}

/** Seven items of a quarter KiB under four keys. */
const families = once(async (stage) => {
  const shelf = await stage.shelf({ key: "/k" });
  const keys = ["pa", "pb", "pb", "pb", "q", "q", "r"];
  for (const [n, k] of keys.entries()) await shelf.create(shelf.sized({ id: `${n}`, k }, 256));
  return shelf;
});

/** @type {(what: string, published: number, text: string, rowCount: number) => Row} */
const ofFamilies = (what, published, text, rowCount) => ({
  what,
  published,
  source: "StackOverflow 65526025",
  ask: async (stage) => (await families(stage)).page(text, rowCount),
});

/** Products of 0.6 KiB. */
const products = once(async (stage) => {
  const shelf = await stage.shelf({ key: "/categoryId" });
  await shelf.load(60, (n) =>
    shelf.sized({ id: `i${n}`, categoryId: `c${n % 20}`, name: `n${n}`, price: n }, 614),
  );
  return shelf;
});

/** @type {(what: string, published: number, where: string, rowCount: number) => Row} */
const ofProducts = (what, published, where, rowCount) => ({
  what,
  published,
  source: "DP-420 labs 16, 17",
  note: "items of 0.6 KiB",
  ask: async (stage) => (await products(stage)).page(`SELECT * FROM c WHERE ${where}`, rowCount),
});

/** @type {(count: number, mib: number, published: number) => Row} */
function unfiltered(count, mib, published) {
  return {
    what: `unfiltered page, ${count} items, ${mib.toFixed(1)} MiB`,
    published,
    source: "Equinox, 2024",
    ask: async (stage) => {
      const shelf = await stage.shelf({ policy: onlyIndexed("/p/?") });
      const bytes = Math.floor((mib * MIB) / count);
      await shelf.load(count, (n) => shelf.sized({ id: `i${n}` }, bytes));
      return shelf.page("SELECT * FROM c", count);
    },
  };
}

/** @type {Row} */
const WHOLE_CONTAINER = {
  what: "whole container, 206,356 items, 290.4 MiB, 73 pages",
  published: 7886.75,
  source: "Equinox, 2024",
  isLarge: true,
  ask: async (stage) => {
    const count = 206_356;
    const shelf = await stage.shelf({ isLarge: true, policy: onlyIndexed("/p/?") });
    const bytes = Math.floor((290.4 * MIB) / count);
    await shelf.load(count, (n) => shelf.sized({ id: `i${n}` }, bytes), loading(count));
    const pages = await shelf.pages("SELECT * FROM c", count);
    progress(`  ${pages.length} pages`);
    await shelf.remove();
    return sumOf(pages);
  },
};

/** @param {number} count */
function loading(count) {
  return (/** @type {number} */ done) => {
    if (done % 20_000 === 0) progress(`  ${done} of ${count} items`);
  };
}

/** @type {(count: number, published: number, what?: string) => Row} */
function prefixed(count, published, what = "page") {
  return {
    what: `LIKE 'prefix%', ${what} of ${count} items, 4.0 MiB`,
    published,
    source: "Equinox, 2024",
    ask: async (stage) => {
      const shelf = await stage.shelf({ policy: onlyIndexed("/p/?") });
      const bytes = Math.floor((4 * MIB) / count);
      await shelf.load(count, (n) => shelf.sized({ id: `i${n}`, p: `stream-${n}` }, bytes));
      return shelf.page("SELECT * FROM c WHERE c.p LIKE 'stream-%'", count);
    },
  };
}

/** @type {(count: number, mib: number, outMib: number, published: number) => Row} */
function projected(count, mib, outMib, published) {
  return {
    what: `LIKE, 2 × ARRAY_LENGTH, ${count} items, ${mib} MiB, ${outMib} MiB of output`,
    published,
    source: "Equinox, 2024",
    ask: async (stage) => {
      const shelf = await stage.shelf({ policy: onlyIndexed("/p/?") });
      const rowBytes = Math.round((outMib * MIB) / count);
      // {"id":"…","a":2,"b":3}
      const idOf = (/** @type {number} */ n) => `${n}`.padStart(rowBytes - 21, "0");
      const arrays = { e: [1, 2], u: [1, 2, 3] };
      const bytes = Math.floor((mib * MIB) / count);
      await shelf.load(count, (n) => shelf.sized({ id: idOf(n), p: `s-${n}`, ...arrays }, bytes));
      const lengths = "ARRAY_LENGTH(c.e) AS a, ARRAY_LENGTH(c.u) AS b";
      return shelf.page(`SELECT c.id, ${lengths} FROM c WHERE c.p LIKE 's-%'`, count);
    },
  };
}

/** Under five keys each: five of 1.7 KiB, five hundred and five thousand of 0.3 KiB. */
const devices = once(async (stage) => {
  const shelf = await stage.shelf({ key: "/d" });
  const under =
    (/** @type {string} */ group, /** @type {number} */ bytes) => (/** @type {number} */ n) =>
      shelf.sized({ id: `${group}${n}`, d: `${group}${n % 5}` }, bytes);
  await shelf.load(5, under("a", 1.7 * KIB));
  await shelf.load(500, under("b", 0.3 * KIB));
  await shelf.load(5_000, under("c", 0.3 * KIB));
  return shelf;
});

/** @type {(what: string, published: number, group: string, count: number, max: number) => Row} */
const ofDevices = (what, published, group, count, max) => ({
  what,
  published,
  source: "IoT benchmark",
  ask: async (stage) => {
    const keys = [0, 1, 2, 3, 4].map((n) => `'${group}${n}'`).join(", ");
    const text = `SELECT * FROM c WHERE c.d IN (${keys})`;
    return sumOf(await (await devices(stage)).pages(text, count, max));
  },
});

/** @type {(bytes: number, published: number) => Row} */
const ofPayload = (bytes, published) => ({
  what: `key equality, 1 item with ${bytes.toLocaleString("en-US")} bytes of payload`,
  published,
  source: "CosmosSQLCalipers, 2020",
  note: "published as an interval; this is its centre",
  ask: async (stage) => {
    const shelf = await stage.shelf({ key: "/payloadId", policy: onlyIndexed("/payloadId/?") });
    await shelf.create({ id: "a", payloadId: "a", payload: "x".repeat(bytes) });
    return shelf.page("SELECT * FROM c WHERE c.payloadId = 'a'", 1);
  },
});

const FOOD_COUNT = 8_618;
/** 8,618 items of 5.85 KiB; 47 of them are of one group. */
const foods = once(async (stage) => {
  const compositeIndexes = [[{ path: "/group" }, { path: "/rank" }]];
  const paths = ["/code/?", "/group/?", "/name/?", "/rank/?"];
  const policy = { ...onlyIndexed(...paths), compositeIndexes };
  const shelf = await stage.shelf({ policy });
  const groupOf = (/** @type {number} */ n) => (n % 183 === 0 && n > 0 ? "few" : `g${n % 40}`);
  await shelf.load(FOOD_COUNT, (n) => {
    const names = { code: `c${n}`, plain: `c${n}`, group: groupOf(n) };
    return shelf.sized({ id: `i${n}`, ...names, name: `n${n}`, rank: n }, 5.85 * KIB);
  });
  return shelf;
});

/** @type {(what: string, published: number, text: string, rowCount: number, note?: string) => Row} */
const ofFoods = (what, published, text, rowCount, note) => ({
  what,
  published,
  source: "measured, 2019 and 2020",
  ...(note && { note }),
  ask: async (stage) => (await foods(stage)).page(text, rowCount),
});

/** @type {Row} */
const UPPER = {
  what: "`UPPER(c.description) = …`, 60,951 items, 400 MB, 7 rows",
  published: 4059.95,
  source: "measured, 2019",
  isLarge: true,
  ask: async (stage) => {
    const count = 60_951;
    const shelf = await stage.shelf({ isLarge: true, policy: onlyIndexed("/description/?") });
    const textOf = (/** @type {number} */ n) => (n % 8_700 === 0 && n > 0 ? "Rare" : `text ${n}`);
    const itemOf = (/** @type {number} */ n) =>
      shelf.sized({ id: `i${n}`, description: textOf(n) }, 6_563);
    await shelf.load(count, itemOf, loading(count));
    const pages = await shelf.pages("SELECT * FROM c WHERE UPPER(c.description) = 'RARE'", 7);
    await shelf.remove();
    return sumOf(pages);
  },
};

/** @type {Row[]} */
export const QUERY_ROWS = [
  ofFamilies("`SELECT *`, 7 items of 0.25 KiB", 2.35, "SELECT * FROM c", 7),
  ofFamilies("equality on the key, 1 item", 2.83, "SELECT * FROM c WHERE c.k = 'pa'", 1),
  ofFamilies("equality on the key, 2 items", 2.86, "SELECT * FROM c WHERE c.k = 'q'", 2),
  ofFamilies("equality on the key, 3 items", 2.89, "SELECT * FROM c WHERE c.k = 'pb'", 3),
  ofFamilies(
    "STARTSWITH on the key, 4 items",
    2.92,
    "SELECT * FROM c WHERE STARTSWITH(c.k, 'p')",
    4,
  ),
  ofFamilies(
    "`a OR b` on the key, 3 items",
    2.99,
    "SELECT * FROM c WHERE c.k = 'pa' OR c.k = 'q'",
    3,
  ),
  ofFamilies(
    "`a OR b` on the key, 4 items",
    3.02,
    "SELECT * FROM c WHERE c.k = 'pa' OR c.k = 'pb'",
    4,
  ),
  ofProducts("id equality, 1 item", 2.83, "c.id = 'i7'", 1),
  ofProducts("categoryId equality, 3 items", 2.89, "c.categoryId = 'c3'", 3),
  ofProducts("two predicates, 1 item", 2.92, "c.categoryId = 'c3' AND c.name = 'n23'", 1),
  ofProducts(
    "predicate and IN(2), 2 items",
    3.06,
    "c.categoryId = 'c3' AND c.name IN ('n3', 'n23')",
    2,
  ),
  ofProducts(
    "predicate and IN(3), 3 items",
    3.2,
    "c.categoryId = 'c3' AND c.name IN ('n3', 'n23', 'n43')",
    3,
  ),
  ofProducts("filter on the index, no item", 2.8, "c.name = 'none'", 0),
  unfiltered(2972, 4, 108.9),
  unfiltered(3211, 4, 112.29),
  unfiltered(3003, 4, 110.33),
  unfiltered(2768, 4, 107.46),
  unfiltered(2903, 4, 107.53),
  unfiltered(2638, 3.4, 93.09),
  WHOLE_CONTAINER,
  prefixed(4955, 200.2),
  prefixed(4715, 201.26),
  prefixed(4884, 198.97),
  prefixed(4620, 194.76),
  { ...prefixed(4787, 218.54, "first page"), note: "it enumerates a range of unknown length" },
  projected(9999, 8.21, 0.76, 415.07),
  {
    ...projected(9999, 8.48, 0.76, 404.7),
    note: "the output is not stated; that of the row above",
  },
  projected(7501, 6.01, 0.57, 299.6),
  ofDevices("IN(5), 500 items of 0.3 KiB", 16.57, "b", 500, 1_000),
  ofDevices("IN(5), 5,000 items of 0.3 KiB, 4 pages", 146.94, "c", 5_000, 1_250),
  ofDevices("IN(5), 5 items of 1.7 KiB", 3.43, "a", 5, 1_000),
  ofPayload(50_000, 3.6),
  ofPayload(100_000, 4.6),
  ofPayload(200_000, 6),
  ofPayload(400_000, 9.6),
  ofFoods(
    "equality on a path that is not indexed: 8,618 items of 5.85 KiB, 1 row",
    409.51,
    "SELECT * FROM c WHERE c.plain = 'c99'",
    1,
  ),
  ofFoods("the same, indexed", 2.98, "SELECT * FROM c WHERE c.code = 'c99'", 1),
  {
    what: "equality, 1 item of 9,963 bytes",
    published: 3.19,
    source: "docs, sample metrics",
    ask: async (stage) => {
      const shelf = await stage.shelf();
      await shelf.create(shelf.sized({ id: "a", p: 1 }, 9_963));
      return shelf.page("SELECT * FROM c WHERE c.p = 1", 1);
    },
  },
  UPPER,
];

/** People of about 2 KiB and 21 leaves, as in the labs. */
const people = once(async (stage) => {
  const shelf = await stage.shelf();
  await shelf.load(300, (n) =>
    shelf.sized({ id: `i${n}`, ...leaves(18), age: n, sex: n % 2 }, 1_800),
  );
  return shelf;
});

/** @type {(what: string, published: number, source: string, text: string, count?: number) => Row} */
const ofPeople = (what, published, source, text, count = 100) => ({
  what,
  published,
  source,
  note: "people of 1.8 KiB",
  ask: async (stage) =>
    (await (await people(stage)).pages(text, count === 100 ? 300 : count, 100))[0],
});

/** Figures that no formula meets: of older engines, or without sizes. */
/** @type {Row[]} */
export const OLD_ROWS = [
  {
    what: "create, 1 KB, fewer than 5 properties",
    published: 5,
    source: "serverless guide",
    note: "a floor; four leaves here",
    ask: async (stage) => {
      const shelf = await stage.shelf();
      return shelf.create(shelf.sized({ id: "a", ...leaves(3) }, 900));
    },
  },
  ofFoods(
    "filter, ORDER BY another property",
    44.28,
    "SELECT * FROM c WHERE c.group = 'few' ORDER BY c.name",
    47,
    "47 of 8,618 items",
  ),
  ofFoods(
    "the same with a composite index",
    8.86,
    "SELECT * FROM c WHERE c.group = 'few' ORDER BY c.group, c.rank",
    47,
    "47 of 8,618 items",
  ),
  ofFoods("DISTINCT", 32.39, "SELECT DISTINCT VALUE c.group FROM c", 41, "8,618 items"),
  {
    ...ofFoods(
      "DISTINCT with ORDER BY",
      3.38,
      "SELECT DISTINCT VALUE c.group FROM c ORDER BY c.group",
      41,
    ),
    note: "reads the items here, as the index is not asked for distinct values in an order",
  },
  ofPeople("query by id", 2.5, "docs, 2018", "SELECT * FROM c WHERE c.id = 'i5'", 1),
  ofPeople("query, 7 items", 7, "docs, 2018", "SELECT * FROM c WHERE c.age < 7", 7),
  ofPeople("top 10", 10, "docs, 2018", "SELECT TOP 10 * FROM c", 10),
  ofPeople("100 items in order", 70, "docs, 2018", "SELECT * FROM c ORDER BY c.age"),
  ofPeople("first 100, ORDER BY", 16, "labs 09, 2019", "SELECT * FROM c ORDER BY c.age"),
  ofPeople("first 100, filter", 13, "labs 09, 2019", "SELECT * FROM c WHERE c.age >= 0"),
  ofPeople("first 100, `SELECT *`", 10, "labs 09, 2019", "SELECT * FROM c"),
  ofPeople("first 100, `SELECT c.id`", 9, "labs 09, 2019", "SELECT c.id FROM c"),
  {
    what: "1,000 items of 1 KB",
    published: 1000,
    source: "docs, performance tips",
    note: "one charge for each item: long out of date",
    ask: async (stage) => {
      const shelf = await stage.shelf();
      await shelf.load(1_000, (n) => shelf.sized({ id: `i${n}` }, KIB));
      return shelf.page("SELECT * FROM c", 1_000);
    },
  },
];
