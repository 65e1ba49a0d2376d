/** Many items at once through the official client; who is throttled comes again. */

import type { Container } from "@azure/cosmos";
import { pause } from "../../base/retry.ts";
import type { KeyedItem } from "../../lab/prove/keyedItem.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { partitionKeyOf } from "./proveClient.ts";

/** The client takes no more operations at once. */
const BULK = 100;
const TOO_MANY_REQUESTS = 429;
const WAIT_MS = 100;

/** The first that is refused for another reason than the rate, if one is. */
export async function bulkWrite(
  container: Container,
  operationType: "Create" | "Delete",
  items: readonly KeyedItem[],
): Promise<{ readonly id: string; readonly code: number } | undefined> {
  const starts = Array.from({ length: Math.ceil(items.length / BULK) }, (_, at) => at * BULK);
  const refusals = await Promise.all(
    starts.map((from) => writeChunk(container, operationType, items.slice(from, from + BULK))),
  );
  return refusals.find((refusal) => refusal !== undefined);
}

async function writeChunk(
  container: Container,
  operationType: "Create" | "Delete",
  items: readonly KeyedItem[],
): Promise<{ readonly id: string; readonly code: number } | undefined> {
  let waiting = items;
  while (waiting.length > 0) {
    const operations = waiting.map(({ item, id, key }) => ({
      operationType,
      partitionKey: partitionKeyOf(key),
      ...(operationType === "Create" ? { resourceBody: item } : { id }),
    }));
    const options = { continueOnError: true };
    const answers = await container.items.bulk(operations as never, options as never);
    const codes = answers.map(({ statusCode }) => statusCode);
    // What was throttled when it was to be created is not there to be deleted.
    const isFine = (code: number): boolean =>
      code < 400 || code === TOO_MANY_REQUESTS || (code === 404 && operationType === "Delete");
    const at = codes.findIndex((code) => !isFine(code));
    if (at >= 0) return { id: waiting[at]!.id, code: codes[at]! };
    waiting = waiting.filter((_, index) => codes[index] === TOO_MANY_REQUESTS);
    if (waiting.length > 0) await pause(realTimer, WAIT_MS);
  }
  return undefined;
}
