/**
 * A container in memory that was copied to another key and has given its name away, and a client
 * that does not know yet. For tests.
 */
import { assert } from "../../../base/assert.ts";
import type { Account, AccountSetting } from "../../../engine/account.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { Simulated } from "../../../engine/simulatedAccount.fake.ts";
import {
  containerIn,
  databaseIn,
  simulatedAccount,
} from "../../../engine/simulatedAccount.fake.ts";
import type { JsonObject, JsonValue } from "../../../json/value.ts";
import { decodeRequest } from "../../../protocol/request/decodeRequest.ts";
import { parseResourcePath } from "../../../protocol/request/resourcePath.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { answer } from "../gateway.ts";
import { contextFor } from "../requestContext.fake.ts";

export const ITEM_COUNT = 30;
export const DOCS = "/dbs/d/colls/c/docs";

interface Answered {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Of a body that is JSON. */
  readonly value: JsonValue;
}

interface FormerStage extends Simulated {
  /** The container of before, with its key at `/pk`. */
  readonly old: Container;
  /** The one that has its name now. */
  readonly now: Container;
  /** What the client was answered before the switch. */
  readonly before: readonly Answered[];
  ask(...request: Asked): Promise<Answered>;
}

/** The method, the path, headers and a body. */
export type Asked = readonly [
  method: string,
  url: string,
  headers?: Readonly<Record<string, string>> | undefined,
  body?: JsonValue | undefined,
];

/** An item of before has the key `p0` … `p2`, and that of now `t0` … `t4`. */
export function itemOf(index: number): { pk: string; id: string; tenant: string } {
  return { pk: `p${index % 3}`, id: `i${index}`, tenant: `t${index % 5}` };
}

/** `key` is that of the copy; what is `asked` before the switch is answered by the old container. */
export async function formerStage(
  asked: readonly Asked[] = [],
  key: readonly string[] = ["/tenant"],
  setting: Partial<AccountSetting> = {},
  oldKey: readonly string[] = ["/pk"],
): Promise<FormerStage> {
  const simulated = await simulatedAccount(setting);
  const { account, time } = simulated;
  const kind = oldKey.length > 1 ? "MultiHash" : "Hash";
  const old = await containerIn(account, await databaseIn(account), undefined, {
    partitionKey: { paths: oldKey, kind, version: 2 },
  });
  for (let index = 0; index < ITEM_COUNT; index++) await write(account, old, itemOf(index));
  const before: Answered[] = [];
  for (const request of asked) before.push(await ask(account, ...request));
  const { copying } = account.jobs;
  const run = await copying.start({
    source: { database: "d", container: "c" },
    target: { database: "d", container: "t" },
    key,
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
  });
  assert(run.ok && "source" in run.value, "the job was refused");
  await time.advance(2000);
  const switched = await copying.command(run.value, "cutOver", { isForced: true });
  assert(switched.ok, "the switch was refused");
  const now = account.catalog.container("d", "c");
  assert(now !== undefined && now !== old, "the name did not move");
  return { ...simulated, old, now, before, ask: (...request) => ask(account, ...request) };
}

async function write(account: Account, container: Container, body: JsonObject): Promise<void> {
  const written = account.writeItem(container, { kind: "create", key: undefined, body });
  assert(written.ok, "an item was refused");
  await written.value;
}

async function ask(
  account: Account,
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: JsonValue,
): Promise<Answered> {
  const path = parseResourcePath(url);
  assert(path !== undefined, "no path");
  const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body));
  const request = decodeRequest({ method, path, headers, body: bytes }, account);
  return answeredOf(await answer(account, contextFor("x"), request));
}

function answeredOf({ status, headers, body }: WireAnswer): Answered {
  const named = new Map<string, string>();
  for (let index = 0; index < headers.length; index += 2) {
    named.set(headers[index]!, headers[index + 1]!);
  }
  const text = body === undefined ? "" : String(body);
  return { status, headers: named, value: (text === "" ? null : JSON.parse(text)) as JsonValue };
}

/** The header of a partition key. */
export function keyed(...key: readonly string[]): Record<string, string> {
  return { [HEADER.partitionKey]: JSON.stringify(key) };
}

export const QUERY: Readonly<Record<string, string>> = {
  [HEADER.isQuery]: "true",
  [HEADER.crossPartition]: "true",
};

/** The ids of the items of a page. */
export function idsIn({ value }: Answered): readonly string[] {
  const rows = (value as { readonly Documents?: readonly { readonly id: string }[] })?.Documents;
  return (rows ?? []).map(({ id }) => id).sort();
}

/** The ids of all items that pass. */
export function idsWhere(passes: (item: ReturnType<typeof itemOf>) => boolean): readonly string[] {
  return Array.from({ length: ITEM_COUNT }, (_, index) => itemOf(index))
    .filter(passes)
    .map(({ id }) => id)
    .sort();
}
