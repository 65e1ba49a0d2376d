/**
 * Published figures of single operations on items, and how each is tried.
 *
 * Leaf counts and sizes are those of the source, or those that fit the item it shows; where a
 * source tells neither, the note says what was taken.
 */
import { ALL_EXCLUDED, leaves, NO_INDEX, onlyIndexed } from "./stage.mjs";

/** @typedef {import("./stage.mjs").Stage} Stage */
/**
 * @typedef {object} Row
 * @property {string} what
 * @property {number} published
 * @property {string} source
 * @property {string} [note]
 * @property {boolean} [isWhole] published as a whole number: right if it rounds to that
 * @property {boolean} [isLarge] takes minutes to load
 * @property {(stage: Stage) => Promise<number>} ask what it costs here
 */

const KIB = 1024;
/** Item size in KiB, then the documented charges of a read and a write without an index. */
const BY_SIZE = [
  [1, 1, 4.95],
  [2, 1.04, 6.29],
  [4, 1.14, 6.67],
  [8, 1.33, 7.04],
  [16, 1.67, 9.52],
  [32, 2.19, 11.23],
  [64, 4.76, 22.67],
  [128, 9.95, 48.19],
  [256, 20.28, 98.29],
  [512, 40.95, 184.57],
  [1024, 145.9, 625],
  [2048, 291.8, 1250],
];

/** @returns {Row[]} */
function rowsBySize() {
  return BY_SIZE.flatMap(([kib, read, write]) => {
    const source = "docs, 2026";
    const charge = (/** @type {Stage} */ stage) => chargesOfSize(stage, kib * KIB, NO_INDEX);
    return [
      {
        what: `read, ${kib} KiB`,
        published: read,
        source,
        ask: async (s) => (await charge(s)).read,
      },
      {
        what: `write, ${kib} KiB`,
        published: write,
        source,
        ask: async (s) => (await charge(s)).write,
      },
    ];
  });
}

/**
 * @param {Stage} stage
 * @param {number} storedBytes
 * @param {object} policy
 */
async function chargesOfSize(stage, storedBytes, policy) {
  const shelf = await stage.shelf({ policy });
  const item = shelf.sized({ id: "a" }, storedBytes);
  const write = await shelf.create(item);
  return { write, read: await shelf.read(item) };
}

/** What the server adds to an item, about. */
const STAMP_BYTES = 206;

/**
 * @param {string} size
 * @param {number} bytes
 * @param {readonly [number, number]} published
 * @param {string} source
 * @returns {Row[]}
 */
function readAndWrite(size, bytes, [read, write], source) {
  const charge = (/** @type {Stage} */ stage) =>
    chargesOfSize(stage, bytes + STAMP_BYTES, NO_INDEX);
  return [
    { what: `read, ${size}`, published: read, source, ask: async (s) => (await charge(s)).read },
    { what: `write, ${size}`, published: write, source, ask: async (s) => (await charge(s)).write },
  ];
}

/**
 * A create with so many leaves.
 * @param {string} what
 * @param {number} published
 * @param {string} source
 * @param {{ leafCount: number, storedBytes: number, policy?: object, extra?: object }} shape
 * @returns {Row}
 */
function creating(what, published, source, { leafCount, storedBytes, policy, extra }) {
  return {
    what: `${what}: ${leafCount} leaves, ${(storedBytes / KIB).toFixed(1)} KiB`,
    published,
    source,
    ask: async (stage) => {
      const shelf = await stage.shelf(policy === undefined ? {} : { policy });
      // The filling is a leaf, too.
      const item = { id: "a", ...leaves(leafCount - 1), ...extra };
      return shelf.create(shelf.sized(item, storedBytes));
    },
  };
}

/** Five relatives of nineteen leaves each, besides the twenty-one of the person. */
const RELATIVES = Array.from({ length: 5 }, () => leaves(19));

