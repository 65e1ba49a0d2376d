/** The benchmarks by name. Each is a file of this folder and has `--smoke`, which only checks answers. */

/** @typedef {import("../scripts/runByName.mjs").Run} Run */

/** @type {Readonly<Record<string, Run>>} */
export const BENCHES = {
  peers: {
    about: "requests, starts and memory beside two floors and a peer",
    takes: "5 minutes",
    command: ["bench/peers.mjs"],
  },
  queries: {
    about: "queries by index beside a scan and a point read",
    takes: "5 minutes",
    command: ["bench/queries.mjs"],
  },
  overload: {
    about: "twice the provisioned rate for a minute, and what a 429 costs",
    takes: "4 minutes",
    command: ["bench/overload.mjs"],
  },
  statistics: {
    about: "the server with and without statistics",
    takes: "3 minutes",
    command: ["bench/statistics.mjs"],
  },
  writes: {
    about: "a durable create step by step, and what the tables are made of",
    takes: "1 minute",
    command: ["bench/writes.mjs"],
  },
  import: {
    about: "an import beside a bare JSON.parse of each line",
    takes: "2 minutes",
    command: ["bench/import.mjs"],
  },
  copy: {
    about: "a copy job beside a loop of the official client that reads and writes everything",
    takes: "3 minutes",
    command: ["bench/copy.mjs"],
  },
  "copy-growth": {
    about: "what an item costs a copy job and its verification as containers grow",
    takes: "40 minutes",
    command: ["bench/copyGrowth.mjs"],
  },
  functions: {
    about: "a query with a user-defined function beside one without",
    takes: "3 minutes",
    command: ["bench/functions.mjs"],
  },
  procedures: {
    about: "1,000 items by a stored procedure beside batches",
    takes: "1 minute",
    command: ["bench/procedures.mjs"],
  },
  vectors: {
    about: "a vector search by table beside a scan",
    takes: "3 minutes",
    command: ["bench/vectors.mjs"],
  },
  "full-text": {
    about: "words by index beside a scan",
    takes: "3 minutes",
    command: ["bench/fullText.mjs"],
  },
  probes: {
    about: "a reader beside 70 hostile scripts",
    takes: "2 minutes",
    command: ["bench/probes.mjs"],
  },
  profile: {
    about: "`orrery lab profile` beside a bare JSON.parse of each line",
    takes: "5 minutes",
    command: ["bench/profile.mjs"],
  },
  advise: {
    about: "how long `orrery lab advise` takes over 100,000 items",
    takes: "2 minutes",
    command: ["bench/advise.mjs"],
  },
  growth: {
    about: "server CPU per request as a container grows",
    takes: "15 minutes",
    command: ["bench/growth.mjs"],
  },
  nodes: {
    about: "starts, point reads and creates on several versions of Node",
    takes: "5 minutes",
    command: ["bench/nodes.mjs"],
  },
  direct: {
    about: "point reads and creates in gateway mode and in direct mode, over HTTP and TLS",
    takes: "2 minutes",
    command: ["bench/direct.mjs"],
  },
  postgres: {
    about: "the same items and questions in a PostgreSQL with jsonb",
    takes: "5 minutes",
    command: ["bench/postgres.mjs"],
  },
  performance: {
    about: "writes the page of figures: goals, peers and growth, with a plot",
    takes: "12 minutes",
    command: ["bench/performance.mjs"],
  },
  page: {
    about: "the web page over a million items, and point reads beside it",
    takes: "10 minutes",
    command: ["bench/page.mjs"],
  },
  smoke: {
    about: "all of the above for a moment each; only the answers are checked",
    takes: "3 minutes",
    command: ["bench/smoke.mjs"],
  },
};
