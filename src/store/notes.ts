/**
 * What a store notes about itself, beside the data: each note is an item of a part that nothing
 * else has, with JSON for a body.
 */
import type { PartitionStore } from "./partitionStore.ts";

/** No container is ever given it: the last part there is has statistics, the one before it this. */
export const NOTES_PART: number = 2 ** 32 - 2;

export async function readNote(store: Pick<PartitionStore, "get">, name: string): Promise<unknown> {
  const item = await store.get(NOTES_PART, name);
  return item && (JSON.parse(item.body.toString()) as unknown);
}

/** Takes the note away if there is nothing to say. Only one process may have the store open. */
export async function writeNote(store: PartitionStore, name: string, note: unknown): Promise<void> {
  const head = await store.head(NOTES_PART);
  const epoch = (head?.epoch ?? 0) + 1;
  const { numberMax } = await store.claim(NOTES_PART, epoch);
  const item = await store.get(NOTES_PART, name);
  const before = item && { lsn: item.lsn, bodyBytes: item.body.length };
  const number = item?.number ?? numberMax + 1;
  const known = { key: name, number, tag: 0, termsRemoved: [] };
  if (note !== undefined) {
    const body = Buffer.from(JSON.stringify(note));
    const put = { ...known, kind: "put", body, before, termsAdded: [] } as const;
    await store.commit(NOTES_PART, epoch, [[put]]);
  } else if (before !== undefined) {
    await store.commit(NOTES_PART, epoch, [[{ ...known, kind: "delete", before }]]);
  }
}
