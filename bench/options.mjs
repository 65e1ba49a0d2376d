/**
 * The command line of the bench: what to measure and for how long.
 */
import { parseArgs } from "node:util";
import { WORKLOADS } from "./requests.mjs";

/** @typedef {import("./requests.mjs").Workload} Workload */

/**
 * @typedef {object} BenchOptions
 * @property {boolean} isSmoke
 * @property {Workload[]} workloads
 * @property {boolean} hasStartup
 * @property {boolean} hasMemory
 * @property {number} rounds
 * @property {number[]} connectionCounts
 * @property {number | undefined} count requests per cell; when absent, `seconds` decides
 * @property {number} seconds
 * @property {number} itemCount loaded before the speed rounds
 * @property {number} memoryItemCount loaded for the memory figure
 * @property {number} startCount
 * @property {string | undefined} jsonFile
 */

export const USAGE = `Usage: npm run bench peers -- [options]

  --smoke          a few hundred requests per cell, one round, no memory figure
  --rounds N       measured rounds; one more is thrown away (default 7)
  --seconds S      aimed length of one contestant's turn in one cell (default 1)
  --count N        requests per turn instead of a length
  --connections L  how many at once (default 1,16)
  --only LIST      of ${Object.keys(WORKLOADS).join(", ")}, startup, memory
  --items N        items loaded for the memory figure (default 100000)
  --json FILE      all samples and figures as JSON
`;

/** A slip of the finger must not fill the memory or the disk. */
const COUNT_MAX = 1_000_000;

/**
 * @param {string[]} args
 * @returns {BenchOptions | undefined} nothing when only the usage was asked for
 */
export function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      smoke: { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string", default: "1" },
      count: { type: "string" },
      connections: { type: "string", default: "1,16" },
      only: { type: "string" },
      items: { type: "string", default: "100000" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const workloads = /** @type {Workload[]} */ (Object.keys(WORKLOADS));
  const parts = values.only?.split(",") ?? [...workloads, "startup", "memory"];
  const known = new Set([...workloads, "startup", "memory"]);
  const unknown = parts.find((part) => !known.has(part));
  if (unknown !== undefined) throw new Error(`--only does not know "${unknown}"\n\n${USAGE}`);
  const count = values.count ?? (values.smoke ? "300" : undefined);
  return {
    isSmoke: values.smoke,
    workloads: workloads.filter((workload) => parts.includes(workload)),
    hasStartup: parts.includes("startup"),
    hasMemory: parts.includes("memory") && !values.smoke,
    rounds: parseCount("rounds", values.rounds ?? (values.smoke ? "1" : "7")),
    connectionCounts: values.connections.split(",").map((each) => parseCount("connections", each)),
    count: count === undefined ? undefined : parseCount("count", count),
    seconds: parsePositive("seconds", values.seconds),
    itemCount: values.smoke ? 300 : 10_000,
    memoryItemCount: parseCount("items", values.items),
    startCount: values.smoke ? 1 : 5,
    jsonFile: values.json,
  };
}

/** @type {(name: string, text: string) => number} */
function parsePositive(name, text) {
  const number = Number(text);
  if (!(number > 0 && number < Infinity)) throw new Error(`--${name} must be a positive number`);
  return number;
}

/** @type {(name: string, text: string) => number} */
function parseCount(name, text) {
  const number = parsePositive(name, text);
  if (Number.isInteger(number) && number <= COUNT_MAX) return number;
  throw new Error(`--${name} must be a whole number up to ${COUNT_MAX}`);
}
