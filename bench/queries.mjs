/**
 * Queries beside each other: what the index saves over a scan of the same items, and what a query
 * costs beside a point read, in one interleaved run on one server, reported as ratios.
 *
 * Every answer is checked for its rows, and the work the server counted is printed beside the time:
 * that, and not the time, is what must stay in proportion to the answer. It talks to loopback only,
 * ends by itself and removes its files; it exits with 1 only when an answer was wrong.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CONTESTANTS, prepare, start } from "./contestants.mjs";
import { itemTextOf, PARTITION_KEY_COUNT, partitionKeyOf } from "./items.mjs";
import { itemsPathOf, LOADED_CONTAINER, loadedIdOf, RequestSource } from "./requests.mjs";
import { authorizationOf } from "./signing.mjs";
import { loadItems } from "./speed.mjs";

const { values: options } = parseArgs({
  options: {
    items: { type: "string", default: "100000" },
    rounds: { type: "string", default: "7" },
    smoke: { type: "boolean", default: false },
  },
});
const ITEM_COUNT = options.smoke ? 500 : Math.min(1_000_000, Number(options.items));
const ROUND_COUNT = options.smoke ? 1 : Math.min(100, Number(options.rounds));

/**
 * @typedef {object} Question
 * @property {string} name
 * @property {(turn: number) => Asked} ask
 * @property {number} repeat how often in one round
 */
/** @typedef {{ verb: string, path: string, headers: Record<string, string>, body?: unknown, rows?: number }} Asked */
/** @typedef {{ text: string, headers: import("node:http").IncomingHttpHeaders }} Answer */

const path = itemsPathOf(LOADED_CONTAINER);
const itemAt = (/** @type {number} */ index) => JSON.parse(itemTextOf(loadedIdOf(index), index, 0));
const keyHeader = (/** @type {number} */ index) => JSON.stringify([partitionKeyOf(index)]);
const indexAt = (/** @type {number} */ turn) => (turn * 7919) % ITEM_COUNT;

/** @type {(query: string, parameters: Record<string, unknown>, index?: number, rows?: number) => Asked} */
function query(text, parameters, index, rows) {
  const list = Object.entries(parameters).map(([name, value]) => ({ name: `@${name}`, value }));
  return {
    verb: "POST",
    path,
    headers: {
      "content-type": "application/query+json",
      "x-ms-documentdb-isquery": "true",
      "x-ms-documentdb-query-enablecrosspartition": "true",
      "x-orrery-merge-query": "true",
      "x-ms-documentdb-populatequerymetrics": "true",
      "x-ms-max-item-count": "1000",
      ...(index === undefined ? {} : { "x-ms-documentdb-partitionkey": keyHeader(index) }),
    },
    body: { query: text, parameters: list },
    ...(rows === undefined ? {} : { rows }),
  };
}

/** @type {readonly Question[]} */
const QUESTIONS = [
  {
    name: "point read",
    repeat: 50,
    ask: (turn) => ({
      verb: "GET",
      path: `${path}/${loadedIdOf(indexAt(turn))}`,
      headers: { "x-ms-documentdb-partitionkey": keyHeader(indexAt(turn)) },
    }),
  },
  {
    name: "equality, one logical partition",
    repeat: 50,
    ask: (turn) =>
      query(
        "SELECT * FROM c WHERE c.id = @id AND c.sku = @sku",
        { id: loadedIdOf(indexAt(turn)), sku: itemAt(indexAt(turn)).sku },
        indexAt(turn),
        1,
      ),
  },
  {
    name: "equality, one property",
    repeat: 50,
    ask: (turn) => {
      const index = indexAt(turn);
      return query("SELECT * FROM c WHERE c.sku = @sku", { sku: itemAt(index).sku }, index, 1);
    },
  },
  {
    name: "equality, whole container",
    repeat: 50,
    ask: (turn) => {
      const { createdAt } = itemAt(indexAt(turn));
      return query("SELECT * FROM c WHERE c.createdAt = @t", { t: createdAt });
    },
  },
  {
    name: "scan, whole container",
    repeat: 1,
    ask: (turn) => {
      const { createdAt, id } = itemAt(indexAt(turn));
      // Two properties in one expression: no index has that, and every item has to be looked at.
      const text = "SELECT * FROM c WHERE CONCAT(c.createdAt, c.id) = @t";
      return query(text, { t: createdAt + id });
    },
  },
  {
    name: "range of 20 values",
    repeat: 20,
    ask: () => query("SELECT * FROM c WHERE c.price >= 500 AND c.price < 500.2", {}),
  },
  {
    name: "prefix",
    repeat: 20,
    ask: () => query("SELECT * FROM c WHERE STARTSWITH(c.sku, 'abc')", {}),
  },
  {
    name: "ORDER BY, TOP 10",
    repeat: 20,
    ask: () => query("SELECT TOP 10 * FROM c ORDER BY c.price DESC", {}, undefined, 10),
  },
  {
    name: "ORDER BY ascending, TOP 10",
    repeat: 20,
    ask: () => query("SELECT TOP 10 * FROM c ORDER BY c.price", {}, undefined, 10),
  },
  {
    name: "COUNT with a filter",
    repeat: 20,
    ask: () => query("SELECT VALUE COUNT(1) FROM c WHERE c.quantity = 500", {}, undefined, 1),
  },
  {
    name: "COUNT of everything",
    repeat: 20,
    ask: () => query("SELECT VALUE COUNT(1) FROM c", {}, undefined, 1),
  },
  {
    name: "MAX",
    repeat: 20,
    ask: () => query("SELECT VALUE MAX(c.price) FROM c", {}, undefined, 1),
  },
  {
    name: "DISTINCT",
    repeat: 10,
    ask: () => query("SELECT DISTINCT VALUE c.pk FROM c", {}, undefined, PARTITION_KEY_COUNT),
  },
];

