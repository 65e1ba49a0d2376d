/** An account with a container to be copied, for tests. */
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../../json/value.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { Account, AccountSetting } from "../account.ts";
import { objectOf } from "../item/itemBody.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { containerIn, databaseIn, put, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { CopyRequest } from "./copyRecord.ts";
import { CopyRun } from "./copyRun.ts";

export const REQUEST: CopyRequest = {
  source: { database: "d", container: "c" },
  target: { database: "d", container: "t" },
  key: ["/tenant"],
  mode: "online",
  ttl: "keep",
  onClash: "stop",
  onMissingKey: "stop",
  onRefused: "stop",
  setAsideMax: 100,
  sharePercent: 50,
  cutOver: "manual",
  switchBy: "names",
  isDryRun: false,
};

interface CopyStage extends Simulated {
  readonly source: Container;
}

/** Items have keys p0 to p6, ids i0, i1, …, and tenants t0 to t10. */
export async function copyStage(
  count = 300,
  more: Partial<AccountSetting> = {},
  body: JsonObject = {},
): Promise<CopyStage> {
  const simulated = await simulatedAccount(more);
  const { account } = simulated;
  const source = await containerIn(account, await databaseIn(account), undefined, body);
  for (let index = 0; index < count; index++) await write(account, source, index);
  return { ...simulated, source };
}

export function write(
  account: Account,
  container: Container,
  index: number,
  more: JsonObject = {},
): Promise<ItemOutcome> {
  const item = { pk: `p${index % 7}`, id: `i${index}`, tenant: `t${index % 11}` };
  return put(account, container, { ...item, ...more } as typeof item);
}

export async function remove(
  account: Account,
  container: Container,
  key: string,
  id: string,
): Promise<void> {
  const gone = account.writeItem(container, { kind: "delete", key: [key], id });
  assert(gone.ok, "a deletion is taken");
  await gone.value;
}

/** Of the live items, in the order of their ids, without what differs between copies. */
export async function contents(
  account: Account,
  container: Container,
): Promise<readonly JsonObject[]> {
  const page = await account.readItems(container, {
    scope: { order: "creation", range: WHOLE_RANGE },
    position: undefined,
    countMax: 100_000,
  });
  assert(page.ok, "a container can be read");
  const rows = page.value.bodies.map((body) => {
    const { _rid, _self, ...rest } = objectOf(body);
    return rest;
  });
  return rows.sort((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1));
}

export async function started(account: Account, more: Partial<CopyRequest> = {}): Promise<CopyRun> {
  const run = await account.jobs.copying.start({ ...REQUEST, ...more });
  assert(run.ok, run.ok ? "" : JSON.stringify(run.error));
  assert(run.value instanceof CopyRun, "the job is new");
  return run.value;
}
