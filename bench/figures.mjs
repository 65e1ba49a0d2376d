/**
 * From samples to figures: medians over rounds, and ratios that are taken inside each round first.
 *
 * A ratio of two medians mixes minutes in which the machine was differently busy; the median of the
 * rounds' own ratios does not. Its least and greatest value say how far to trust it.
 */

/** @typedef {import("./speed.mjs").Sample} Sample */
/** @typedef {import("./requests.mjs").Workload} Workload */
/** @typedef {{ median: number, least: number, most: number }} Spread */
/** @typedef {"throughput" | "cpu"} Measure */

/**
 * One contestant in one cell, over all rounds.
 * @typedef {object} CellFigures
 * @property {Workload} workload
 * @property {number} connections
 * @property {string} contestant
 * @property {number} requestsPerSecond
 * @property {number | undefined} cpuMicrosPerRequest
 */

/**
 * @param {readonly number[]} numbers
 * @returns {Spread | undefined} nothing of nothing
 */
export function spreadOf(numbers) {
  if (numbers.length === 0) return undefined;
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median =
    sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, least: sorted[0], most: sorted[sorted.length - 1] };
}

/**
 * Entries by key, both in order of appearance. (`Map.groupBy` is not in Node 20.)
 * @template Entry
 * @param {readonly Entry[]} entries
 * @param {(entry: Entry) => string} keyOf
 * @returns {Map<string, Entry[]>}
 */
export function groupsOf(entries, keyOf) {
  const groups = new Map();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entry]);
    else group.push(entry);
  }
  return groups;
}

/**
 * In the order in which cells and contestants first appear.
 * @param {readonly Sample[]} samples
 * @returns {CellFigures[]}
 */
export function cellsOf(samples) {
  const groups = groupsOf(samples, (one) => {
    return `${one.workload} ${one.connections} ${one.contestant}`;
  });
  return [...groups.values()].map((group) => {
    const [{ workload, connections, contestant }] = group;
    const cpu = group.flatMap(({ cpuMicrosPerRequest: micros }) => micros ?? []);
    return {
      workload,
      connections,
      contestant,
      requestsPerSecond: spreadOf(group.map((one) => one.requestsPerSecond))?.median ?? 0,
      cpuMicrosPerRequest: spreadOf(cpu)?.median,
    };
  });
}

/**
 * How many times as fast `contestant` is as `other` in a cell: by throughput, or by server CPU per
 * request (where less is faster, so the other's is divided by ours).
 * @param {readonly Sample[]} samples
 * @param {object} pair
 * @param {Workload} pair.workload
 * @param {number} pair.connections
 * @param {string} pair.contestant
 * @param {string} pair.other
 * @param {Measure} pair.measure
 * @returns {Spread | undefined}
 */
export function ratioOf(samples, { workload, connections, contestant, other, measure }) {
  const cell = samples.filter((one) => {
    return one.workload === workload && one.connections === connections;
  });
  const ratios = cell
    .filter((one) => one.contestant === contestant)
    .flatMap((ours) => {
      const theirs = cell.find((one) => one.contestant === other && one.round === ours.round);
      if (theirs === undefined) return [];
      if (measure === "throughput") return ours.requestsPerSecond / theirs.requestsPerSecond;
      // A turn shorter than the kernel's clock tick may show no CPU time at all.
      if (!ours.cpuMicrosPerRequest || !theirs.cpuMicrosPerRequest) return [];
      return theirs.cpuMicrosPerRequest / ours.cpuMicrosPerRequest;
    });
  return spreadOf(ratios);
}
