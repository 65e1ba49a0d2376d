/**
 * Items of one month deleted or created in transactional batches, together with what stands in
 * their way. A batch is done as a whole or not at all; operations that cannot be done are taken out
 * of it and the others are sent again, so every round sends fewer.
 */
import {
  Constants,
  type Container,
  type JSONObject,
  type OperationInput,
  type OperationResponse,
} from "@azure/cosmos";
import type { ArchivedItem } from "./archiveFolder.ts";

/** What the service takes in one batch: so many operations, in a body of at most 2 MB. */
const BATCH_COUNT_MAX = 100;
const BATCH_BYTES_MAX = 1_000_000;

const STATUS_NOT_FOUND = 404;
const STATUS_CONFLICT = 409;
const STATUS_CHANGED = 412;
/** It was not tried, or taken back, because of another operation of its batch. */
const STATUS_DEPENDENT = 424;

export interface Deletion {
  readonly deletedCount: number;
  /** Somebody else has deleted these. */
  readonly goneCount: number;
  /** These were written after they had been copied, and are still there. */
  readonly changedIds: readonly string[];
  readonly ru: number;
}

/** Deletes those versions of the items, and no later ones. */
export async function deleteItems(
  container: Container,
  month: string,
  items: AsyncIterable<ArchivedItem>,
): Promise<Deletion> {
  let [deletedCount, goneCount, ru] = [0, 0, 0];
  const changedIds: string[] = [];
  for await (const chunk of chunksOf(items)) {
    const sent = await send(container, month, chunk, deletionOf);
    deletedCount += sent.doneCount;
    ru += sent.ru;
    for (const { item, statusCode } of sent.refused) {
      if (statusCode === STATUS_NOT_FOUND) goneCount += 1;
      else if (statusCode === STATUS_CHANGED) changedIds.push(item.id);
      else throw new Error(`${item.id} of ${month} could not be deleted: status ${statusCode}.`);
    }
  }
  return { deletedCount, goneCount, changedIds, ru };
}

export interface Creation {
  readonly createdCount: number;
  /** An item with that id is there already, and was left as it is. */
  readonly presentCount: number;
  readonly ru: number;
}

export async function createItems(
  container: Container,
  month: string,
  items: AsyncIterable<ArchivedItem>,
): Promise<Creation> {
  let [createdCount, presentCount, ru] = [0, 0, 0];
  for await (const chunk of chunksOf(items)) {
    const sent = await send(container, month, chunk, creationOf);
    createdCount += sent.doneCount;
    ru += sent.ru;
    for (const { item, statusCode } of sent.refused) {
      if (statusCode === STATUS_CONFLICT) presentCount += 1;
      else throw new Error(`${item.id} of ${month} could not be created: status ${statusCode}.`);
    }
  }
  return { createdCount, presentCount, ru };
}

/** The types of the client know no condition for it; the protocol does. */
function deletionOf({ id, _etag }: ArchivedItem): OperationInput {
  const operation = { operationType: "Delete" as const, id, ifMatch: _etag };
  return operation;
}

/** What the server adds to an item is not part of it: it gets its own again. */
const SYSTEM_PROPERTIES = ["_rid", "_self", "_etag", "_attachments", "_ts"];

function creationOf(item: ArchivedItem): OperationInput {
  const own = Object.entries(item).filter(([name]) => !SYSTEM_PROPERTIES.includes(name));
  const resourceBody = Object.fromEntries(own) as JSONObject;
  return { operationType: "Create", resourceBody };
}

interface Sent {
  readonly doneCount: number;
  readonly refused: readonly { readonly item: ArchivedItem; readonly statusCode: number }[];
  readonly ru: number;
}

async function send(
  container: Container,
  month: string,
  items: readonly ArchivedItem[],
  operationOf: (item: ArchivedItem) => OperationInput,
): Promise<Sent> {
  const refused: { item: ArchivedItem; statusCode: number }[] = [];
  let rest = items;
  let ru = 0;
  while (rest.length > 0) {
    const answer = await container.items.batch(rest.map(operationOf), month);
    ru += Number(answer.headers[Constants.HttpHeaders.RequestCharge] ?? 0);
    const results: readonly OperationResponse[] = answer.result ?? [];
    if (results.every(({ statusCode }) => statusCode < 400)) break;
    const statusAt = (at: number): number => results[at]?.statusCode ?? STATUS_DEPENDENT;
    const isRefused = (at: number): boolean =>
      statusAt(at) >= 400 && statusAt(at) !== STATUS_DEPENDENT;
    const now = rest.flatMap((item, at) =>
      isRefused(at) ? [{ item, statusCode: statusAt(at) }] : [],
    );
    if (now.length === 0) throw new Error(`A batch of ${month} failed and does not say why.`);
    refused.push(...now);
    rest = rest.filter((_, at) => !isRefused(at));
  }
  return { doneCount: rest.length, refused, ru };
}

async function* chunksOf(
  items: AsyncIterable<ArchivedItem>,
): AsyncGenerator<readonly ArchivedItem[]> {
  let chunk: ArchivedItem[] = [];
  let bytes = 0;
  for await (const item of items) {
    const itemBytes = Buffer.byteLength(JSON.stringify(item));
    const isFull = chunk.length === BATCH_COUNT_MAX || bytes + itemBytes > BATCH_BYTES_MAX;
    if (isFull && chunk.length > 0) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(item);
    bytes += itemBytes;
  }
  if (chunk.length > 0) yield chunk;
}
