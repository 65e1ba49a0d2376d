/**
 * Slow, dead and malformed connections beside a client like any other: it is served, they are told
 * what is wrong, and none of them is held. `npm run campaign slow-clients` plays tens of thousands.
 */
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { ITEMS, PARTITION_KEY, textOf } from "../http/wire.ts";
import { temporaryDirectory } from "../sdk/stage.ts";
import type { BadClient } from "./badClients.ts";
import { BAD_CLIENTS, play } from "./badClients.ts";
import { answerOf, runCampaign } from "./campaign.ts";
import { startTarget } from "./target.ts";

const IS_FULL = process.env["ORRERY_SLOW_CLIENTS"] === "full";
const SEED = Number(process.env["ORRERY_SLOW_CLIENTS_SEED"] ?? 1);
const ROUNDS = IS_FULL ? 40 : 1;
const CROWD = IS_FULL ? 500 : 120;
const DEADLINE_SECONDS = IS_FULL ? 6 : 2;
/** Many times longer than any deadline. */
const PATIENCE_MS = 60_000;

test("nobody is held, everybody is told, and a good client does not notice", async () => {
  using directory = temporaryDirectory();
  await using target = await startTarget(directory.path, {
    openFiles: 4096,
    deadlineSeconds: DEADLINE_SECONDS,
  });
  const outcome = await runCampaign(target, {
    clients: BAD_CLIENTS,
    crowd: CROWD,
    rounds: ROUNDS,
    random: seededRandom(SEED),
    patienceMs: PATIENCE_MS,
  });
  expect(outcome.findings, `seed ${SEED}`).toEqual([]);
  expect(outcome.servedCount).toBeGreaterThan(0);
  expect(target.ended).toBe(undefined);
  if (IS_FULL) process.stderr.write(`${JSON.stringify({ seed: SEED, ...outcome })}\n`);
});

const OPEN_FILES = 256;
const GREEDY_COUNT = 240;

const GREEDY: readonly BadClient[] = [
  {
    name: "sends half a body",
    manner: { kind: "waits" },
    bytes: (target) =>
      textOf(target, "POST", ITEMS, { headers: { ...PARTITION_KEY, "content-length": "9" } }),
    statuses: [[408]],
  },
  {
    name: "sends half a body as a stranger",
    manner: { kind: "waits" },
    bytes: () => "POST /dbs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{",
    statuses: [[401]],
  },
  { name: "says nothing", manner: { kind: "waits" }, bytes: () => "", statuses: [[408]] },
];

test.each(GREEDY)(
  "256 open files and 240 of whom each $name: others are served again",
  async (greedy) => {
    using directory = temporaryDirectory();
    await using target = await startTarget(directory.path, {
      openFiles: OPEN_FILES,
      deadlineSeconds: DEADLINE_SECONDS,
    });
    const before = target.descriptorCount();
    const crowd = Promise.all(
      Array.from({ length: GREEDY_COUNT }, () => play(greedy, target, PATIENCE_MS)),
    );
    const write = (id: string) =>
      answerOf(target, "POST", ITEMS, JSON.stringify({ id, pk: "a", text: "x".repeat(1000) }));
    await expect.poll(() => write("during")).toBe(201);
    for (const { endedBy } of await crowd) expect(endedBy).toBe("server");
    expect(await write("after")).toBe(201);
    expect(target.ended).toBe(undefined);
    await expect.poll(() => target.descriptorCount() ?? 0).toBeLessThanOrEqual((before ?? 0) + 10);
    // Whoever is turned away is not a line each.
    expect(target.log.length).toBeLessThan(10);
  },
);
