/**
 * Says that suites which are to run on PostgreSQL do: a few of them always, most of them where
 * `ORRERY_TEST_STORE` says so.
 */
import pg from "pg";
import { expect, test } from "vitest";
import { openStage } from "../sdk/stage.ts";
import { POSTGRES_VARIABLE } from "./onePostgres.ts";

test("a throw-away server of a test has its data in a database", async () => {
  const client = new pg.Client({ connectionString: process.env[POSTGRES_VARIABLE] });
  await client.connect();
  const count = async (): Promise<number> => {
    const { rows } = await client.query<{ readonly count: string }>(
      `SELECT count(*) FROM pg_database WHERE datname LIKE 'served_${process.pid}_%'`,
    );
    return Number(rows[0]!.count);
  };
  const before = await count();
  const stage = await openStage();
  expect(await count()).toBe(before + 1);
  await stage[Symbol.asyncDispose]();
  await client.end();
});
