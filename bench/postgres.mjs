/**
 * Orrery beside what somebody takes who does not need its protocol: PostgreSQL with the same items
 * as `jsonb`, everything indexed there too (a GIN index over the whole of each item), a primary key
 * of partition key and id, and commits that are on the disk. Both are asked the same in turns.
 *
 * Processor time is that of all processes of PostgreSQL. Its client sends prepared statements over
 * connections that stay; that of Orrery signs each request. Exits with 1 only when an answer was
 * wrong.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { CONTESTANTS, prepare, start } from "./contestants.mjs";
import { environmentNow } from "./environment.mjs";
import { spreadOf } from "./figures.mjs";
import { SPREAD_SHAPES } from "./growthShapes.mjs";
import { loadEngine } from "./inside.mjs";
import { itemTextOf, PARTITION_KEY_COUNT, partitionKeyOf, randomFrom } from "./items.mjs";
import { diskBytesOf } from "./memory.mjs";
import { cpuMicrosOfFamily } from "./procfs.mjs";
import { itemsPathOf, LOADED_CONTAINER, loadedIdOf, RequestSource } from "./requests.mjs";
import { loadItems } from "./speed.mjs";
import { answerTo, cpuOfTurn } from "./turns.mjs";

const USAGE = `Usage: npm run bench postgres -- [options]

  --items N    items of 1 KB over 100 keys (default 100000)
  --rounds N   measured rounds; one more is thrown away (default 3)
  --smoke      300 items, once
  --json FILE  all figures as JSON
`;
const { values: options } = parseArgs({
  options: {
    items: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
    smoke: { type: "boolean", default: false },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const CONNECTIONS = 8;
const LOAD_CHUNK_COUNT = 1000;
/** Beside it, a database of this size reads from the disk what Orrery has mapped. */
const SETTINGS = ["shared_buffers=256MB"];
const TABLE = `
  CREATE TABLE items (pk text NOT NULL, id text NOT NULL, body jsonb NOT NULL, PRIMARY KEY (pk, id));
  CREATE INDEX items_body ON items USING gin (body jsonb_path_ops);`;

/** @typedef {import("./growthShapes.mjs").Shape} Shape */
/**
 * @typedef {object} Question the same to both
 * @property {Shape} shape
 * @property {string} text
 * @property {(index: number) => unknown[]} values
 * @property {number} rows
 */

const textAt = (/** @type {number} */ index, revision = 0) =>
  itemTextOf(loadedIdOf(index), index, revision);
const keyOf = (/** @type {number} */ index) => [partitionKeyOf(index)];
let createdCount = 0;

/** @type {Shape} */
const UPSERT = {
  name: "upsert",
  count: 1500,
  ask: (index) => ({
    verb: "POST",
    path: itemsPathOf(LOADED_CONTAINER),
    headers: {
      "x-ms-documentdb-partitionkey": JSON.stringify(keyOf(index)),
      "x-ms-documentdb-is-upsert": "true",
    },
    body: textAt(index, ++createdCount),
  }),
};

/**
 * @typedef {object} PostgresReport what `--json` writes
 * @property {import("./environment.mjs").Environment} environment
 * @property {number} itemCount
 * @property {Readonly<Record<string, Pair>>} rows by name
 * @property {{ orrery: number, postgres: number }} disk
 */
