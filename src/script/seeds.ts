/**
 * Seeds for chance inside the sandbox. No two runs get the same seed: within a process because runs
 * are counted, across processes because the time is part of the seed.
 */
import type { Clock } from "../base/world.ts";
import type { Seed } from "./scriptSession.ts";

export function seedSource(clock: Clock): () => Seed {
  let runCount = 0;
  return () => {
    runCount++;
    const wall = clock.wallNow();
    const micros = Math.floor(clock.now() * 1000);
    return [wall | 0, (wall / 2 ** 32) | 0, micros | 0, runCount | 0];
  };
}
