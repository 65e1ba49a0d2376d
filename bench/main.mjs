/**
 * `npm run bench <name> [-- options]`: one of the benchmarks. Each ends by itself, removes what it
 * wrote, and exits with 1 when an answer was wrong; README.md beside this file says how to read it.
 */
import { runByName } from "../scripts/runByName.mjs";
import { BENCHES } from "./benches.mjs";

process.exitCode = await runByName({
  usage: "npm run bench <name> [-- options]",
  runs: BENCHES,
  args: process.argv.slice(2),
});