/** @type {Row[]} */
const OTHERS = [
  ...readAndWrite("4 KB without system properties", 4 * KIB, [1.3, 7], "docs, 2018"),
  ...readAndWrite("64 KB without system properties", 64 * KIB, [10, 48], "docs, 2018"),
  ...readAndWrite("100 KB", 100_000, [10, 50], "docs, key-value page"),
  {
    what: "insert, 1 KB, nothing indexed",
    published: 5.5,
    source: "docs",
    ask: async (stage) => (await chargesOfSize(stage, KIB, ALL_EXCLUDED)).write,
  },
  {
    what: "bulk create of 1,000 × {id, pk}, all paths excluded, each",
    published: 5.52,
    source: "measured",
    ask: async (stage) => (await bulkOf(stage)).create,
  },
  {
    what: "bulk delete of the same, each",
    published: 5.52,
    source: "measured",
    ask: async (stage) => (await bulkOf(stage)).delete,
  },
  {
    what: "create {id, name}",
    published: 5.71,
    source: "capacity planner",
    ask: async (stage) => (await stage.shelf()).create({ id: "a", name: "a name" }),
  },
  {
    what: "update of it, one value changed",
    published: 10.67,
    source: "capacity planner",
    ask: async (stage) => {
      const shelf = await stage.shelf();
      await shelf.create({ id: "a", name: "a name" });
      return shelf.replace({ id: "a", name: "another" });
    },
  },
  {
    what: "create user {id, username}",
    published: 5.71,
    source: "docs, blogging example C1",
    ask: async (stage) => (await stage.shelf()).create({ id: "a", username: "somebody" }),
  },
  creating("create like", 7.05, "docs, blogging example C4", { leafCount: 4, storedBytes: 600 }),
  creating("create comment", 8.57, "docs, blogging example C3", {
    leafCount: 5,
    storedBytes: 1_500,
  }),
  creating("create post", 8.76, "docs, blogging example C2", { leafCount: 6, storedBytes: 1_500 }),
  creating("create food item", 15, "docs, 2018, about", { leafCount: 24, storedBytes: KIB }),
  creating("create person", 15, "labs 09, about", { leafCount: 21, storedBytes: 1_800 }),
  {
    ...creating("create person with five relatives", 48, "labs 09, about", {
      leafCount: 21,
      storedBytes: 6 * KIB,
      extra: { relatives: RELATIVES },
    }),
    what: "create person with five relatives: 116 leaves, 6.0 KiB",
  },
  creating("the same, `/relatives/*` excluded", 16, "labs 09, about", {
    leafCount: 21,
    storedBytes: 6 * KIB,
    extra: { relatives: RELATIVES },
    policy: {
      indexingMode: "consistent",
      includedPaths: [{ path: "/*" }],
      excludedPaths: [{ path: "/relatives/*" }],
    },
  }),
  {
    what: "delete view item: 6 leaves, 0.9 KiB",
    published: 7.95,
    source: "measured, Equinox: 3,946 deletes",
    ask: async (stage) => {
      const shelf = await stage.shelf();
      const item = shelf.sized({ id: "a", ...leaves(5) }, 920);
      await shelf.create(item);
      return shelf.delete(item);
    },
  },
  {
    ...creating("create with 10 index terms", 7, "docs, worked example", {
      leafCount: 4,
      storedBytes: 900,
    }),
    note: "three terms, and two for each leaf: 9 with three leaves, 11 with four as here",
  },
  {
    what: "replace with 2 changed terms",
    published: 10.8,
    source: "docs, worked example",
    ask: async (stage) => {
      const shelf = await stage.shelf();
      await shelf.create({ id: "a", ...leaves(4) });
      return shelf.replace({ id: "a", ...leaves(4), p1: "changed" });
    },
  },
  {
    what: "patch of two properties with 2 changed terms",
    published: 11.6,
    source: "docs, worked example",
    note: "one of the two is indexed",
    ask: async (stage) => {
      const shelf = await stage.shelf({ policy: onlyIndexed("/p0/?", "/p1/?", "/p2/?") });
      const item = { id: "a", ...leaves(4) };
      await shelf.create(item);
      return shelf.patch(item, [
        { op: "set", path: "/p1", value: "changed" },
        { op: "set", path: "/p3", value: "changed" },
      ]);
    },
  },
  {
    what: "read, 1 KB, Strong",
    published: 2,
    source: "DP-420 lab",
    ask: async (stage) => {
      const shelf = await stage.shelf({ level: "Strong" });
      const item = shelf.sized({ id: "a" }, KIB);
      await shelf.create(item);
      return shelf.read(item);
    },
  },
];

/** @param {Stage} stage */
async function bulkOf(stage) {
  const shelf = await stage.shelf({ key: "/pk", policy: ALL_EXCLUDED });
  let created = 0;
  let deleted = 0;
  for (let n = 0; n < 1_000; n += 100) {
    const items = Array.from({ length: 100 }, (_, at) => ({ id: `i${n + at}`, pk: `k${n + at}` }));
    created += await shelf.bulk("Create", items);
    deleted += await shelf.bulk("Delete", items);
  }
  return { create: created / 1_000, delete: deleted / 1_000 };
}

/** @type {Row[]} */
export const POINT_ROWS = [...rowsBySize(), ...OTHERS];

/** Bytes of the payload, then: read, create and delete, replace and upsert, Strong and Bounded. */
const BY_PAYLOAD = [
  [1_000, 1, 7, 13, 2],
  [5_000, 1, 8, 14, 3],
  [10_000, 2, 10, 19, 3],
  [50_000, 5, 24, 46, 10],
  [100_000, 10, 49, 97, 20],
  [200_000, 20, 99, undefined, 41],
  [400_000, 41, 186, 370, 82],
];

/** @type {Row[]} */
export const PAYLOAD_ROWS = BY_PAYLOAD.flatMap(([bytes, read, create, replace, strong]) => {
  const source = "CosmosSQLCalipers, 2020";
  const size = `${Number(bytes).toLocaleString("en-US")} bytes`;
  const item = { id: "a", payloadId: "a", payload: "x".repeat(Number(bytes)) };
  const policy = onlyIndexed("/payloadId/?");
  /** @type {(what: string, published: number | undefined, ask: (shelf: import("./stage.mjs").Shelf) => Promise<number>, level?: import("./stage.mjs").Level) => Row[]} */
  const row = (what, published, ask, level = "Session") => {
    if (published === undefined) return [];
    const askStage = async (/** @type {Stage} */ stage) => {
      const shelf = await stage.shelf({ key: "/payloadId", policy, level });
      const created = await shelf.create(item);
      return what === "create" ? created : ask(shelf);
    };
    return [{ what: `${what}, ${size}`, published, isWhole: true, source, ask: askStage }];
  };
  return [
    ...row("read", read, (shelf) => shelf.read(item)),
    ...row("create", create, async () => 0),
    ...row("delete", create, (shelf) => shelf.delete(item)),
    ...row("replace", replace, (shelf) => shelf.replace(item)),
    ...row("upsert", replace, (shelf) => shelf.upsert(item)),
    ...row("read, Strong", strong, (shelf) => shelf.read(item), "Strong"),
    ...row("read, Bounded", strong, (shelf) => shelf.read(item), "BoundedStaleness"),
  ];
});
