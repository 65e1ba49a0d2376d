/**
 * Brings the tables to the version of this program, in one transaction under a lock, so that
 * servers that start together make them once. Tables of a later version are refused: an older
 * program would write what the newer one does not expect.
 */
import { StoreFault } from "../partitionStore.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./schema.ts";
import type { Session } from "./session.ts";
import { isCollision } from "./session.ts";
import type { Statement } from "./statements.ts";

const VERSION: Statement = {
  name: "orrery_schema",
  text: "SELECT version FROM orrery_schema WHERE part = 0",
};
const NO_TABLE = "42P01";
/** Of a table or type that another server has made at the same moment. */
const MADE_ALREADY: readonly string[] = ["23505", "42P07", "42710"];
const TRIES_MAX = 20;

export async function prepareSchema(session: Session): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const found = await versionOf(session);
      if (found === SCHEMA_VERSION) return;
      if (found > SCHEMA_VERSION) throw tooNew(found);
      await step(session, found);
    } catch (error) {
      const isRace =
        isCollision(error) || MADE_ALREADY.includes(String((error as { code?: unknown }).code));
      if (!isRace || tries === TRIES_MAX) throw error;
    }
  }
}

async function versionOf(session: Session): Promise<number> {
  try {
    const { rows } = await session.ask({ statement: VERSION, values: [] });
    return (rows[0]?.[0] as number | undefined) ?? 0;
  } catch (error) {
    if ((error as { code?: unknown }).code === NO_TABLE) return 0;
    throw error;
  }
}

async function step(session: Session, found: number): Promise<void> {
  const next = found + 1;
  if (found === 0) {
    await session.tell(
      "CREATE TABLE IF NOT EXISTS orrery_schema (part bigint PRIMARY KEY, version bigint NOT NULL)",
    );
    await session.tell("INSERT INTO orrery_schema VALUES (0, 0) ON CONFLICT (part) DO NOTHING");
  }
  // The row is locked until the step is whole; whoever waited for it finds another version.
  const texts = [
    `UPDATE orrery_schema SET version = ${next} WHERE part = 0 AND version = ${found}`,
    ...MIGRATIONS[next]!,
  ];
  await session.tell(["BEGIN", ...texts, "COMMIT"].join(";\n"));
}

function tooNew(found: number): StoreFault {
  return new StoreFault(
    `The tables of this database are of version ${found}, made by a newer Orrery; this one knows ` +
      `version ${SCHEMA_VERSION}. Start the newer one, or name another database.`,
  );
}
