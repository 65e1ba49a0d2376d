/**
 * One bit of a data directory changes while nobody looks: in the tables, in their checksums, in the
 * journal. Every answer is right or says that it cannot be given; a store that cannot open says so.
 * `npm run campaign rot` tries thousands of bits.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { buildData, openStore } from "../backup/damageStage.ts";
import type { Answers, RotOutcome } from "./rotStage.ts";
import { askEverything, copyWithFlip, filesOf, outcomeOf, randomFlip } from "./rotStage.ts";

const FLIP_COUNT = Number(process.env["ORRERY_ROT_COUNT"] ?? 150);
const SEED = Number(process.env["ORRERY_ROT_SEED"] ?? 1);

let root: string;
let template: string;
let expected: Answers;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "orrery-rot-"));
  template = join(root, "template");
  await buildData(template);
  const { store } = await openStore(template);
  await writeMore(store);
  expected = askEverything(store);
  await store.close();
}, 120_000);

afterAll(() => rmSync(root, { recursive: true, force: true }));

test(`${FLIP_COUNT} changed bits: no answer is wrong`, { timeout: 36_000_000 }, async () => {
  const counts: Record<RotOutcome, number> = { unharmed: 0, damageTold: 0, refusedToOpen: 0 };
  const random = seededRandom(SEED);
  for (let count = 1; count <= FLIP_COUNT; count++) {
    const flip = randomFlip(template, random);
    const directory = join(root, "flipped");
    copyWithFlip(template, directory, flip);
    const { outcome, wrong } = await outcomeOf(directory, expected);
    expect(wrong, `flip ${count} of seed ${SEED}: ${JSON.stringify(flip)}`).toEqual([]);
    counts[outcome]++;
    if (count % 500 === 0)
      process.stdout.write(`${count} of ${FLIP_COUNT} bits: ${JSON.stringify(counts)}\n`);
  }
  process.stdout.write(
    `${FLIP_COUNT} bits of ${filesOf(template).length} files: ${JSON.stringify(counts)}\n`,
  );
  // Each of them has to occur, or the bits show less than they should.
  expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).toBeGreaterThan(0);
});

/** Large items, whose values have pages of their own, and some that are in the journal only. */
async function writeMore(store: Awaited<ReturnType<typeof openStore>>["store"]): Promise<void> {
  const part = 500;
  await store.claim(part, 1);
  for (let number = 1; number <= 12; number++) {
    const body = Buffer.alloc(number * 2500, `item ${number} `);
    const terms = { termsAdded: [`t${number % 3}`, `u${number}`], termsRemoved: [] };
    const key = `f${number % 2}\x00k${number}`;
    const put = { kind: "put", key, number, tag: 0, body, before: undefined, ...terms } as const;
    await store.commit(part, 1, [[put]]);
  }
}