const folder = mkdtempSync(join(tmpdir(), "orrery-queries-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const server = await start(CONTESTANTS.orrery, folder);
try {
  await prepare(server);
  print(`loading ${ITEM_COUNT} items …`);
  await loadItems(server, new RequestSource({ ...server, itemCount: ITEM_COUNT }), ITEM_COUNT);
  const figures = await measure();
  report(figures);
} finally {
  agent.destroy();
  await server.stop();
}

/** @typedef {{ medians: number[], work: string }} Figure */

/** @returns {Promise<Map<string, Figure>>} */
async function measure() {
  /** @type {Map<string, Figure>} */
  const figures = new Map(QUESTIONS.map(({ name }) => [name, { medians: [], work: "" }]));
  let turn = 1;
  for (let round = 0; round <= ROUND_COUNT; round += 1) {
    for (const { name, ask, repeat } of QUESTIONS) {
      const times = [];
      const figure = /** @type {Figure} */ (figures.get(name));
      for (let count = 0; count < (options.smoke ? 1 : repeat); count += 1) {
        const asked = ask(turn);
        turn += 1;
        const startedAt = performance.now();
        const answer = await answerTo(asked);
        times.push(performance.now() - startedAt);
        figure.work = workIn(answer);
      }
      // The first round warms up caches and code.
      if (round > 0 || options.smoke) figure.medians.push(median(times));
    }
  }
  return figures;
}

/**
 * Follows pages to the end: a scan may take several.
 * @param {Asked} asked
 * @returns {Promise<Answer>}
 */
async function answerTo(asked) {
  let rowCount = 0;
  let answer = await send(asked);
  for (;;) {
    if (asked.verb === "POST") rowCount += JSON.parse(answer.text)._count;
    const continuation = answer.headers["x-ms-continuation"];
    if (typeof continuation !== "string") break;
    const headers = { ...asked.headers, "x-ms-continuation": continuation };
    answer = await send({ ...asked, headers });
  }
  if (asked.rows !== undefined && rowCount !== asked.rows) {
    throw new Error(`expected ${asked.rows} rows, got ${rowCount}: ${JSON.stringify(asked.body)}`);
  }
  return answer;
}

/**
 * @param {Asked} asked
 * @returns {Promise<Answer>}
 */
function send({ verb, path: target, headers, body }) {
  const date = new Date().toUTCString();
  const keyBytes = Buffer.from(server.key, "base64");
  const text = body === undefined ? "" : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request({
      host: "127.0.0.1",
      port: server.port,
      method: verb,
      path: target,
      agent,
      headers: {
        "x-ms-version": "2020-07-15",
        "x-ms-date": date,
        authorization: authorizationOf(keyBytes, verb, target, date),
        ...(body === undefined ? {} : { "content-length": Buffer.byteLength(text) }),
        ...headers,
      },
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const answered = Buffer.concat(chunks).toString();
        if (response.statusCode !== 200) reject(new Error(`${response.statusCode}: ${answered}`));
        else resolve({ text: answered, headers: response.headers });
      });
    });
    sent.end(text);
  });
}

/** @param {Answer} answer */
function workIn({ headers }) {
  const metrics = String(headers["x-ms-documentdb-query-metrics"] ?? "");
  const items = /retrievedDocumentCount=(\d+)/.exec(metrics)?.[1];
  const rows = /outputDocumentCount=(\d+)/.exec(metrics)?.[1];
  const charge = headers["x-ms-request-charge"];
  return items === undefined ? `RU ${charge}` : `${items} items, ${rows} rows, RU ${charge}`;
}

/** @param {Map<string, Figure>} figures */
function report(figures) {
  const ratio = (/** @type {string} */ name, /** @type {string} */ base) => {
    const own = /** @type {Figure} */ (figures.get(name)).medians;
    const other = /** @type {Figure} */ (figures.get(base)).medians;
    return median(own.map((ms, round) => ms / other[round]));
  };
  print(`\n${ITEM_COUNT} items of 1 KB, ${ROUND_COUNT} rounds, medians of the rounds`);
  print("| question | ms | ÷ point read | scan ÷ it | counted work of the last page |");
  print("| --- | ---: | ---: | ---: | --- |");
  for (const [name, { medians, work }] of figures) {
    const toRead = ratio(name, "point read").toFixed(2);
    const toScan = ratio("scan, whole container", name).toFixed(1);
    print(`| ${name} | ${median(medians).toFixed(3)} | ${toRead} | ${toScan} | ${work} |`);
  }
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
