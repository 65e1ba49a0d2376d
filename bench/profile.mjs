/**
 * `orrery lab profile`, which reads a file twice, beside a bare `JSON.parse` of every line: the same reader, in
 * turns within one run, reported as a ratio. Beside it the memory, and what an item costs in a short
 * and in a long file, which should be the same.
 *
 * The data is made from a seed and written to a temporary file: items of about 1 KB with some thirty
 * properties, ids, categories, skewed values, times and nested objects. It is removed at the end.
 * Exits with 1 only when a profile is wrong; a ratio never fails a run.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    rounds: { type: "string", default: "3" },
  },
});
/** @typedef {import("../src/json/value.ts").JsonObject} JsonObject */
/** @typedef {import("../src/lab/profile/profile.ts").Profile} Profile */

const ITEM_COUNTS = options.smoke
  ? [2_000, 20_000]
  : options.full
    ? [100_000, 1_000_000, 10_000_000]
    : [100_000, 1_000_000];
const ROUND_COUNT = options.smoke ? 1 : Math.min(20, Number(options.rounds));
const CHUNK_BYTES = 1024 * 1024;
const TENANT_COUNT = 2_000;
const STARTED_AT = Date.UTC(2024, 0, 1);
const WORDS = "north wind and sun were disputing which was stronger when a traveller came".split(
  " ",
);

const folder = mkdtempSync(join(tmpdir(), "orrery-profile-"));
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main() {
  const { Profiler, Survey, ...reading } = await parts();
  /** @type {Record<"parse" | "profile", (file: string) => { items: number, profile?: Profile }>} */
  const contestants = {
    parse(file) {
      let items = 0;
      readFile(file, reading, () => items++);
      return { items };
    },
    profile(file) {
      /** @param {{ add(item: JsonObject, bytes: number): void }} taker */
      const readInto = (taker) => readFile(file, reading, (item, bytes) => taker.add(item, bytes));
      const survey = new Survey();
      readInto(survey);
      const profiler = new Profiler({ source: file, survey: survey.result() });
      readInto(profiler);
      const profile = profiler.result("all");
      return { items: profile.itemCount, profile };
    },
  };
  for (const itemCount of ITEM_COUNTS) {
    const file = join(folder, `${itemCount}.ndjson`);
    const bytes = writeItems(file, itemCount);
    /** @type {Record<"parse" | "profile", number[]>} */
    const micros = { parse: [], profile: [] };
    let rssMax = 0;
    let keyCount = 0;
    for (let round = 0; round < ROUND_COUNT; round++) {
      /** @type {("parse" | "profile")[]} */
      const order = round % 2 === 0 ? ["parse", "profile"] : ["profile", "parse"];
      for (const name of order) {
        const startedAt = performance.now();
        const { items, profile } = contestants[name](file);
        micros[name].push(((performance.now() - startedAt) * 1000) / itemCount);
        rssMax = Math.max(rssMax, process.memoryUsage().rss);
        if (items !== itemCount) fail(`${name} found ${items} of ${itemCount} items`);
        if (profile !== undefined) keyCount = check(profile, itemCount);
      }
    }
    rmSync(file);
    const [parse, whole] = [Math.min(...micros.parse), Math.min(...micros.profile)];
    console.log(
      `${itemCount.toLocaleString("en-US").padStart(10)} items of ${Math.round(bytes / itemCount)} B: ` +
        `parse ${parse.toFixed(2)} µs, profile of ${keyCount} keys ${whole.toFixed(2)} µs an item, ` +
        `${((100 * parse) / whole).toFixed(0)} % of the speed of parsing, ` +
        `at most ${Math.round(rssMax / 1024 / 1024)} MB`,
    );
  }
}

/**
 * Bundles the sources of the profiler as they are, and loads them.
 * @returns {Promise<typeof import("./profileParts.ts")>}
 */
async function parts() {
  const outfile = join(folder, "profiler.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("profileParts.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    outfile,
  });
  return await import(pathToFileURL(outfile).href);
}

/**
 * Reads the items of a file as the command does: records hold slices of the chunks, so each chunk
 * is a buffer of its own.
 * @param {string} file
 * @param {Pick<typeof import("./profileParts.ts"), "LineRecords" | "itemIn">} reading
 * @param {(item: JsonObject, bytes: number) => void} onItem
 */
function readFile(file, { LineRecords, itemIn }, onItem) {
  const reader = new LineRecords();
  /** @param {ReturnType<typeof reader.end>} records */
  const take = (records) => {
    for (const record of records) {
      if (record.kind === "broken") fail(`line ${record.line}: ${record.reason}`);
      else {
        const item = itemIn(record, JSON.parse);
        if (item.ok) onItem(item.value, record.bytes.length);
        else fail(`line ${record.line}: ${item.error.reason}`);
      }
    }
  };
  const handle = openSync(file, "r");
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSync(handle, chunk, 0, CHUNK_BYTES, null);
    if (read === 0) break;
    take(reader.push(chunk.subarray(0, read)));
  }
  closeSync(handle);
  take(reader.end());
}

