/** An account with a container of monthly logical partitions and a shelf in memory, for tests. */
import { SimulatedShelf } from "../../archive/simulatedShelf.fake.ts";
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../../json/value.ts";
import type { ArchiveJobEntry } from "../../model/archiveJob.ts";
import type { Account, AccountSetting } from "../account.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { containerIn, databaseIn, simulatedAccount } from "../simulatedAccount.fake.ts";
import { write } from "../simulatedRequests.fake.ts";
import type { ArchiveRequest, RestoreRequest } from "./archiveRecord.ts";

export const ARCHIVE: ArchiveRequest = {
  container: { database: "d", container: "c" },
  folder: "old",
  before: Date.UTC(2023, 0, 1),
  ageProperty: "/date",
  keep: false,
  isDryRun: false,
  sharePercent: 50,
};

export const RESTORE: RestoreRequest = {
  container: { database: "d", container: "c" },
  folder: "old",
  create: false,
  overwrite: false,
  keepTimestamps: false,
  ttl: "drop",
  sharePercent: 50,
};

export interface ArchiveStage extends Simulated {
  readonly shelf: SimulatedShelf;
  readonly container: Container;
}

/** The months of 2022, each with so many items; the time of the stage is November 2023. */
export const MONTHS: readonly string[] = Array.from(
  { length: 12 },
  (_, month) => `2022-${String(month + 1).padStart(2, "0")}`,
);

export async function archiveStage(
  perMonth = 5,
  more: Partial<AccountSetting> = {},
  body: JsonObject = {},
  months: readonly string[] = MONTHS,
): Promise<ArchiveStage> {
  const shelf = new SimulatedShelf();
  const simulated = await simulatedAccount({ archives: shelf, ...more });
  const { account } = simulated;
  const container = await containerIn(account, await databaseIn(account), undefined, body);
  for (const month of months) {
    for (let index = 0; index < perMonth; index++) {
      await putDated(account, container, month, `i${index}`, { date: `${month}-1${index % 10}` });
    }
  }
  return { ...simulated, shelf, container };
}

export async function putDated(
  account: Account,
  container: Container,
  month: string,
  id: string,
  members: JsonObject = {},
): Promise<void> {
  const item = { date: `${month}-15`, text: `${month} ${id}`, ...members };
  const outcome = await write(account, container, "upsert", id, item, month);
  assert(outcome.kind !== "refused", "an item of the stage is taken");
}

/** Starts an archive, and lets time pass until it is over or stands still. */
export async function archived(
  { time }: Pick<Simulated, "time">,
  account: Account,
  more: Partial<ArchiveRequest> = {},
): Promise<ArchiveJobEntry> {
  const started = await account.jobs.archiving.start({ ...ARCHIVE, ...more });
  assert(started.ok, started.ok ? "" : JSON.stringify(started.error));
  await time.advance(2000);
  return account.jobs.archiving.entry(started.value.id)!;
}

export async function restored(
  { time }: Pick<Simulated, "time">,
  account: Account,
  more: Partial<RestoreRequest> = {},
): Promise<ArchiveJobEntry> {
  const started = await account.jobs.archiving.restore({ ...RESTORE, ...more });
  assert(started.ok, started.ok ? "" : JSON.stringify(started.error));
  await time.advance(2000);
  return account.jobs.archiving.entry(started.value.id)!;
}
