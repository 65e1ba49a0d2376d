/** The figures of the overload run as text. It informs; it never fails a run. */

/** @typedef {import("../overload.mjs").Phase} Phase */
/** @typedef {import("./price.mjs").Price} Price */
/** @typedef {import("./engine.mjs").EnginePrice} EnginePrice */

const CONSUMED_TOLERANCE = 0.05;
const PRICE_MAX = 0.1;

/** @param {readonly Phase[]} phases */
export function loadReport(phases) {
  const alone = spanOf(phases.filter(({ tally }) => tally === undefined));
  const served = spanOf(phases.filter(({ tally }) => tally !== undefined && tally.refused === 0));
  const neighbour = phases.map(({ name, heard }) => {
    const { p50, p99 } = timesOf(heard.times);
    return [
      name,
      String(heard.times.length),
      String(heard.refusedCount),
      String(heard.lateCount),
      p50.toFixed(2),
      ratio(p50, alone.p50),
      ratio(p50, served.p50),
      p99.toFixed(2),
      ratio(p99, alone.p99),
      ratio(p99, served.p99),
    ];
  });
  const loaded = phases.filter(({ tally }) => tally !== undefined);
  const consumed = loaded.map((phase) => {
    const { name, rate, tally, ruOffered = 0, ruCounted = 0, ruReported = 0, seconds = 1 } = phase;
    if (tally === undefined) return [];
    const provisioned = rate * seconds;
    return [
      name,
      String(rate),
      (ruOffered / (rate * tally.seconds)).toFixed(2),
      whole(tally.ru),
      whole(ruCounted),
      whole(ruReported),
      (ruCounted / provisioned).toFixed(3),
      (ruCounted / (provisioned + rate)).toFixed(3),
      Object.entries(tally.statuses)
        .map(([status, count]) => `${status}: ${whole(count)}`)
        .join(", "),
      tally.triesMean.toFixed(2),
      whole(tally.givenUp),
    ];
  });
  const machine = loaded.map(({ name, busyShare, cpuShare, memory, tally }) => {
    const growth = memory === undefined ? undefined : memory.last - memory.first;
    const each = growth === undefined ? undefined : (growth * 2 ** 20) / (tally?.refused || 1);
    return [
      name,
      percent(busyShare),
      percent(cpuShare),
      memory?.first.toFixed(0) ?? "n/a",
      memory?.last.toFixed(0) ?? "n/a",
      memory?.most.toFixed(0) ?? "n/a",
      memory?.slopePerMinute.toFixed(1) ?? "n/a",
      tally?.refused ? (each?.toFixed(0) ?? "n/a") : "–",
    ];
  });
  return [
    table(
      "phase | RU/s | offered ÷ | RU told | RU counted | RU in statistics | counted ÷ provisioned | ÷ with the second saved before | " +
        "answers | tries | gave up",
      consumed,
    ),
    table(
      "neighbour's reads beside | count | 429 | not asked in time | p50 ms | ÷ alone | " +
        "÷ beside served | p99 ms | ÷ alone | ÷ beside served",
      neighbour,
    ),
    table(
      "server during | loop busy | CPU of a core | own MiB first | last | most | " +
        "MiB/min, second half | bytes per 429",
      machine,
    ),
  ].join("\n\n");
}

/** @param {readonly Price[]} prices */
export function priceReport(prices) {
  const rows = prices.map(({ name, micros, perSecond, ratio: toRead, above }) => [
    name,
    whole(perSecond),
    micros?.toFixed(1) ?? "n/a",
    spread(toRead),
    above?.toFixed(2) ?? "n/a",
  ]);
  return table(
    "end to end, 16 connections | req/s | CPU µs/req | ÷ served read | ÷ it, floor taken off both",
    rows,
  );
}

/** @param {readonly EnginePrice[]} prices */
export function engineReport(prices) {
  const rows = prices.map(({ name, micros, ratio: toRead }) => [
    name,
    micros.toFixed(2),
    spread(toRead),
  ]);
  return table("without HTTP, store in memory | CPU µs | ÷ served read at the same depth", rows);
}

/** @param {{ phases: readonly Phase[], prices: readonly Price[], engine: readonly EnginePrice[] }} all */
export function verdict({ phases, prices, engine }) {
  const lines = [];
  for (const { name, rate, tally, ruCounted = 0, seconds = 1 } of phases) {
    if (tally === undefined || tally.refused === 0) continue;
    const share = ruCounted / (rate * seconds);
    const holds = Math.abs(share - 1) <= CONSUMED_TOLERANCE;
    lines.push(`${name}: ${share.toFixed(3)} of what is provisioned was consumed, ${said(holds)}`);
    const worse = Object.keys(tally.statuses).filter((status) => Number(status) >= 500);
    lines.push(`${name}: no 5xx, ${said(worse.length === 0)}`);
  }
  if (phases.length > 0) {
    const refused = phases.reduce((sum, { heard }) => sum + heard.refusedCount, 0);
    lines.push(`the neighbour was never refused, ${said(refused === 0)}`);
  }
  for (const { name, ratio: toRead } of prices) {
    if (!name.includes("429") || toRead === undefined) continue;
    const holds = toRead.median < PRICE_MAX;
    lines.push(`${name}, end to end: ${toRead.median.toFixed(2)} of a point read, ${said(holds)}`);
  }
  for (const { name, ratio: toRead } of engine) {
    if (!name.includes("429") || toRead === undefined) continue;
    const holds = toRead.median < PRICE_MAX;
    lines.push(`${name}: ${toRead.median.toFixed(2)} of a point read, ${said(holds)}`);
  }
  // No verdict on this one: it compares a part of one with the whole of the other.
  const whole = prices.find(({ name }) => name === "point read, served")?.micros;
  for (const { name, micros } of engine) {
    if (!name.includes("429, request to answer") || !whole) continue;
    const share = (micros / whole).toFixed(2);
    lines.push(`for scale, ${name}, HTTP left out: ${share} of a point read with HTTP`);
  }
  return ["Verdict:", ...lines.map((line) => `  ${line}`)].join("\n");
}

/** @param {boolean} holds */
function said(holds) {
  return holds ? "holds" : "does not hold";
}

/** @param {readonly Phase[]} phases */
function spanOf(phases) {
  return timesOf(phases.flatMap(({ heard }) => heard.times));
}

/** @param {readonly number[]} times */
function timesOf(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.floor(sorted.length * share)] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** @type {(one: number, other: number) => string} */
function ratio(one, other) {
  return (one / other).toFixed(2);
}

/** @param {import("../figures.mjs").Spread | undefined} ratios */
function spread(ratios) {
  if (ratios === undefined) return "n/a";
  return `${ratios.median.toFixed(2)} (${ratios.least.toFixed(2)}–${ratios.most.toFixed(2)})`;
}

/** @param {number} number */
function whole(number) {
  return Math.round(number).toLocaleString("en");
}

/** @param {number | undefined} share */
function percent(share) {
  return share === undefined ? "n/a" : `${(share * 100).toFixed(0)} %`;
}

/** @type {(head: string, rows: readonly (readonly string[])[]) => string} */
function table(head, rows) {
  const count = head.split("|").length;
  const rule = ["---", ...Array.from({ length: count - 1 }, () => "---:")];
  return [head, rule.join(" | "), ...rows.map((row) => row.join(" | "))]
    .map((line) => `| ${line} |`)
    .join("\n");
}
