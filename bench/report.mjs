/**
 * The figures as text: one table per cell, start-up, memory, and the verdict on the required ratios.
 *
 * The verdict informs; it never fails a run, because a busy machine must not look like a slow server.
 */
import { cellsOf, groupsOf, ratioOf, spreadOf } from "./figures.mjs";

/** @typedef {import("./speed.mjs").Sample} Sample */
/** @typedef {import("./contestants.mjs").ContestantName} ContestantName */
/** @typedef {import("./figures.mjs").Spread} Spread */

/**
 * @typedef {object} Requirement
 * @property {string} text
 * @property {import("./requests.mjs").Workload} workload
 * @property {number[]} connectionCounts
 * @property {ContestantName} other
 * @property {number} ratioMin
 */

/** @type {readonly Requirement[]} */
const REQUIREMENTS = [
  {
    text: "point read, at least 0.70 of the signature-only server",
    workload: "point-read",
    connectionCounts: [1, 16],
    other: "signature",
    ratioMin: 0.7,
  },
  {
    text: "point read, at least 1.50 of the peer with keep-alive",
    workload: "point-read",
    connectionCounts: [1, 16],
    other: "peer",
    ratioMin: 1.5,
  },
  {
    text: "durable create with default indexing at 16 connections, at least 1.00 of the peer",
    workload: "create",
    connectionCounts: [16],
    other: "peer",
    ratioMin: 1,
  },
];

const BYTES_PER_MEBIBYTE = 1024 * 1024;

/**
 * @param {readonly Sample[]} samples
 * @returns {string}
 */
export function speedReport(samples) {
  const cells = groupsOf(cellsOf(samples), ({ workload, connections }) => {
    return `${workload}, ${connections} connection${connections === 1 ? "" : "s"}`;
  });
  const tables = [...cells].map(([title, figures]) => {
    const rows = figures
      .toSorted((a, b) => ORDER.indexOf(a.contestant) - ORDER.indexOf(b.contestant))
      .map((figure) => [
        figure.contestant,
        Math.round(figure.requestsPerSecond).toLocaleString("en"),
        ...RATIO_BASES.map((other) => {
          return decimal(ratioOf(samples, { ...figure, other, measure: "throughput" })?.median, 2);
        }),
        decimal(figure.cpuMicrosPerRequest, 1),
      ]);
    return table([
      [title, "req/s", "÷ hello", "÷ signature", "÷ peer", "÷ former", "CPU µs/req"],
      ...rows,
    ]);
  });
  return tables.join("\n\n");
}

/** @type {readonly string[]} */
const ORDER = ["hello", "signature", "peer", "cosmium", "former", "orrery"];
/** @type {readonly ContestantName[]} */
const RATIO_BASES = ["hello", "signature", "peer", "cosmium", "former"];

/**
 * @param {readonly import("./startup.mjs").StartSample[]} samples
 * @returns {string}
 */
export function startupReport(samples) {
  const groups = groupsOf(samples, (one) => one.label);
  const medianMsOf = (/** @type {string} */ label) => {
    return spreadOf((groups.get(label) ?? []).map((one) => one.elapsedMs))?.median;
  };
  const helloMs = medianMsOf("hello");
  const rows = [...groups].map(([label, starts]) => {
    const elapsed = spreadOf(starts.map((one) => one.elapsedMs));
    const cpu = spreadOf(starts.flatMap((one) => one.cpuMs ?? []));
    const ratio = elapsed && helloMs ? elapsed.median / helloMs : undefined;
    return [
      label,
      decimal(elapsed?.median, 0),
      decimal(elapsed?.least, 0),
      decimal(ratio, 2),
      decimal(cpu?.median, 0),
    ];
  });
  const sorted = rows.toSorted((a, b) => a[0].localeCompare(b[0]));
  return table([
    ["start to first answer", "median ms", "least ms", "÷ hello", "CPU ms"],
    ...sorted,
  ]);
}

/**
 * @param {readonly import("./memory.mjs").MemorySample[]} samples
 * @returns {string}
 */
export function memoryReport(samples) {
  const rows = samples.map(({ contestant, itemCount, idle, loaded, loadSeconds, diskBytes }) => [
    `${contestant}, ${itemCount.toLocaleString("en")} items`,
    mebibytes(idle?.resident),
    mebibytes(loaded?.resident),
    mebibytes(loaded?.anonymous),
    mebibytes(diskBytes),
    Math.round(itemCount / loadSeconds).toLocaleString("en"),
  ]);
  const head = ["memory, MiB", "idle RSS", "loaded RSS", "of it own", "on disk", "loaded items/s"];
  return table([head, ...rows]);
}

/**
 * @param {readonly Sample[]} samples
 * @returns {string}
 */
export function verdict(samples) {
  if (!samples.some((one) => one.contestant === "orrery")) {
    return "Verdict: none, orrery was not measured.";
  }
  const lines = REQUIREMENTS.flatMap(({ text, workload, connectionCounts, other, ratioMin }) => {
    const judged = connectionCounts.flatMap((connections) => {
      const pair = /** @type {const} */ ({ workload, connections, contestant: "orrery", other });
      const throughput = ratioOf(samples, { ...pair, measure: "throughput" });
      if (throughput === undefined) return [];
      const cpu = ratioOf(samples, { ...pair, measure: "cpu" });
      const at = `    ${connections === 1 ? "1 connection" : `${connections} connections`}:`;
      return `${at} throughput ${judge(throughput, ratioMin)}, server CPU ${judge(cpu, ratioMin)}`;
    });
    return judged.length === 0 ? [`  ${text}: not measured`] : [`  ${text}:`, ...judged];
  });
  const legend = "Verdict (orrery ÷ other; median of the rounds' ratios, least to greatest):";
  return [legend, ...lines].join("\n");
}

/** @type {(ratio: Spread | undefined, ratioMin: number) => string} */
function judge(ratio, ratioMin) {
  if (ratio === undefined) return "n/a";
  const range = `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}`;
  const answer = ratio.median >= ratioMin ? "holds" : "does not hold";
  return `${ratio.median.toFixed(2)} (${range}) ${answer}`;
}

/** @type {(number: number | undefined, digits: number) => string} */
function decimal(number, digits) {
  return number === undefined ? "n/a" : number.toFixed(digits);
}

/** @param {number | undefined} bytes */
function mebibytes(bytes) {
  return bytes === undefined ? "n/a" : (bytes / BYTES_PER_MEBIBYTE).toFixed(0);
}

/**
 * Columns as wide as their widest cell: the first to the left, the figures to the right.
 * @param {readonly (readonly string[])[]} rows
 */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) => {
      const [name, ...figures] = row.map((cell, column) => {
        return column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]);
      });
      return [name, ...figures].join("  ");
    })
    .join("\n");
}
