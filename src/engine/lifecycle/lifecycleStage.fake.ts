/** An account with a hot and a warm container, for tests. Items are due after ten days. */
import { assert } from "../../base/assert.ts";
import { DAY_MS, DAY_SECONDS } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import type { LifecycleEntry, LifecycleSettings } from "../../model/lifecycle.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { Account, AccountSetting } from "../account.ts";
import { objectOf } from "../item/itemBody.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { containerIn, databaseIn, put, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { LifecycleRequest } from "./lifecycleRequest.ts";
import { LIFECYCLE_DEFAULTS } from "./lifecycleRequest.ts";
import { LifecycleRun } from "./lifecycleRun.ts";

export const SETTINGS: LifecycleSettings = {
  ...LIFECYCLE_DEFAULTS,
  ageProperty: "/date",
  ageSeconds: 10 * DAY_SECONDS,
  intervalSeconds: 5,
};

export const REQUEST: LifecycleRequest = {
  hot: { database: "d", container: "hot" },
  warm: { database: "d", container: "warm" },
  settings: SETTINGS,
  enableTtl: false,
  isForced: false,
};

export interface LifecycleStage extends Simulated {
  readonly hot: Container;
  readonly warm: Container;
}

export async function lifecycleStage(
  more: Partial<AccountSetting> = {},
  { hot = {}, warm = {} }: { readonly hot?: JsonObject; readonly warm?: JsonObject } = {},
): Promise<LifecycleStage> {
  const simulated = await simulatedAccount(more);
  const { account } = simulated;
  const database = await databaseIn(account);
  const hotBody = { id: "hot", defaultTtl: 45 * DAY_SECONDS, ...hot };
  return {
    ...simulated,
    hot: await containerIn(account, database, undefined, hotBody),
    warm: await containerIn(account, database, undefined, { id: "warm", ...warm }),
  };
}

export async function begun(
  account: Account,
  settings: Partial<LifecycleSettings> = {},
  more: Partial<LifecycleRequest> = {},
): Promise<LifecycleRun> {
  const request = { ...REQUEST, settings: { ...SETTINGS, ...settings }, ...more };
  const run = await account.jobs.lifecycles.start(request);
  assert(run.ok, run.ok ? "" : JSON.stringify(run.error));
  return run.value;
}

/** The one lifecycle of an account. */
export function runOf(account: Account): LifecycleRun {
  const [run] = account.jobs.lifecycles.runs;
  assert(run instanceof LifecycleRun, "there is a lifecycle");
  return run;
}

export function entryOf(account: Account): Promise<LifecycleEntry> {
  return account.jobs.lifecycles.entryOf(runOf(account));
}

/** The date of so many days ago, as text. */
export function daysAgo({ time }: Pick<Simulated, "time">, days: number): string {
  return new Date(time.clock.wallNow() - days * DAY_MS).toISOString();
}

export function write(
  account: Account,
  container: Container,
  id: string,
  more: JsonObject = {},
): Promise<ItemOutcome> {
  return put(account, container, { pk: `p${id}`, id, ...more } as { pk: string; id: string });
}

export async function patch(
  account: Account,
  container: Container,
  id: string,
  members: JsonObject,
): Promise<ItemOutcome> {
  const operations = Object.entries(members).map(([name, value]) => ({
    op: "set",
    path: `/${name}`,
    value,
  }));
  const body = { operations };
  const done = account.writeItem(container, { kind: "patch", key: [`p${id}`], id, body });
  assert(done.ok, "the patch is taken");
  return done.value;
}

export async function remove(account: Account, container: Container, id: string): Promise<void> {
  const gone = account.writeItem(container, { kind: "delete", key: [`p${id}`], id });
  assert(gone.ok, "a deletion is taken");
  await gone.value;
}

/** The live items by their ids, without what differs between copies. */
export async function itemsIn(
  account: Account,
  container: Container,
): Promise<Readonly<Record<string, JsonObject>>> {
  const page = await account.readItems(container, {
    scope: { order: "creation", range: WHOLE_RANGE },
    position: undefined,
    countMax: 100_000,
  });
  assert(page.ok, "a container can be read");
  const items = page.value.bodies.map((body) => {
    const { _rid, _self, _etag, _ts, _attachments, pk, id, ...rest } = objectOf(body);
    return [id as string, rest] as const;
  });
  return Object.fromEntries(items);
}
