/**
 * What a full-text index is worth: conditions on words and ranks over texts of about a hundred
 * words, in a container that indexes them and in one that does not, in one interleaved run on one
 * server, reported as ratios.
 *
 * Words are as frequent as words are: a few are in nearly every text, most in hardly any. Both
 * containers must give the same rows. It talks to loopback only, ends by itself and removes its
 * files; it exits with 1 only when an answer was wrong.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CosmosClient } from "@azure/cosmos";
import { startOrrery } from "orrery";

const { values: options } = parseArgs({
  options: {
    items: { type: "string", default: "50000" },
    rounds: { type: "string", default: "5" },
    smoke: { type: "boolean", default: false },
  },
});
const ITEM_COUNT = options.smoke ? 500 : Math.min(500_000, Number(options.items));
const ROUND_COUNT = options.smoke ? 1 : Math.min(100, Number(options.rounds));
const WORDS_PER_TEXT = 100;
const VOCABULARY_COUNT = 20_000;

const QUESTIONS = {
  "a rare word": "SELECT VALUE c.id FROM c WHERE FullTextContains(c.text, 'word1500')",
  "a common word, counted": "SELECT VALUE COUNT(1) FROM c WHERE FullTextContains(c.text, 'word30')",
  "two words": "SELECT VALUE c.id FROM c WHERE FullTextContainsAll(c.text, 'word90', 'word400')",
  "a phrase": "SELECT VALUE c.id FROM c WHERE FullTextContains(c.text, 'word20 word30')",
  "the best ten":
    "SELECT TOP 10 c.id FROM c ORDER BY RANK FullTextScore(c.text, 'word200', 'word300')",
};

const data = mkdtempSync(join(tmpdir(), "orrery-fulltext-"));
const server = await startOrrery({ data, rateLimit: false });
const client = new CosmosClient({ endpoint: server.endpoint, key: server.key });
let isWrong = false;
try {
  const { database } = await client.databases.create({ id: "bench" });
  const fullTextPolicy = { defaultLanguage: "en-US", fullTextPaths: [{ path: "/text" }] };
  const made = [];
  for (const [id, fullTextIndexes] of Object.entries({ scan: [], index: [{ path: "/text" }] })) {
    const indexingPolicy = { excludedPaths: [{ path: "/text/?" }], fullTextIndexes };
    const definition = { id, partitionKey: "/pk", fullTextPolicy, indexingPolicy };
    const { container } = await database.containers.create(/** @type {never} */ (definition));
    const startedAt = performance.now();
    await load(container);
    made.push({ container, loadMs: performance.now() - startedAt });
  }
  const [scan, index] = /** @type {[typeof made[0], typeof made[0]]} */ (made);
  console.log(
    `${ITEM_COUNT} items of ${WORDS_PER_TEXT} words, loaded in ${seconds(scan.loadMs)} without an ` +
      `index and in ${seconds(index.loadMs)} with one: ${(index.loadMs / scan.loadMs).toFixed(2)} ×`,
  );
  /** @type {Map<string, [number[], number[]]>} */
  const times = new Map(Object.keys(QUESTIONS).map((name) => [name, [[], []]]));
  let rowCount = 0;
  for (let round = 0; round <= ROUND_COUNT; round++) {
    for (const [name, text] of Object.entries(QUESTIONS)) {
      const byScan = await timed(scan.container, text);
      const byIndex = await timed(index.container, text);
      rowCount += byScan.rows.length;
      if (JSON.stringify(byScan.rows) !== JSON.stringify(byIndex.rows)) {
        isWrong = true;
        console.error(`${name}: the answers are not the same`);
      }
      // The first round is for warming up.
      if (round === 0) continue;
      times.get(name)?.[0].push(byScan.ms);
      times.get(name)?.[1].push(byIndex.ms);
    }
  }
  if (rowCount === 0) {
    isWrong = true;
    console.error("nothing was found");
  }
  console.log(`median of ${ROUND_COUNT} rounds`);
  for (const [name, [scans, seeks]] of times) {
    const [byScan, byIndex] = [medianOf(scans), medianOf(seeks)];
    console.log(
      `${name.padEnd(24)} ${byScan.toFixed(1).padStart(8)} ms by scan, ` +
        `${byIndex.toFixed(1).padStart(7)} ms by index: ${(byScan / byIndex).toFixed(1)} × faster`,
    );
  }
} finally {
  client.dispose();
  await server.close();
  rmSync(data, { recursive: true, force: true });
}
process.exit(isWrong ? 1 : 0);

/** @param {import("@azure/cosmos").Container} container */
async function load(container) {
  // One after the other: both containers have their items in the same order then.
  for (let first = 0; first < ITEM_COUNT; first += 100) {
    const pk = `p${(first / 100) % 500}`;
    const some = Array.from({ length: Math.min(100, ITEM_COUNT - first) }, (_, n) => ({
      id: `${first + n}`,
      pk,
      text: textOf(first + n),
    }));
    await container.items.batch(
      some.map((resourceBody) => ({ operationType: "Create", resourceBody })),
      pk,
    );
  }
}

/**
 * The same for the same number.
 *
 * @param {number} index
 */
function textOf(index) {
  let state = (index * 2_654_435_761 + 12_345) >>> 0;
  const words = [];
  for (let count = 0; count < WORDS_PER_TEXT; count++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The chance of a word falls with its number, as in Zipf's law.
    words.push(`word${Math.floor(VOCABULARY_COUNT ** (state / 2 ** 32))}`);
  }
  return words.join(" ");
}

/**
 * @param {import("@azure/cosmos").Container} container
 * @param {string} text
 */
async function timed(container, text) {
  const options = { maxItemCount: 1_000, initialHeaders: { "x-orrery-merge-query": "true" } };
  const startedAt = performance.now();
  const { resources } = await container.items.query(text, options).fetchAll();
  return { ms: performance.now() - startedAt, rows: resources };
}

/** @param {readonly number[]} values */
function medianOf(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1_000).toFixed(1)} s`;
}
