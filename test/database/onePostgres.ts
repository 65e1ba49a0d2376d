/**
 * One PostgreSQL for all files of a run, where suites have their data in one: `setup` and
 * `teardown` are what the runner calls before the first file and after the last one.
 */
import { LocalPostgres } from "../../src/store/postgres/localPostgres.fake.ts";

/** Where the processes of the tests find it. */
export const POSTGRES_VARIABLE = "ORRERY_TEST_POSTGRES";

/** A server of a test has twelve connections, and some tests have several servers. */
const SETTINGS = ["max_connections=400", "autovacuum=off"];

let postgres: LocalPostgres | undefined;

export async function setup(): Promise<void> {
  postgres = await LocalPostgres.start({ settings: SETTINGS });
  process.env[POSTGRES_VARIABLE] = await postgres.newDatabase();
}

export async function teardown(): Promise<void> {
  await postgres?.stop();
}
