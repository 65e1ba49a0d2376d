/**
 * `npm run page`: builds the web page again whenever a file of it changes. A server that runs from
 * `dist` serves the new one at the next reload, so start one beside it with `npm start`.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { watchPage } from "./buildPage.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

await watchPage({ root, say: (text) => process.stdout.write(`${text}\n`) });
process.stdout.write("Watching src/page. End it with Ctrl-C.\n");
