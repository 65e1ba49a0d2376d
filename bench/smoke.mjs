/**
 * Every benchmark for a moment, one after the other, with whatever options it is given: a look at
 * the answers and not at the figures. Ends with the first one that fails, and with its exit code.
 */
import { runChosen } from "../scripts/runByName.mjs";
import { BENCHES } from "./benches.mjs";

for (const [name, run] of Object.entries(BENCHES)) {
  if (name === "smoke") continue;
  process.stdout.write(`\n-- ${name}\n`);
  const code = await runChosen(run, ["--smoke", ...process.argv.slice(2)]);
  if (code !== 0) process.exit(code);
}
