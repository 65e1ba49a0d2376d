/**
 * A real server on a real disk, killed without warning under load and started again on the same
 * directory. Every acknowledged write is there, none is partial, and the server opens each time,
 * the lock of its dead predecessor notwithstanding. 4 kills here, 1,000 with ORRERY_CRASH=full.
 *
 * A kill leaves the system's caches alone, so this cannot find a missing sync: that is what
 * `powerCut.test.ts` is for.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { KillWriters } from "./killWriters.ts";
import type { Server } from "./serverProcess.ts";
import { startServer } from "./serverProcess.ts";

const IS_FULL = process.env["ORRERY_CRASH"] === "full";
const KILL_COUNT = Number(process.env["ORRERY_KILL_COUNT"] ?? (IS_FULL ? 1_000 : 4));
/** A long run says every now and then how far it is. */
const PROGRESS_EVERY = 50;
const LOAD_MS_MIN = 20;
const LOAD_MS_MAX = 400;
/** A busy machine is given the time for at least so many. */
const WRITES_PER_KILL = 5;

let data: string | undefined;
let server: Server | undefined;

afterAll(async () => {
  await server?.kill();
  if (data !== undefined) await rm(data, { recursive: true, force: true });
});

test(
  `${KILL_COUNT} kills lose nothing that was acknowledged`,
  async () => {
    data = await mkdtemp(join(tmpdir(), "orrery-kill-"));
    const random = seededRandom(process.pid);
    const writers = new KillWriters(random);
    let openMsMax = 0;
    server = await startServer(data);
    await KillWriters.makeContainer(server);
    for (let cycle = 1; cycle <= KILL_COUNT; cycle++) {
      const writing = writers.write(server).catch((error: unknown) => error);
      const loadMs = LOAD_MS_MIN + random.next() * (LOAD_MS_MAX - LOAD_MS_MIN);
      await delay(loadMs);
      const isHit = (): boolean => writers.acknowledgedCount > cycle * WRITES_PER_KILL;
      let isWriting = true;
      const ended = writing.finally(() => {
        isWriting = false;
      });
      while (isWriting && !isHit()) await delay(5);
      await server.kill();
      expect(await ended, `writing before kill ${cycle}`).toBeUndefined();
      server = await startServer(data);
      openMsMax = Math.max(openMsMax, server.openMs);
      expect(await writers.verify(server), `after kill ${cycle}`).toEqual([]);
      if (cycle % PROGRESS_EVERY === 0) {
        const { acknowledgedCount: known } = writers;
        process.stdout.write(`kill loop: ${cycle} of ${KILL_COUNT}, ${known} writes, 0 lost\n`);
      }
    }
    // And once in good order, which must leave nothing to recover and nothing locked.
    expect(await server.end()).toBe(0);
    server = await startServer(data);
    expect(await writers.verify(server)).toEqual([]);
    const { acknowledgedCount } = writers;
    process.stdout.write(
      `kill loop: ${KILL_COUNT} kills, ${acknowledgedCount} acknowledged writes, 0 lost, ` +
        `longest open ${openMsMax.toFixed(0)} ms\n`,
    );
    expect(acknowledgedCount).toBeGreaterThan(KILL_COUNT * WRITES_PER_KILL);
  },
  4 * 3_600_000,
);