if (options.help) console.log(USAGE);
else {
  const folder = mkdtempSync(join(tmpdir(), "orrery-beside-postgres-"));
  try {
    await main(folder, options.smoke ? 300 : Number(options.items));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @type {(itemCount: number) => readonly Question[]} */
function questionsOf(itemCount) {
  const ofKey = Math.floor(itemCount / PARTITION_KEY_COUNT);
  const shape = (/** @type {string} */ name) => {
    const found = SPREAD_SHAPES.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no shape ${name}`);
    return found;
  };
  return [
    {
      shape: shape("point read"),
      text: "SELECT body FROM items WHERE pk = $1 AND id = $2",
      values: (index) => [...keyOf(index), loadedIdOf(index)],
      rows: 1,
    },
    {
      shape: shape("equality, key in header and filter"),
      text: "SELECT body FROM items WHERE pk = $1 AND body @> $2",
      values: (index) => [...keyOf(index), JSON.stringify({ sku: JSON.parse(textAt(index)).sku })],
      rows: 1,
    },
    {
      shape: shape("TOP 10 ORDER BY in a key"),
      text: "SELECT body FROM items WHERE pk = $1 ORDER BY (body->>'price')::float8 DESC LIMIT 10",
      values: keyOf,
      rows: Math.min(10, ofKey),
    },
    {
      shape: shape("COUNT in a key"),
      text: "SELECT count(*) FROM items WHERE pk = $1",
      values: keyOf,
      rows: 1,
    },
    {
      shape: shape("first 100 items of a key"),
      text: "SELECT body FROM items WHERE pk = $1 ORDER BY id LIMIT 100",
      values: keyOf,
      rows: Math.min(100, ofKey),
    },
    {
      shape: shape("create"),
      text: "INSERT INTO items VALUES ($1, $2, $3)",
      values: () => {
        const index = createdCount++;
        const id = `created-${index}`;
        return [...keyOf(index), id, itemTextOf(id, index, 0)];
      },
      rows: 0,
    },
    {
      shape: UPSERT,
      text:
        "INSERT INTO items VALUES ($1, $2, $3) " +
        "ON CONFLICT (pk, id) DO UPDATE SET body = excluded.body",
      values: (index) => [...keyOf(index), loadedIdOf(index), textAt(index, ++createdCount)],
      rows: 0,
    },
  ];
}

/** @type {(folder: string, itemCount: number) => Promise<void>} */
async function main(folder, itemCount) {
  // The binaries are found from where the sources are, not from where the bundle lies.
  const here = { "import.meta.url": JSON.stringify(import.meta.url) };
  const parts = /** @type {unknown} */ (await loadEngine("postgresParts.ts", here));
  const { hasPostgres, LocalPostgres } = /** @type {typeof import("./postgresParts.ts")} */ (parts);
  if (!hasPostgres()) return;
  const environment = environmentNow();
  const local = await LocalPostgres.start({ isDurable: true, settings: SETTINGS });
  const server = await start(CONTESTANTS.orrery, join(folder, "data"));
  /** @type {pg.Client[]} */
  const clients = [];
  try {
    const url = await local.newDatabase();
    for (let count = 0; count < CONNECTIONS; count++) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      clients.push(client);
    }
    await clients[0].query(TABLE);
    await loadPostgres(clients[0], itemCount);
    await prepare(server);
    await loadItems(server, new RequestSource({ ...server, itemCount }), itemCount);
    const questions = questionsOf(itemCount);
    for (const question of questions) await check(server, clients[0], itemCount, question);
    const figures = await measure(server, { clients, pid: local.pid }, itemCount, questions);
    const [{ bytes }] = (
      await clients[0].query("SELECT pg_total_relation_size('items')::float8 AS bytes")
    ).rows;
    const disk = { orrery: diskBytesOf(folder), postgres: bytes };
    report(figures, disk, itemCount);
    if (options.json !== undefined) {
      const rows = Object.fromEntries(figures);
      const all = { environment, itemCount, rows, disk };
      writeFileSync(options.json, JSON.stringify(all, undefined, 2));
    }
  } finally {
    for (const client of clients) await client.end();
    await server.stop();
    await local.stop();
  }
}

/** @type {(client: pg.Client, itemCount: number) => Promise<void>} */
async function loadPostgres(client, itemCount) {
  const text =
    "INSERT INTO items SELECT body->>'pk', body->>'id', body FROM unnest($1::jsonb[]) AS body";
  for (let from = 0; from < itemCount; from += LOAD_CHUNK_COUNT) {
    const count = Math.min(LOAD_CHUNK_COUNT, itemCount - from);
    const bodies = Array.from({ length: count }, (_, index) => textAt(from + index));
    await client.query(text, [bodies]);
  }
  await client.query("VACUUM ANALYZE items");
}

/** @type {(server: import("./contestants.mjs").Server, client: pg.Client, itemCount: number, question: Question) => Promise<void>} */
async function check(server, client, itemCount, { shape, text, values, rows }) {
  const index = itemCount >> 1;
  const { rowCount, command } = await client.query(text, values(index));
  const wanted = command === "INSERT" ? 1 : rows;
  if (rowCount !== wanted) fail(`PostgreSQL gave ${rowCount} rows of ${wanted} to ${shape.name}`);
  const answer = await answerTo(server, shape.ask(index, itemCount), shape.status ?? 200);
  const found = JSON.parse(answer.text).Documents?.length ?? rows;
  if (found !== rows) fail(`Orrery gave ${found} rows of ${rows} to ${shape.name}`);
}

/**
 * @typedef {object} Pair microseconds of processor time for each request, a figure a round
 * @property {number[]} orrery
 * @property {number[]} postgres
 */
/** @type {(server: import("./contestants.mjs").Server, other: { clients: readonly pg.Client[], pid: number }, itemCount: number, questions: readonly Question[]) => Promise<Map<string, Pair>>} */
async function measure(server, { clients, pid }, itemCount, questions) {
  const random = randomFrom(5);
  const rounds = options.smoke ? 1 : Number(options.rounds);
  /** @type {Map<string, Pair>} */
  const figures = new Map();
  for (let round = 0; round <= rounds; round++) {
    for (const { shape, text, values } of questions) {
      const count = options.smoke ? 16 : shape.count;
      const orrery = await cpuOfTurn(server, itemCount, shape, { count, random });
      const asked = Array.from({ length: count }, () => values(Math.floor(random() * itemCount)));
      const before = cpuMicrosOfFamily(pid) ?? Number.NaN;
      await askAll(clients, shape.name, text, asked);
      const postgres = ((cpuMicrosOfFamily(pid) ?? Number.NaN) - before) / count;
      const pair = figures.get(shape.name) ?? { orrery: [], postgres: [] };
      figures.set(shape.name, pair);
      if (round === 0) continue;
      pair.orrery.push(orrery);
      pair.postgres.push(postgres);
    }
  }
  return figures;
}

/** @type {(clients: readonly pg.Client[], name: string, text: string, asked: readonly unknown[][]) => Promise<void>} */
async function askAll(clients, name, text, asked) {
  let next = 0;
  const work = async (/** @type {pg.Client} */ client) => {
    while (next < asked.length) await client.query({ name, text, values: asked[next++] });
  };
  await Promise.all(clients.map(work));
}

/** @type {(figures: ReadonlyMap<string, Pair>, disk: { orrery: number, postgres: number }, itemCount: number) => void} */
function report(figures, disk, itemCount) {
  console.log(`${itemCount} items, µs of processor time for each request`);
  console.log(`${"".padEnd(42)}${"orrery".padStart(10)}${"postgres".padStart(10)}`);
  for (const [name, pair] of figures) {
    const cells = [pair.orrery, pair.postgres].map((samples) =>
      (spreadOf(samples)?.median ?? Number.NaN).toFixed(0).padStart(10),
    );
    console.log(`${name.padEnd(42)}${cells.join("")}`);
  }
  const mb = (/** @type {number} */ bytes) => (bytes / 2 ** 20).toFixed(0).padStart(10);
  console.log(`${"MiB on disk".padEnd(42)}${mb(disk.orrery)}${mb(disk.postgres)}`);
}

/** @param {string} what */
function fail(what) {
  console.error(`wrong: ${what}`);
  process.exitCode = 1;
}
