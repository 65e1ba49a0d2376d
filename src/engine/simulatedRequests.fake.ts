/**
 * What a client asks of an account in memory (`simulatedAccount.ts`), without the wire: items,
 * batches, pages of the change feed, and other shapes for a container. For tests.
 */
import { assert } from "../base/assert.ts";
import type { Result } from "../base/result.ts";
import type { JsonObject } from "../json/value.ts";
import { HIGH_CALLER } from "../model/caller.ts";
import type { Refusal } from "../model/refusal.ts";
import type { BatchRequest, WriteRequest } from "../model/request/writeRequest.ts";
import { WHOLE_RANGE } from "../partition/epkRange.ts";
import type { Account } from "./account.ts";
import { definitionBody, parseContainerDefinition } from "./definition/containerDefinition.ts";
import type { ChangeFeedPage, ChangeFeedRequest } from "./feed/changeFeed.ts";
import type { BatchOperation, BatchOutcome, ItemOutcome } from "./item/itemCommand.ts";
import type { Container } from "./partition/container.ts";

/** The key that everything is under unless it says otherwise. */
export const KEY = "k";

type Verb = WriteRequest["kind"];

/** One write; `members` are those of the item, or the operations of a patch. */
export function write(
  account: Account,
  container: Container,
  kind: Verb,
  id: string,
  members: JsonObject = {},
  pk: string = KEY,
): Promise<ItemOutcome> {
  const request = { kind, id, key: [pk], body: bodyOf(kind, id, members, pk) } as WriteRequest;
  const written = account.writeItem(container, request);
  assert(written.ok, `${kind} of ${id} was refused before it was tried`);
  return written.value;
}

export function read(
  account: Account,
  container: Container,
  id: string,
  pk: string = KEY,
): Promise<ItemOutcome> {
  const routed = account.route(container, [pk]);
  assert(routed.ok, "the key is no key");
  const { partition, epk } = routed.value;
  const terms = { caller: HIGH_CALLER, consistency: "session" } as const;
  return Promise.resolve(partition.read(epk, id, terms));
}

/** `[kind, id, members]`, and a condition if there is one. */
export type Step = readonly [
  kind: Verb | "read",
  id: string,
  members?: JsonObject,
  condition?: { readonly ifMatch?: string; readonly ifNoneMatch?: string },
];

export function operationsOf(
  account: Account,
  container: Container,
  steps: readonly Step[],
  pk: string = KEY,
): readonly BatchOperation[] {
  return steps.map(([kind, id, members = {}, condition = {}]) => {
    const resource = bodyOf(kind, id, members, pk);
    const request = { kind, id, resource, ...condition } as BatchRequest;
    const operation = account.batchOperation(container, { ...request, key: [pk] });
    assert(operation.ok, `${kind} of ${id} was refused before it was tried`);
    return operation.value;
  });
}

export function batch(
  account: Account,
  container: Container,
  steps: readonly Step[],
  pk: string = KEY,
): Promise<BatchOutcome> {
  const operations = operationsOf(account, container, steps, pk);
  return account.runBatch(container, operations, { caller: HIGH_CALLER, consistency: "session" });
}

export function askChanges(
  account: Account,
  container: Container,
  asked: Partial<ChangeFeedRequest> = {},
): Promise<Result<ChangeFeedPage, Refusal>> {
  return account.readChanges(container, {
    mode: "latest",
    range: WHOLE_RANGE,
    start: { kind: "beginning" },
    countMax: 100,
    caller: HIGH_CALLER,
    consistency: "session",
    ...asked,
  });
}

export async function changesOf(
  account: Account,
  container: Container,
  asked: Partial<ChangeFeedRequest> = {},
): Promise<ChangeFeedPage> {
  const page = await askChanges(account, container, asked);
  assert(page.ok, "a page of changes was refused");
  return page.value;
}

/** Replaces members of the definition; one that is undefined goes. */
export async function redefine(
  account: Account,
  container: Container,
  members: Readonly<Record<string, JsonObject | number | undefined>>,
): Promise<void> {
  const { definition } = container;
  const body = Object.entries({ ...definitionBody(definition), ...members });
  const next = parseContainerDefinition(
    Object.fromEntries(body.filter(([, value]) => value !== undefined)) as JsonObject,
    definition,
    account.limits,
  );
  assert(next.ok, "the definition is none");
  await account.catalog.replaceContainer(container, next.value);
}

export function objectsOf(rows: readonly Buffer[]): readonly JsonObject[] {
  return rows.map((row) => JSON.parse(row.toString()) as JsonObject);
}

function bodyOf(kind: Verb | "read", id: string, members: JsonObject, pk: string): JsonObject {
  return kind === "patch" ? members : { id, pk, ...members };
}
