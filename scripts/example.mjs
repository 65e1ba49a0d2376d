/**
 * `npm run example <name> [-- options]`: an application of the folder `examples`. It is TypeScript,
 * which Node 20 does not run as it is, so it is bundled first, into a `dist` folder of its own. What
 * it imports from packages stays outside, and so does Orrery, which it imports by name like anybody.
 *
 * Orrery is built first if needed. `--built` before the name takes the build as it is: a test may not
 * take it away from under the tests beside it.
 */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { runChosen } from "./runByName.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(root, "examples");
const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "main.ts")));

const args = process.argv.slice(2);
const isOfSources = args[0] === "--built";
const [name, ...options] = isOfSources ? args.slice(1) : args;
if (name === undefined || name === "--help") {
  process.stdout.write(listOf());
} else if (!names.includes(name)) {
  process.stderr.write(`There is no "${name}".\n\n${listOf()}`);
  process.exitCode = 2;
} else {
  const outfile = join(folder, name, "dist", "main.js");
  await build({
    absWorkingDir: root,
    entryPoints: [join(folder, name, "main.ts")],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "esm",
    sourcemap: true,
    logLevel: "warning",
  });
  const run = { about: "", takes: "", command: [outfile], isOfSources };
  process.exitCode = await runChosen(run, options);
}

function listOf() {
  const lines = names.map((each) => `  ${each}\n`).join("");
  return `Usage: npm run example <name> [-- options]\n\n${lines}`;
}
