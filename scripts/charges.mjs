/**
 * Tries published charges on this server, through the official client, and writes down how far off
 * it is: docs/use/charges.md.
 *
 *     npm run campaign charges -- [--write] [--quick]
 *
 * Without `--write` the document goes to standard output. `--quick` leaves out the figures that need
 * hundreds of megabytes, and the document says so. Everything is generated, nothing is random, and
 * the document has neither dates nor times in it: the same code gives the same text. It talks to
 * servers of its own on loopback, ends by itself and removes its files.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { documentOf } from "./charges/document.mjs";
import { askExample } from "./charges/example.mjs";
import { PAYLOAD_ROWS, POINT_ROWS } from "./charges/pointRows.mjs";
import { OLD_ROWS, QUERY_ROWS } from "./charges/queryRows.mjs";
import { Stage } from "./charges/stage.mjs";

/** @typedef {import("./charges/pointRows.mjs").Row} Row */
/** @typedef {Omit<Row, "ask"> & { ours: number | undefined }} Tried */

const { values: options } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});

const stage = new Stage();
try {
  const example = await askExample(stage);
  const points = await tried("operations", POINT_ROWS);
  const payloads = await tried("payloads", PAYLOAD_ROWS);
  const queries = await tried("queries", QUERY_ROWS);
  const old = await tried("figures that nothing meets", OLD_ROWS);
  const text = documentOf({ example, points, payloads, queries, old });
  if (options.write) {
    writeFileSync(fileURLToPath(new URL("../docs/use/charges.md", import.meta.url)), text);
  } else {
    process.stdout.write(text);
  }
} finally {
  await stage.close();
}

/**
 * @param {string} name
 * @param {readonly Row[]} rows
 * @returns {Promise<Tried[]>}
 */
async function tried(name, rows) {
  /** @type {Tried[]} */
  const found = [];
  for (const [index, { ask, ...row }] of rows.entries()) {
    const isSkipped = options.quick && row.isLarge === true;
    const ours = isSkipped ? undefined : await ask(stage);
    process.stderr.write(
      `${name} ${index + 1}/${rows.length}: ${row.what}: ${ours ?? "skipped"}\n`,
    );
    found.push({ ...row, ours });
  }
  return found;
}
