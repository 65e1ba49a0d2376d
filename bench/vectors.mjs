/**
 * Search by vectors, three ways beside each other on one server and the same items: looking at every
 * item, comparing all vectors of a table, and comparing those that sketches say are likely. Reported
 * as ratios, with the recall of the last.
 *
 * One container with a diskANN index serves all three: brute force is exact, and under another data
 * type than that of the index items have to be read. It talks to loopback only, ends by itself and
 * removes its files; it exits with 1 when an exact answer was wrong or the recall is too low.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CONTESTANTS, start } from "./contestants.mjs";
import { authorizationOf } from "./signing.mjs";

const { values: options } = parseArgs({
  options: {
    items: { type: "string", default: "20000" },
    dimensions: { type: "string", default: "384" },
    rounds: { type: "string", default: "20" },
    smoke: { type: "boolean", default: false },
  },
});
const ITEM_COUNT = options.smoke ? 300 : Math.min(200_000, Number(options.items));
const DIMENSIONS = options.smoke ? 16 : Math.min(4096, Number(options.dimensions));
const ROUND_COUNT = options.smoke ? 2 : Math.min(200, Number(options.rounds));
const CENTRE_COUNT = Math.ceil(ITEM_COUNT / 100);
const TOP = 10;
const RECALL_MIN = 0.95;
const WRITERS = 32;

const DATABASE_PATH = "/dbs/vectors";
const CONTAINER_PATH = `${DATABASE_PATH}/colls/items`;
const ITEMS_PATH = `${CONTAINER_PATH}/docs`;

/** What is asked, by how it is served. */
const WAYS = {
  scan: "true, {dataType: 'float16'}",
  table: "true",
  sketches: "false",
};
/** @typedef {keyof typeof WAYS} Way */

let state = 42;
/** From 0 to below 1; the same in every run. */
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}
const normal = () => random() + random() + random() + random() - 2;
const centres = Array.from({ length: CENTRE_COUNT }, () =>
  Array.from({ length: DIMENSIONS }, normal),
);
/** Around one of the centres, in five digits as models write them. */
function vector() {
  const centre = /** @type {number[]} */ (centres[Math.floor(random() * CENTRE_COUNT)]);
  return centre.map((element) => Number((element + 0.6 * normal()).toFixed(5)));
}

const folder = mkdtempSync(join(tmpdir(), "orrery-vectors-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const server = await start(CONTESTANTS.orrery, folder);
const keyBytes = Buffer.from(server.key, "base64");
/** @type {number[][]} */
const vectors = [];
try {
  await load();
  const { times, recall, wrongCount } = await measure();
  report(times, recall, wrongCount);
  if (wrongCount > 0 || recall < RECALL_MIN) process.exitCode = 1;
} finally {
  await server.stop();
}

async function load() {
  await send("POST", "/dbs", { id: "vectors" });
  await send("POST", `${DATABASE_PATH}/colls`, {
    id: "items",
    partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 },
    vectorEmbeddingPolicy: {
      vectorEmbeddings: [
        { path: "/v", dataType: "float32", dimensions: DIMENSIONS, distanceFunction: "cosine" },
      ],
    },
    indexingPolicy: {
      excludedPaths: [{ path: "/v/*" }],
      vectorIndexes: [{ path: "/v", type: "diskANN" }],
    },
  });
  print(`loading ${ITEM_COUNT} items of ${DIMENSIONS} dimensions …`);
  for (let at = 0; at < ITEM_COUNT; at += 1) vectors.push(vector());
  let next = 0;
  const writer = async () => {
    for (let at = next++; at < ITEM_COUNT; at = next++) {
      const item = { id: `${at}`, pk: `k${at % 97}`, v: vectors[at] };
      await send("POST", ITEMS_PATH, item, {
        "x-ms-documentdb-partitionkey": JSON.stringify([item.pk]),
      });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

async function measure() {
  /** @type {Record<Way, number[]>} */
  const times = { scan: [], table: [], sketches: [] };
  let wrongCount = 0;
  let foundCount = 0;
  for (let round = 0; round <= ROUND_COUNT; round += 1) {
    const query = vector();
    const expected = nearestTo(query);
    for (const way of /** @type {Way[]} */ (Object.keys(WAYS))) {
      // Reading every item takes so long that a few rounds say enough.
      if (way === "scan" && round > 3) continue;
      const startedAt = performance.now();
      const found = await search(query, way);
      const elapsed = performance.now() - startedAt;
      // The first round makes the table, and warms up code.
      if (round === 0) continue;
      times[way].push(elapsed);
      if (way === "table" && found.join() !== expected.join()) wrongCount += 1;
      if (way === "sketches") foundCount += found.filter((id) => expected.includes(id)).length;
    }
  }
  return { times, recall: foundCount / (ROUND_COUNT * TOP), wrongCount };
}

/**
 * @param {number[]} query
 * @param {Way} way
 * @returns {Promise<string[]>}
 */
async function search(query, way) {
  const distance = `VectorDistance(c.v, @q, ${WAYS[way]})`;
  const text = `SELECT TOP ${TOP} VALUE c.id FROM c ORDER BY ${distance}`;
  const body = { query: text, parameters: [{ name: "@q", value: query }] };
  const answer = await send("POST", ITEMS_PATH, body, {
    "content-type": "application/query+json",
    "x-ms-documentdb-isquery": "true",
    "x-ms-documentdb-query-enablecrosspartition": "true",
    "x-orrery-merge-query": "true",
  });
  return JSON.parse(answer).Documents;
}

/**
 * By the definition of cosine over float32.
 * @param {number[]} query
 */
function nearestTo(query) {
  const asked = Float32Array.from(query);
  const scores = vectors.map((each, at) => {
    let product = 0;
    let squares = 0;
    for (let index = 0; index < asked.length; index += 1) {
      const element = Math.fround(/** @type {number} */ (each[index]));
      product += element * /** @type {number} */ (asked[index]);
      squares += element * element;
    }
    return { id: `${at}`, score: product / Math.sqrt(squares) };
  });
  scores.sort((a, b) => b.score - a.score);
  return scores.slice(0, TOP).map(({ id }) => id);
}

/**
 * @param {string} verb
 * @param {string} path
 * @param {unknown} body
 * @param {Record<string, string>} headers
 * @returns {Promise<string>}
 */
async function send(verb, path, body, headers = {}) {
  const date = new Date().toUTCString();
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: verb,
    body: JSON.stringify(body),
    headers: {
      "content-type": "application/json",
      "x-ms-version": "2020-07-15",
      "x-ms-date": date,
      authorization: authorizationOf(keyBytes, verb, path, date),
      ...headers,
    },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${verb} ${path}: ${answer.status} ${text}`);
  return text;
}

/**
 * @param {Record<Way, number[]>} times
 * @param {number} recall
 * @param {number} wrongCount
 */
function report(times, recall, wrongCount) {
  const scan = median(times.scan);
  print(`\n${ITEM_COUNT} vectors of ${DIMENSIONS} dimensions, ${ROUND_COUNT} searches, medians`);
  print("| way | ms | scan ÷ it | recall@10 |");
  print("| --- | ---: | ---: | ---: |");
  for (const [way, list] of Object.entries(times)) {
    const ms = median(list);
    const share = way === "sketches" ? recall.toFixed(3) : way === "table" ? "exact" : "";
    print(`| ${way} | ${ms.toFixed(2)} | ${(scan / ms).toFixed(1)} | ${share} |`);
  }
  if (wrongCount > 0) print(`${wrongCount} exact answers were wrong.`);
}

/** @param {number[]} list */
function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
