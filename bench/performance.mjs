/**
 * The page of figures: what a request costs beside floors and peers, and as a container
 * grows, and which goals that meets. Runs `peers` and `growth` in bounded forms, or takes what
 * earlier runs of them wrote; of other benchmarks it takes what they wrote, or leaves them out.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { spreadOf } from "./figures.mjs";
import { growthPlot } from "./growthPlot.mjs";
import { performancePage } from "./performancePage.mjs";

const USAGE = `Usage: npm run bench performance -- [options]

  --peers FILE   figures of \`npm run bench peers -- --json FILE\` instead of a run
  --growth FILE  figures of \`npm run bench growth -- --json FILE\` instead of a run
  --import FILE, --nodes FILE, --postgres FILE
                 figures of these benchmarks; without them their parts are left out
  --out FOLDER   where the page and its plot go (default docs)
  --smoke        short runs, and nothing is written
`;
const { values: options } = parseArgs({
  options: {
    peers: { type: "string" },
    growth: { type: "string" },
    import: { type: "string" },
    nodes: { type: "string" },
    postgres: { type: "string" },
    out: { type: "string" },
    smoke: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
/** Within twelve minutes together. */
const PEERS_RUN = ["--rounds", "3", "--count", "4000", "--connections", "16"];
const GROWTH_RUN = ["--sizes", "10000,100000,300000", "--one-key", "10000", "--rounds", "3"];

if (options.help) console.log(USAGE);
else main();

function main() {
  const folder = mkdtempSync(join(tmpdir(), "orrery-performance-"));
  try {
    const peers = options.peers ?? run("peers", PEERS_RUN, join(folder, "peers.json"));
    const growth = options.growth ?? run("growth", GROWTH_RUN, join(folder, "growth.json"));
    if (peers === undefined || growth === undefined) {
      process.exitCode = 1;
      return;
    }
    const reports = {
      peers: read(peers),
      growth: read(growth),
      imported: options.import && read(options.import),
      nodes: options.nodes && read(options.nodes),
      postgres: options.postgres && read(options.postgres),
    };
    const page = performancePage(reports);
    const plot = growthPlot(curvesOf(reports.growth.figures));
    if (options.smoke) return;
    const out = options.out ?? join(here, "../docs");
    writeFileSync(join(out, "pictures/growth.svg"), plot);
    writeFileSync(join(out, "operate/performance.md"), page);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} file */
function read(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 * @param {string} file
 * @returns {string | undefined} the file with the figures, unless an answer was wrong
 */
function run(name, args, file) {
  const given = options.smoke ? ["--smoke"] : args;
  const all = [join(here, `${name}.mjs`), ...given, "--json", file];
  const { status } = spawnSync(process.execPath, all, { stdio: "inherit" });
  return status === 0 ? file : undefined;
}

/**
 * Of the containers whose items are spread over a hundred keys; a point for each size.
 * @param {Readonly<Record<string, readonly number[]>>} figures by "<name> at <size>"
 * @returns {import("./growthPlot.mjs").Curve[]}
 */
function curvesOf(figures) {
  /** @type {Map<string, { itemCount: number, micros: number }[]>} */
  const curves = new Map();
  for (const [key, samples] of Object.entries(figures)) {
    const [, name = "", size = ""] = /^(.*) at (\d+)$/.exec(key) ?? [];
    if (size === "") continue;
    const point = { itemCount: Number(size), micros: Math.max(1, spreadOf(samples)?.median ?? 1) };
    curves.set(name, [...(curves.get(name) ?? []), point]);
  }
  return [...curves].map(([name, points]) => ({ name, points }));
}
