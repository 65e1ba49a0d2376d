/**
 * The campaigns by name. A variable of the environment makes a test longer; one that the caller has
 * set already stays as it is, so `ORRERY_STORM_COUNT=5 npm run campaign storm` runs five seeds.
 *
 * Times are those of a machine with two cores that does nothing else.
 */

/** @typedef {import("./runByName.mjs").Run} Run */

const HOUR_MS = 3_600_000;

/** @type {Readonly<Record<string, Run>>} */
export const CAMPAIGNS = {
  crash: {
    about: "1,000 kills, 25,000 simulated power cuts, splits and accepted jobs under kills",
    takes: "2 hours",
    environment: { ORRERY_CRASH: "full" },
    command: vitest(["test/crash"], HOUR_MS),
  },
  "power-cuts": {
    about: "1,000 power cuts made from the system calls of a real run; needs strace",
    takes: "1 hour",
    environment: { ORRERY_POWER_CUTS: "full" },
    command: vitest(["test/powerCuts"], 2 * HOUR_MS),
  },
  "disk-states": {
    about: "full, lost, read-only, failing and slow disks; wants root and strace",
    takes: "30 minutes",
    environment: { ORRERY_DISK_STATES: "full" },
    command: vitest(["test/disk"], HOUR_MS),
  },
  rot: {
    about: "10,000 changed bits in every file of a data directory",
    takes: "1 hour",
    environment: { ORRERY_ROT_COUNT: "10000" },
    command: vitest(["test/rot"], 2 * HOUR_MS),
  },
  "two-servers": {
    about: "servers racing for one directory, over namespaces, links and kills",
    takes: "30 minutes",
    environment: { ORRERY_TWO_SERVERS: "full" },
    command: vitest(["test/twoServers"], HOUR_MS),
  },
  isolation: {
    about: "200,000 operations of concurrent batches under kills and splits",
    takes: "30 minutes",
    environment: { ORRERY_ISOLATION: "full" },
    command: vitest(["test/isolation"], HOUR_MS),
  },
  feed: {
    about: "a million changes through splits and kills, followed by readers of the change feed",
    takes: "1 hour",
    environment: { ORRERY_FEED: "full" },
    command: vitest(["test/feed"], 2 * HOUR_MS),
  },
  copies: {
    about: "a million items copied to another key, switched and back, under load and 20 kills",
    takes: "1 hour",
    environment: { ORRERY_COPIES: "full" },
    command: vitest(["test/copies"], 3 * HOUR_MS),
  },
  lifecycle: {
    about: "10,000 items from hot to warm under load and kills; 1,000 ranges by the router",
    takes: "10 minutes",
    environment: { ORRERY_LIFECYCLE: "full", ORRERY_LIFECYCLE_STORMS: "100" },
    command: vitest(["test/lifecycle", "src/engine/lifecycle/lifecycleStorm"], HOUR_MS),
  },
  nodes: {
    about: "two minutes of kills, stops and cuts of three nodes on a PostgreSQL and of that, too",
    takes: "4 minutes",
    environment: { ORRERY_NODES: "full" },
    command: vitest(["test/database/nodeStorm.test.ts"], HOUR_MS),
  },
  "on-postgres": {
    about: "the suites of data plane, queries, feeds, splits, scripts and jobs on PostgreSQL",
    takes: "20 minutes",
    environment: { ORRERY_TEST_STORE: "postgres" },
    command: vitest(["test"], HOUR_MS / 30),
    isOfSources: true,
  },
  storm: {
    about: "200 seeds of the whole engine in simulated time",
    takes: "30 minutes",
    environment: { ORRERY_STORM_COUNT: "200" },
    command: vitest(["test/storm"], HOUR_MS),
    isOfSources: true,
  },
  "slow-clients": {
    about: "20,000 slow, dead and malformed connections beside a good client",
    takes: "10 minutes",
    environment: { ORRERY_SLOW_CLIENTS: "full" },
    command: vitest(["test/slowClients"], HOUR_MS),
  },
  direct: {
    about: "a million damaged frames, and thousands of idle connections, in direct mode",
    takes: "5 minutes",
    environment: { ORRERY_DIRECT: "full" },
    command: vitest(["test/direct"], HOUR_MS),
    isOfSources: true,
  },
  tokens: {
    about: "20,000 altered continuations of every kind",
    takes: "2 minutes",
    environment: { ORRERY_TOKENS: "full" },
    command: vitest(["test/tokens"], HOUR_MS),
  },
  oracles: {
    about: "20,000 random queries against the naive model",
    takes: "30 minutes",
    environment: { ORRERY_ORACLE_COUNT: "20000" },
    command: vitest(["test/query/oracles.test.ts"], HOUR_MS),
    isOfSources: true,
  },
  fuzz: {
    about: "10,000 damaged query texts",
    takes: "2 minutes",
    environment: { ORRERY_FUZZ_COUNT: "10000" },
    command: vitest(["test/query/fuzz.test.ts"], HOUR_MS),
    isOfSources: true,
  },
  long: {
    about: "properties, policy changes, paging and backups, longer than in `npm test`",
    takes: "20 minutes",
    environment: { ORRERY_LONG: "1", ORRERY_REINDEX_ROUNDS: "2", ORRERY_PAGING_ROUNDS: "3" },
    command: vitest(["src", "test/query", "test/http", "test/backup"], HOUR_MS / 6),
  },
  scenarios: {
    about: "worked cases of the lab, with a search for keys; claims of reports",
    takes: "15 minutes",
    environment: { ORRERY_SCENARIOS: "full" },
    command: vitest(["scenarios.test.ts", "reportClaims.test.ts"], HOUR_MS),
    isOfSources: true,
  },
  "advised-figures": {
    about: "figures of advice against naive counts of 100,000 and a million items; 8 GB of memory",
    takes: "6 minutes",
    environment: {
      ORRERY_ADVISED_ITEMS: "100000,1000000",
      NODE_OPTIONS: "--max-old-space-size=8000",
    },
    command: vitest(["advisedFigures.test.ts"], HOUR_MS),
    isOfSources: true,
  },
  sdks: {
    about: "the official clients of Python, Go, Java and Rust; those whose tools are there",
    takes: "8 minutes",
    command: ["scripts/testSdks.mjs"],
  },
  switch: {
    about: "clients of JavaScript, Python, Go, Java and Rust through a switch of names",
    takes: "8 minutes",
    command: ["scripts/testSwitch.mjs"],
  },
  "sdk-suite": {
    about: "the JavaScript client's own tests, from a folder you name: -- --suite <folder>",
    takes: "15 minutes",
    command: ["scripts/sdkSuite.mjs"],
  },
  "node-versions": {
    about: "unit tests, the newest official client and figures on Node 22, 24 and 26",
    takes: "20 minutes",
    command: ["scripts/nodeVersions.mjs"],
  },
  image: {
    about: "the container image made twice, taken apart and run; wants root and unshare",
    takes: "4 minutes",
    command: ["scripts/checkImage.mjs"],
  },
  readme: {
    about: "every command and example of README.md, from top to bottom, in a fresh clone",
    takes: "1 hour",
    command: ["scripts/followReadme.mjs"],
    isOfSources: true,
  },
  compatibility: {
    about: "asks every probe and writes docs/use/compatibility.md anew",
    takes: "15 seconds",
    environment: { ORRERY_COMPATIBILITY: "write" },
    command: vitest(["test/compatibility"], HOUR_MS),
  },
  charges: {
    about: "tries every published charge and prints docs/use/charges.md; -- --write writes it",
    takes: "5 minutes",
    command: ["scripts/charges.mjs"],
  },
};

/** @type {(filters: readonly string[], testTimeoutMs: number) => readonly string[]} */
function vitest(filters, testTimeoutMs) {
  return ["node_modules/vitest/vitest.mjs", "run", ...filters, `--testTimeout=${testTimeoutMs}`];
}
