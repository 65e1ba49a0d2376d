/**
 * What requests should cost, and what the benchmarks found: the goals of the page of figures. Whether
 * a goal is met is told by the figures alone; where it is not, the page says what bounds it.
 */
import { spreadOf } from "./figures.mjs";
import { POINT_READ } from "./growthShapes.mjs";

/** @typedef {import("./performancePage.mjs").Reports} Reports */
/**
 * A request, as a multiple of a point read of the same container and round.
 * @typedef {object} ShapeGoal
 * @property {string} shape as `growthShapes.mjs` calls it
 * @property {number} timesMost
 * @property {string} bound what bounds it, should it not be met
 */
/**
 * @typedef {object} OtherGoal
 * @property {string} name
 * @property {string} wanted
 * @property {(reports: Reports) => Measured | undefined} measured undefined where it was not
 * @property {string} bound
 */
/** @typedef {{ text: string, isMet: boolean }} Measured */

/** From 100,000 items on nothing should cost more than so many times as much. */
export const GROWTH_MOST = 1.3;
const GROWTH_FROM = 100_000;
const CONNECTIONS = 16;
const MIB = 2 ** 20;

const QUERY = "a query's own way, taken apart below";

/** @type {readonly ShapeGoal[]} */
export const SHAPE_GOALS = [
  { shape: POINT_READ, timesMost: 1, bound: "the cache of items read lately holds fewer of them" },
  { shape: "equality, no key", timesMost: 2.5, bound: QUERY },
  { shape: "equality, key in header and filter", timesMost: 2.5, bound: QUERY },
  {
    shape: "TOP 10 ORDER BY in a key",
    timesMost: 5,
    bound:
      "a third is passing over the entries of other keys, a third loading and parsing 11 items",
  },
  { shape: "COUNT in a key", timesMost: 2, bound: QUERY },
  {
    shape: "first 100 items of a key",
    timesMost: 8,
    bound: "101 items are found, checked against their sums and copied, and 120 kB sent",
  },
  {
    shape: "TOP 10 ORDER BY",
    timesMost: 5,
    bound: "a query's own way, then 11 items are loaded and parsed, and 12 kB sent",
  },
  { shape: "COUNT", timesMost: 1.5, bound: QUERY },
];

/** @type {readonly OtherGoal[]} */
export const OTHER_GOALS = [
  {
    name: "a durable, indexed create",
    wanted: "≤ one of Cosmium, in memory and unindexed",
    measured: ({ peers }) =>
      besides(cpuOf(peers, "create", "orrery"), cpuOf(peers, "create", "cosmium"), 1),
    bound:
      "about 100 µs of it are the index: twenty-odd terms for each item, each put where it belongs by the absorber; " +
      "Cosmium has none, and nothing on disk",
  },
  {
    name: "an upsert",
    wanted: "≤ 1.25 × a create",
    measured: ({ peers }) =>
      besides(cpuOf(peers, "upsert", "orrery"), cpuOf(peers, "create", "orrery"), 1.25),
    bound:
      "the version before has to be read and parsed to know its terms, and each term that goes is a change of its own in the index",
  },
  {
    name: "import, default indexing",
    wanted: "≥ 15,000 items/s",
    measured: ({ imported }) => {
      if (imported === undefined) return undefined;
      const rate = imported.itemCount / imported.importer.seconds;
      return { text: `${Math.round(rate).toLocaleString("en")} items/s`, isMet: rate >= 15_000 };
    },
    bound:
      "processor time of importer, server and absorber, on a machine with two cores that others shared",
  },
  {
    name: "own memory after single creates",
    wanted: "≤ 150 MiB, whatever their number",
    measured: ({ peers }) => {
      const samples = peers.memory.filter(({ contestant }) => contestant === "orrery");
      const own = samples.map(({ loaded }) => (loaded?.anonymous ?? Number.NaN) / MIB);
      const text = samples
        .map(({ itemCount }, at) => `${own[at]?.toFixed(0)} at ${itemCount.toLocaleString("en")}`)
        .join(", ");
      return samples.length === 0 ? undefined : { text, isMet: own.every((mib) => mib <= 150) };
    },
    bound:
      "tables of what is not absorbed, up to four segments of 16 MiB, and the young generations of two threads; " +
      "on a busy machine absorption lags",
  },
  {
    name: "size on disk",
    wanted: "≤ 2 × the items",
    measured: ({ growth }) => {
      const largest = growth.loads.toSorted((a, b) => b.textBytes - a.textBytes)[0];
      if (largest === undefined) return undefined;
      const times = largest.diskBytes / largest.textBytes;
      return { text: `${times.toFixed(2)} ×`, isMet: times <= 2 };
    },
    bound:
      "2.4 × if every page were full: the item with its system properties 1.3, its terms 0.9, its key and the log 0.2; pages of items are five sixths full",
  },
  {
    name: "start to first answer, empty store",
    wanted: "≤ 120 ms",
    measured: ({ peers }) => {
      const those = peers.starts.filter(({ label }) => label === "orrery");
      const elapsed = spreadOf(those.map(({ elapsedMs }) => elapsedMs));
      if (elapsed === undefined) return undefined;
      const { median, least } = elapsed;
      const text = `${median.toFixed(0)} ms, at best ${least.toFixed(0)}`;
      return { text, isMet: median <= 120 };
    },
    bound: "compiling the program, on a machine where others take the processor",
  },
];

/**
 * The multiple of a point read of the same round, at one size.
 * @type {(growth: Reports["growth"], shape: string, size: string) => number | undefined}
 */
export function timesOf({ figures }, shape, size) {
  const reads = figures[`${POINT_READ} at ${size}`] ?? [];
  const micros = figures[`${shape} at ${size}`] ?? [];
  return spreadOf(micros.map((one, round) => one / (reads[round] ?? Number.NaN)))?.median;
}

/**
 * The size that growth is counted from: the first of 100,000 items or more, unless there is none larger.
 * @type {(sizes: readonly number[]) => number | undefined}
 */
export function growthFrom(sizes) {
  return sizes.slice(0, -1).find((size) => size >= GROWTH_FROM) ?? sizes[0];
}

/**
 * How much more it costs at the largest size.
 * @type {(growth: Reports["growth"], shape: string, sizes: readonly number[]) => number | undefined}
 */
export function growthOf({ figures }, shape, sizes) {
  const [before, after] = [growthFrom(sizes), sizes.at(-1)].map(
    (size) => spreadOf(figures[`${shape} at ${size}`] ?? [])?.median,
  );
  return before === undefined || after === undefined ? undefined : after / before;
}

/** @type {(peers: Reports["peers"], workload: string, contestant: string) => number | undefined} */
function cpuOf({ cells }, workload, contestant) {
  return cells.find(
    (cell) =>
      cell.workload === workload &&
      cell.contestant === contestant &&
      cell.connections === CONNECTIONS,
  )?.cpuMicrosPerRequest;
}

/** @type {(micros: number | undefined, other: number | undefined, timesMost: number) => Measured | undefined} */
function besides(micros, other, timesMost) {
  if (micros === undefined || other === undefined) return undefined;
  const times = micros / other;
  const text = `${micros.toFixed(0)} µs, ${times.toFixed(2)} ×`;
  return { text, isMet: times <= timesMost };
}
