/** Stored items as lines of NDJSON, without what the server itself has written into them. */
import { withoutSystemProperties } from "../../base/systemProperties.ts";
import { objectOf } from "../../engine/item/itemBody.ts";
import type { StoredItem } from "../../store/partitionStore.ts";

export async function* itemLines(
  pages: AsyncIterable<readonly StoredItem[]>,
): AsyncGenerator<string, void, undefined> {
  for await (const page of pages) {
    for (const { body } of page) yield JSON.stringify(withoutSystemProperties(objectOf(body)));
  }
}
