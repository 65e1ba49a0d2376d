/**
 * A durable create taken apart, without HTTP: the sources as they are, over a journal on the disk and
 * tables that are absorbed on this thread, each step with its processor time. At the end it says what
 * the file of the tables is made of.
 *
 * The steps of the request are measured again alone, on the same items, the best of some rounds: they
 * are too small to be seen in one pass. Exits with 1 only when an item is missing.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Absorbing } from "./absorbing.mjs";
import { Inside, loadEngine } from "./inside.mjs";
import { ITEM_BYTES, itemTextOf } from "./items.mjs";

const USAGE = `Usage: npm run bench writes -- [options]

  --items N    how many items are created (default 60000)
  --smoke      2,000 items
`;

/** @typedef {typeof import("./writeParts.ts")} WriteCode */
/** @typedef {Map<string, number>} Times microseconds of processor time by step */

const { values: options } = parseArgs({
  options: {
    items: { type: "string", default: "60000" },
    smoke: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
/** So many creates are under way at once, as with that many connections. */
const AT_ONCE = 16;
const ROUNDS = 20;
const STEP_COUNT = 1000;
const TABLE_NAMES = ["heads", "keys", "items", "terms", "log", "late terms", "tallies", "versions"];

if (options.help) console.log(USAGE);
else {
  const folder = mkdtempSync(join(tmpdir(), "orrery-writes-"));
  try {
    await main(folder, options.smoke ? 2000 : Number(options.items));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @type {(folder: string, itemCount: number) => Promise<void>} */
async function main(folder, itemCount) {
  const code = /** @type {WriteCode} */ (await loadEngine("writeParts.ts"));
  const tables = join(folder, "tables");
  const absorbing = new Absorbing(code, join(folder, "journal"), tables);
  const segmentBytesMax = options.smoke ? 1024 * 1024 : 32 * 1024 * 1024;
  const store = await code.EmbeddedStore.open(
    code.realTimer,
    { segmentBytesMax, sealedCountMax: 3 },
    { disk: await code.openDirectory(join(folder, "journal")), bottom: absorbing.bottom },
  );
  const inside = await Inside.over(code, store, { isLimited: false, hasStatistics: false });
  const container = await inside.container("c", 400);
  const { cpuMicros } = await timed(() => createAll(inside, itemCount));
  const steps = stepsOf(code, container);
  await inside.account.close();
  if (container.partitions.size !== 1) throw new Error("the container was split");
  const each = (/** @type {number} */ micros) => (micros / itemCount).toFixed(1).padStart(7);
  const absorbed = [...absorbing.times.values()].reduce((sum, micros) => sum + micros, 0);
  console.log(`${itemCount} creates of ${ITEM_BYTES} B, µs of processor time for each`);
  console.log(`${each(cpuMicros - absorbed)}  request to durable answer, without HTTP`);
  for (const [name, micros] of steps)
    console.log(`${micros.toFixed(1).padStart(11)}  of it ${name}`);
  console.log(`${each(absorbed)}  absorbed`);
  for (const [name, micros] of absorbing.times) console.log(`    ${each(micros)}  of it ${name}`);
  const { itemCount: found } = reportTables(code, tables, itemCount * ITEM_BYTES);
  if (found < absorbing.itemCount) {
    console.error(`wrong: ${absorbing.itemCount} items were absorbed, the tables have ${found}`);
    process.exitCode = 1;
  }
}

/** @type {(inside: Inside, itemCount: number) => Promise<void>} */
async function createAll(inside, itemCount) {
  let next = 0;
  const work = async () => {
    while (next < itemCount) {
      const { status } = await inside.answer(inside.write("c", next++));
      if (status !== 201) throw new Error(`expected 201, got ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/**
 * The larger steps of a create on this thread, each alone.
 * @type {(code: WriteCode, container: import("../src/engine/partition/container.ts").Container) => Times}
 */
function stepsOf(code, container) {
  const texts = Array.from({ length: STEP_COUNT }, (_, index) =>
    Buffer.from(itemTextOf(`item-${index}`, index, 0)),
  );
  const stamp = { rid: "r".repeat(16), self: "s".repeat(60), etag: "0".repeat(36), ts: 1.7e9 };
  const drafts = texts.map((text) => {
    const draft = code.parseItem(text, code.SERVICE_LIMITS);
    if (!draft.ok) throw new Error("an item of the bench is refused");
    return draft.value;
  });
  const epk = /** @type {import("../src/partition/epkRange.ts").Epk} */ ("0".repeat(32));
  const termsOf = (/** @type {typeof drafts[number]} */ { object }) =>
    code.itemTermsOf(container, epk, object, code.stampObject(stamp)).terms;
  const bodies = texts.map((text) => code.stampedBody(text, stamp));
  const records = drafts.map((draft, index) => ({
    kind: /** @type {const} */ ("commit"),
    part: 1,
    head: [...container.partitions.values()][0].head,
    groups: [[putOf(`key ${index}`, index + 1, bodies[index], termsOf(draft))]],
    tallies: new Map(),
  }));
  const frame = code.frameOf(records);
  /** @type {Record<string, () => void>} */
  const runs = {
    "parsing and checking the body": () => {
      for (const text of texts) code.parseItem(text, code.SERVICE_LIMITS);
    },
    "its terms": () => {
      for (const draft of drafts) termsOf(draft);
    },
    "system properties": () => {
      for (const text of texts) code.stampedBody(text, stamp);
    },
    "records and frame": () => void code.frameOf(records),
    "publishing the frame": () => {
      const table = new code.MemoryTable({ isBottom: false });
      table.absorb(frame.bytes, frame.start, frame.end);
    },
  };
  /** @type {Times} */
  const best = new Map();
  for (let round = 0; round < (options.smoke ? 2 : ROUNDS); round++) {
    for (const [name, run] of Object.entries(runs)) {
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      best.set(
        name,
        Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, (user + system) / STEP_COUNT),
      );
    }
  }
  return best;
}

/** @type {(key: string, number: number, body: Buffer, termsAdded: readonly string[]) => import("../src/store/partitionStore.ts").ItemPut} */
function putOf(key, number, body, termsAdded) {
  return {
    kind: "put",
    key,
    number,
    tag: 0,
    body,
    before: undefined,
    termsAdded,
    termsRemoved: [],
  };
}

/** @type {(run: () => Promise<void>) => Promise<{ cpuMicros: number }>} */
async function timed(run) {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return { cpuMicros: user + system };
}

/** @type {(code: WriteCode, directory: string, textBytes: number) => { itemCount: number }} */
function reportTables(code, directory, textBytes) {
  const file = code.PageFile.open(directory);
  const meta = file && code.newestMeta(file.metaPages());
  if (file === undefined || meta === undefined) return { itemCount: 0 };
  /** @type {Map<string, { pages: number, entries: number, bytes: number }>} */
  const byTable = new Map();
  const waiting = [meta.entryRoot, meta.freeRoot].filter((root) => root !== undefined);
  let [itemCount, livePages] = [0, 2];
  for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
    const bytes = file.read(page);
    livePages++;
    for (const child of code.headerOf(bytes)?.kind === "branch"
      ? (code.childrenOf(bytes) ?? [])
      : []) {
      waiting.push(child.page);
    }
    if (code.headerOf(bytes)?.kind !== "leaf") continue;
    const nodes = code.leafNodesOf(bytes).filter((node) => node !== undefined);
    // A page counts for the table of its first entry; next to none has entries of two.
    const name = TABLE_NAMES[nodes[0]?.key.charCodeAt(4) ?? -1] ?? "others";
    const table = byTable.get(name) ?? { pages: 0, entries: 0, bytes: 0 };
    table.pages++;
    table.entries += nodes.length;
    for (const { key, value, overflow } of nodes) {
      table.bytes += key.length + value.length;
      livePages += overflow?.pageCount ?? 0;
      if (key.charCodeAt(4) === 2) itemCount++;
    }
    byTable.set(name, table);
  }
  const mb = (/** @type {number} */ bytes) => `${(bytes / 2 ** 20).toFixed(1).padStart(7)} MB`;
  const { size } = statSync(join(directory, "data.mdb"));
  console.log(`${mb(size)}  file of the tables; texts of all items: ${mb(textBytes)}`);
  console.log(`${mb((meta.pageCount - livePages) * file.pageBytes)}  free pages`);
  for (const [name, { pages, entries, bytes }] of byTable) {
    console.log(`${mb(pages * file.pageBytes)}  ${name}: ${entries} entries of ${mb(bytes)}`);
  }
  file.close();
  return { itemCount };
}
