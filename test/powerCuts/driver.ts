/**
 * Writes to an account as fast as it can, and says in a ledger what it begins and what it was told
 * is done. Whoever traces the system calls of this process sees the lines of the ledger among them,
 * in the order in which things happened.
 *
 *     node driver.mjs <data directory> <ledger file> <seed> <writes>
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { assert } from "../../src/base/assert.ts";
import { seededRandom } from "../../src/base/world.ts";
import type { LedgerLine } from "./ledger.ts";
import { makeContainers, openSubject } from "./subject.ts";
import { drive } from "./workload.ts";

const [directory, ledgerPath, seed, writeCount] = process.argv.slice(2);
assert(writeCount !== undefined, "the driver needs its four arguments");
const ledgerFile = openSync(ledgerPath!, "a");
const note = (line: LedgerLine): void => {
  writeSync(ledgerFile, `${JSON.stringify(line)}\n`);
};
// Several transactions for each segment, so that the power goes between them as well.
const { account, close } = await openSubject(directory!, undefined, { stepCountMax: 7 });
await makeContainers(account);
note({ kind: "ready" });
const random = seededRandom(Number(seed));
await drive(account, { random, writeCount: Number(writeCount), note });
await close();
closeSync(ledgerFile);
