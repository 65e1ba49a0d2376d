/** What probes are told, before there is data, while it is served, and when a disk has failed. */
import { expect, test } from "vitest";
import { StoreFault } from "../store/partitionStore.ts";
import { healthAnswer, isHealthPath, openHealthPort } from "./health.ts";

const FAULT = new StoreFault("EIO: i/o error, open '/var/lib/orrery/journal/7.log'");
const SOUND = { fault: undefined };
const FAILED = { fault: FAULT };

test.each([
  ["/alive", undefined, 200, "live"],
  ["/_health/live", FAILED, 200, "live"],
  ["/ready", undefined, 503, "starting"],
  ["/ready", SOUND, 200, "ready"],
  ["/status", SOUND, 200, "ready"],
  ["/_health/ready", SOUND, 200, "ready"],
  ["/ready", FAILED, 503, "failed"],
  ["/status", FAILED, 503, "failed"],
])("%s with %o is %d", (path, account, status, word) => {
  expect(isHealthPath(path)).toBe(true);
  const answer = healthAnswer(path, account);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body!.toString())).toMatchObject({ status: word });
  expect(answer.body!.toString()).not.toContain("/var/lib");
});

test("nothing else is about health", () => {
  for (const path of ["/", "/readiness", "/dbs", "/alive/"]) expect(isHealthPath(path)).toBe(false);
});

test("a port of its own says that the server starts, until there is data", async () => {
  const health = await openHealthPort(0, "127.0.0.1");
  const ask = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${health.port}${path}`)).status;
  expect([await ask("/alive"), await ask("/ready")]).toEqual([200, 503]);
  health.answer = (path) => healthAnswer(path, SOUND);
  expect([await ask("/alive"), await ask("/ready?probe=1")]).toEqual([200, 200]);
  health.answer = undefined;
  expect([await ask("/alive"), await ask("/ready")]).toEqual([200, 503]);
  await health.close();
});
