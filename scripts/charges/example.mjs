/**
 * The example that docs/use/charges.md works out. It is tried before it is printed: a text that is
 * not what the server says is not written.
 */

/** @typedef {import("./stage.mjs").Stage} Stage */
/** @typedef {{ what: string, ru: number }} Piece */
/** @typedef {{ query: string, pieces: Piece[], charge: number, fanOutCharge: number, partitionCount: number }} Example */

const ROW_COUNT = 220;
const QUERY = "SELECT * FROM c WHERE c.city = 'Oslo' AND c.kind IN ('cafe', 'bar')";
const PARTITION_COUNT = 4;

/** @type {Piece[]} */
const PIECES = [
  { what: "opening the one physical partition", ru: 2.24 },
  { what: "the first lookup, `city = 'Oslo'`", ru: 0.55 },
  { what: "two further lookups, the values of IN: 2 × 0.10", ru: 0.2 },
  { what: `items found through the index: ${ROW_COUNT} × 0.0135`, ru: ROW_COUNT * 0.0135 },
  { what: `items loaded: ${ROW_COUNT} × 0.011`, ru: ROW_COUNT * 0.011 },
  { what: `KiB loaded: ${ROW_COUNT} × 0.0062`, ru: ROW_COUNT * 0.0062 },
  { what: `KiB of output: ${ROW_COUNT} × 0.0119`, ru: ROW_COUNT * 0.0119 },
];

/**
 * @param {Stage} stage
 * @returns {Promise<Example>}
 */
export async function askExample(stage) {
  const charge = await chargeOf(stage, 400);
  const sum = PIECES.reduce((total, { ru }) => total + ru, 0);
  if (Math.abs(sum - charge) > 0.005) {
    throw new Error(`the example comes to ${sum}, and the server says ${charge}`);
  }
  const fanOutCharge = await chargeOf(stage, PARTITION_COUNT * 10_000);
  return { query: QUERY, pieces: PIECES, charge, fanOutCharge, partitionCount: PARTITION_COUNT };
}

/**
 * @param {Stage} stage
 * @param {number} throughput
 */
async function chargeOf(stage, throughput) {
  const shelf = await stage.shelf({ key: "/owner", throughput });
  await shelf.load(2 * ROW_COUNT, (n) => {
    const [city, kind] = [n % 2 === 0 ? "Oslo" : "Rome", n % 4 < 2 ? "cafe" : "bar"];
    return shelf.sized({ id: `i${n}`, owner: `o${n % 50}`, city, kind }, 1_024);
  });
  return shelf.page(QUERY, ROW_COUNT, 1_000);
}
