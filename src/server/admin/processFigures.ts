/**
 * How this process is doing. Everything here is kept by the runtime anyway: nothing is sampled
 * between two questions, so asking is the whole cost. For that reason the event loop is told by
 * the time it was busy, and not by its delay, which would need a timer that never rests.
 */
import { performance } from "node:perf_hooks";

export interface ProcessFigures {
  readonly uptimeSeconds: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly eventLoopActiveSeconds: number;
}

export function processFigures(): ProcessFigures {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    uptimeSeconds: process.uptime(),
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    heapBytes: heapUsed,
    eventLoopActiveSeconds: performance.eventLoopUtilization().active / 1000,
  };
}
