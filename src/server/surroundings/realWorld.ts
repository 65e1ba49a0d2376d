/** The one place where this process takes its time, its chance and its waiting from. */
import { randomBytes } from "node:crypto";
import { millis } from "../../base/units.ts";
import type { Clock, Random, Timer } from "../../base/world.ts";

export const realClock: Clock = {
  now: () => millis(performance.now()),
  wallNow: () => Date.now(),
};

export const realRandom: Random = {
  next: () => Math.random(),
  bytes: (count) => randomBytes(count),
};

export const realTimer: Timer = {
  after(delay, action) {
    const handle = setTimeout(action, delay);
    return () => clearTimeout(handle);
  },
  soon: () => new Promise((resolve) => setImmediate(resolve)),
};
