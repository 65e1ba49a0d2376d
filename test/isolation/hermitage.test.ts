/**
 * Which anomalies batches are free of: all of these. Each is looked for on a real server by the
 * official client, and, so that the search is worth something, on a store that has it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { Site } from "../crash/site.ts";
import { BUGS, FakeStore } from "./fakeStore.ts";
import type { HermitageCase } from "./hermitage.ts";
import { HERMITAGE, Stage } from "./hermitage.ts";
import { ServerTarget } from "./serverTarget.ts";
import type { Target } from "./target.ts";

const CLIENT_COUNT = 4;
const ROUND_COUNT = 12;
const FAKE_ROUND_COUNT = 200;

async function problemsOf(
  target: Target,
  { anomaly, round }: HermitageCase,
  roundCount: number,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (let count = 0; count < roundCount; count++) {
    const stage = await Stage.open(target, `${anomaly}-${count}`);
    problems.push(...(await round(stage)));
  }
  return problems;
}

describe("the search", () => {
  test.each(HERMITAGE)("finds nothing in a store that is right: $anomaly", async (row) => {
    const store = new FakeStore(seededRandom(1), undefined);
    expect(await problemsOf(store, row, FAKE_ROUND_COUNT)).toEqual([]);
  });

  test.each(HERMITAGE)("finds $anomaly in a store that is wrong", async (row) => {
    const store = new FakeStore(seededRandom(1), row.bug);
    const problems = await problemsOf(store, row, FAKE_ROUND_COUNT);
    expect(problems.length, `a store that ${BUGS[row.bug]}`).toBeGreaterThan(0);
  });
});

describe("batches", () => {
  let data: string;
  let site: Site | undefined;
  let target: ServerTarget | undefined;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "orrery-hermitage-"));
    site = await Site.open(data, ["--no-rate-limit"]);
    target = await ServerTarget.open(site, CLIENT_COUNT);
  });
  afterAll(async () => {
    target?.[Symbol.dispose]();
    await site?.close();
    await rm(data, { recursive: true, force: true });
  });

  test.each(HERMITAGE)("$anomaly: $rule", async (row) => {
    expect(await problemsOf(target!, row, ROUND_COUNT)).toEqual([]);
  });
});
