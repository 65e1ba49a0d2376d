/**
 * `npm run campaign <name> [-- options]`: a long run that tries to break a promise, or that makes a
 * page of the documents from what the server answers. Most are the full form of tests that `npm
 * test` runs in a short one; options go to vitest, such as `-t <part of a name>`.
 */
import { CAMPAIGNS } from "./campaigns.mjs";
import { runByName } from "./runByName.mjs";

process.exitCode = await runByName({
  usage: "npm run campaign <name> [-- options]",
  runs: CAMPAIGNS,
  args: process.argv.slice(2),
});
