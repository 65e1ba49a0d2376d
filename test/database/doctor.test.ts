/** `orrery doctor` on real databases: what is fit, what is not, and what it leaves behind. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { realClock, realTimer } from "../../src/server/surroundings/realWorld.ts";
import { examined } from "../../src/store/doctor/examination.ts";
import type { TrialFinding } from "../../src/store/doctor/finding.ts";
import { hasPostgres, LocalPostgres } from "../../src/store/postgres/localPostgres.fake.ts";
import { Session } from "../../src/store/postgres/session.ts";

describe.runIf(hasPostgres())("an examination", () => {
  let sound: LocalPostgres;
  let unsafe: LocalPostgres;

  beforeAll(async () => {
    sound = await LocalPostgres.start({
      isDurable: true,
      settings: ["default_transaction_isolation=repeatable read"],
    });
    unsafe = await LocalPostgres.start({ settings: ["max_connections=10"] });
  });

  afterAll(async () => {
    await sound?.stop();
    await unsafe?.stop();
  });

  test("finds every promise held on a PostgreSQL, and leaves nothing behind", async () => {
    const url = await sound.newDatabase();
    const findings = await findingsOn(url);
    expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
    expect(findings.length).toBeGreaterThan(25);
    expect(seenOf(findings, "a commit whose answer is lost happens once")).toMatch(
      /^[1-9]\d* conn/,
    );
    expect(seenOf(findings, /^transactions that collide/)).toMatch(/^[1-9]\d* of/);
    expect(await schemasIn(url)).toEqual([]);
  });

  test("finds a database that forgets, and one that has too few connections", async () => {
    const url = await unsafe.newDatabase();
    const broken = (await findingsOn(url)).filter(({ verdict }) => verdict === "broken");
    expect(broken.map(({ promise, seen }) => `${promise}: ${seen}`)).toEqual([
      "what is committed is on disk: fsync is off, synchronous_commit is off",
      expect.stringMatching(/^12 connections can be open at once: /),
    ]);
    for (const { advice } of broken) expect(advice).toMatch(/\w/);
    expect(await schemasIn(url)).toEqual([]);
  });

  test("says which right a role lacks", async () => {
    const url = await sound.newDatabase();
    await sound.tell(url, "CREATE ROLE guest LOGIN");
    const findings = await findingsOn(url.replace("orrery@", "guest@"));
    expect(findings).toMatchObject([{ verdict: "broken", seen: expect.stringMatching(/denied/) }]);
    expect(findings[0]!.advice).toMatch(/GRANT CREATE ON DATABASE/);
  });

  test("rejects where there is no database", async () => {
    await expect(findingsOn("postgres://orrery@127.0.0.1:1/none")).rejects.toThrow();
  });
});

function findingsOn(url: string): Promise<readonly TrialFinding[]> {
  return examined({
    url,
    clock: realClock,
    timer: realTimer,
    random: seededRandom(3),
    onTrial: () => undefined,
    isStopped: () => false,
  });
}

function seenOf(findings: readonly TrialFinding[], promise: string | RegExp): string | undefined {
  const isIt = ({ promise: one }: TrialFinding): boolean =>
    typeof promise === "string" ? one === promise : promise.test(one);
  return findings.find(isIt)?.seen;
}

async function schemasIn(url: string): Promise<readonly unknown[]> {
  const session = await Session.open({ url, connectMs: 5000 });
  const text = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'orrery%'";
  const { rows } = await session.ask({ statement: { name: "", text }, values: [] });
  await session.close();
  return rows;
}