/**
 * How many keys the profile has; fails when what is known beforehand is not in it.
 * @param {Profile} profile
 * @param {number} itemCount
 */
function check(profile, itemCount) {
  /** @type {(path: string) => number} */
  const valueCount = (path) =>
    profile.keys.find(({ paths }) => paths.length === 1 && paths[0] === path)?.distinct.value ?? 0;
  const ids = valueCount("/id");
  if (Math.abs(ids / itemCount - 1) > 0.04) fail(`${ids} ids among ${itemCount} items`);
  if (valueCount("/region") !== 5) fail("there are five regions");
  if (profile.time?.path !== "/createdAt") fail(`the time is ${profile.time?.path}`);
  for (const { paths, heaviest, tail } of profile.keys) {
    const share =
      heaviest.reduce((sum, { items }) => sum + items.value, 0) / itemCount +
      tail.reduce((sum, { itemShare }) => sum + itemShare, 0);
    if (Math.abs(share - 1) > 1e-6) fail(`the shares of ${paths} add up to ${share}`);
  }
  if (profile.keys.length < 30) fail(`only ${profile.keys.length} keys`);
  return profile.keys.length;
}

/** @param {string} text */
function fail(text) {
  console.error(`wrong: ${text}`);
  process.exitCode = 1;
}

/**
 * Writes the items and returns their bytes.
 * @param {string} file
 * @param {number} itemCount
 */
function writeItems(file, itemCount) {
  const random = randomOf(itemCount);
  const handle = openSync(file, "w");
  let [text, total] = ["", 0];
  for (let index = 0; index < itemCount; index++) {
    text += `${JSON.stringify(itemOf(index, random))}\n`;
    if (text.length < CHUNK_BYTES && index < itemCount - 1) continue;
    total += writeSync(handle, text);
    text = "";
  }
  closeSync(handle);
  return total;
}

/** @param {number} seed */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** @param {number} index @param {() => number} random */
function itemOf(index, random) {
  const one = (/** @type {string[]} */ ...values) => values[Math.floor(random() * values.length)];
  const upTo = (/** @type {number} */ count) => Math.floor(random() * count);
  const skewed = (/** @type {number} */ count) => Math.floor(Math.exp(random() * Math.log(count)));
  const hex = (/** @type {number} */ length) => {
    let text = "";
    while (text.length < length)
      text += upTo(2 ** 32)
        .toString(16)
        .padStart(8, "0");
    return text.slice(0, length);
  };
  const tenant = skewed(TENANT_COUNT);
  const at = STARTED_AT + index * 2_600 + upTo(5_000);
  return {
    id: `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    tenantId: `tenant-${tenant}`,
    userId: `user-${tenant * 1_000 + skewed(500)}`,
    deviceId: `device-${skewed(50_000)}`,
    sessionId: hex(16),
    type: one("order", "invoice", "refund"),
    status: one("new", "new", "new", "paid", "shipped", "closed"),
    category: `category-${skewed(40)}`,
    region: one("eu-west", "eu-north", "us-east", "us-west", "ap-south"),
    country: one("DE", "FR", "US", "GB", "IN", "JP", "BR"),
    city: `City ${skewed(3_000)}`,
    createdAt: new Date(at).toISOString(),
    day: new Date(at).toISOString().slice(0, 10),
    amount: upTo(100_000) / 100,
    quantity: 1 + upTo(20),
    price: upTo(10_000) / 100,
    isPaid: random() < 0.5,
    currency: one("EUR", "USD", "GBP"),
    sku: `SKU-${skewed(20_000)}`,
    warehouse: `warehouse-${upTo(50)}`,
    rating: random(),
    priority: upTo(5),
    schemaVersion: 3,
    note: Array.from({ length: 32 }, () => one(...WORDS)).join(" "),
    address: {
      street: `Street ${skewed(100_000)}`,
      zip: String(10_000 + upTo(90_000)),
      position: { lat: upTo(18e6) / 1e5 - 90, lon: upTo(36e6) / 1e5 - 180 },
    },
    customer: {
      name: `Customer ${skewed(30_000)}`,
      tier: one("gold", "silver", "bronze"),
      email: `customer.${skewed(30_000)}@example.com`,
    },
    channel: one("web", "app", "shop"),
    tags: ["a", "b", "c"].slice(0, 1 + upTo(3)),
    reference: hex(32),
    campaign: random() < 0.3 ? `campaign-${upTo(100)}` : null,
  };
}
