/**
 * How long advice takes: over a profile of generated items, with about thirty candidate keys, a hundred
 * million operations a day and 24 months. Beside it, in the same run, the bare `JSON.parse` of the items that
 * the profile was made from, so that the machine can be told from the code.
 *
 * `--smoke`: fewer items, to see that it runs.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const isSmoke = process.argv.includes("--smoke");
const itemCount = isSmoke ? 5_000 : 100_000;
const folder = mkdtempSync(join(tmpdir(), "orrery-advise-"));

try {
  const data = join(folder, "items.ndjson");
  const profile = join(folder, "profile.json");
  const workload = join(folder, "workload.yaml");
  writeFileSync(data, items(itemCount));
  writeFileSync(workload, workloadText());

  const lines = readFileSync(data, "utf8").split("\n");
  const parsing = clock(() => {
    for (const line of lines) JSON.parse(line);
  });
  const profiling = clock(() => orrery("lab", "profile", data, "--save", profile));
  /** @type {{ verdict: string, expression: string }[]} */
  let candidates = [];
  const advising = clock(() => {
    const said = orrery("lab", "advise", "--workload", workload, "--profile", profile, "--json");
    candidates = JSON.parse(said).candidates;
  });
  const best = candidates.find(({ verdict }) => verdict === "best");
  process.stdout.write(
    `${itemCount.toLocaleString("en")} items parsed in ${parsing.toFixed(2)} s\n` +
      `profile   ${profiling.toFixed(2)} s, the start of the process included\n` +
      `advice    ${advising.toFixed(2)} s for ${candidates.length} candidates, the start of the process included\n` +
      `best      ${best?.expression ?? "none"}\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @type {(action: () => void) => number} seconds that the action took */
function clock(action) {
  const start = performance.now();
  action();
  return (performance.now() - start) / 1000;
}

/** @type {(...args: string[]) => string} what the command printed */
function orrery(...args) {
  const command = [join(root, "dist/cli.js"), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`orrery ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** @type {(count: number) => string} so many items from a seed, one on each line */
function items(count) {
  let state = 12345;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
  const skewed = (/** @type {number} */ n) => Math.floor(n * next() ** 2.5);
  const list = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      id: `order-${index}`,
      tenantId: `tenant-${skewed(400)}`,
      customerId: `customer-${skewed(60_000)}`,
      itemId: `item-${skewed(20_000)}`,
      category: `category-${skewed(40)}`,
      store: `store-${skewed(900)}`,
      region: ["north", "south", "east", "west"][skewed(4)],
      status: ["new", "paid", "sent", "done"][skewed(4)],
      channel: ["web", "app", "shop"][skewed(3)],
      courier: `courier-${skewed(60)}`,
      warehouse: `warehouse-${skewed(30)}`,
      campaign: `campaign-${skewed(300)}`,
      currency: ["EUR", "USD"][skewed(2)],
      createdAt: new Date(Date.UTC(2026, 0, 1) + index * 5_000).toISOString(),
      total: Math.round(next() * 10_000) / 100,
      note: "x".repeat(500),
    }),
  );
  return list.join("\n");
}

/** The workload file: 1,160 operations a second are a hundred million a day. */
function workloadText() {
  return `name: bench
growth: { itemsPerDay: 20 million, retentionDays: 730, peakFactor: 3 }
horizonMonths: 24
operations:
  - { id: create, kind: create, rate: 230/s }
  - { id: pay, kind: patch, rate: 230/s, changes: [/status] }
  - { id: read, kind: pointRead, rate: 400/s }
  - id: of-customer
    kind: query
    rate: 200/s
    sql: SELECT TOP 20 * FROM c WHERE c.customerId = @c AND c.createdAt >= @from ORDER BY c.createdAt DESC
    parameters: { "@from": now - 30 days }
  - id: of-item
    kind: query
    rate: 80/s
    sql: SELECT TOP 10 * FROM c WHERE c.itemId = @i
  - id: of-store
    kind: query
    rate: 20/s
    sql: SELECT TOP 50 * FROM c WHERE c.tenantId = @t AND c.store = @s AND c.createdAt >= @from
    parameters: { "@from": now - 1 days }
`;
}
