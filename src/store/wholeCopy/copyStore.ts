/**
 * Copies a whole store that nobody writes to into an empty one, whatever the two are kept in, and
 * proves it by reading both. The target notes that it is one on its way, and of what; so it can go
 * on after it was ended, and no server opens it before it is whole.
 */
import { createHash } from "node:crypto";
import { NOTES_PART, readNote, writeNote } from "../notes.ts";
import type { PartitionStore } from "../partitionStore.ts";
import { StoreFault } from "../partitionStore.ts";
import type { SourceStore } from "./copyPart.ts";
import { copyPart } from "./copyPart.ts";
import { differenceOf } from "./difference.ts";

interface StoreCopy {
  readonly source: SourceStore;
  readonly target: PartitionStore;
  onProgress(progress: StoreCopyProgress): void;
  isStopped(): boolean;
}

export interface StoreCopyProgress {
  readonly phase: "copying" | "verifying";
  readonly itemCount: number;
  /** Of both phases; ends of items that the log still has come on top while copying. */
  readonly totalCount: number;
}

export interface CopiedStore {
  readonly partCount: number;
  readonly itemCount: number;
  readonly itemBytes: number;
  /** False if it went on with a copy that was ended. */
  readonly isFirst: boolean;
}

const NOTE = "copy";
/** What it belongs to comes before it: without it nothing is reached. */
const CATALOG_PART = 0;

/** Undefined if it was stopped; rejects with what is wrong. */
export async function copyStore(copy: StoreCopy): Promise<CopiedStore | undefined> {
  const { source, target, onProgress, isStopped } = copy;
  const parts = await dataParts(source);
  if (parts.length === 0) throw new StoreFault("There is nothing to be copied: it has no data.");
  const total = await totalOf(source, parts);
  const isFirst = await begin(target, await identityOf(source, parts));
  let itemCount = 0;
  const told = (phase: StoreCopyProgress["phase"]) => (count: number) => {
    itemCount += count;
    onProgress({ phase, itemCount, totalCount: total.itemCount });
  };
  const onStep = told("copying");
  for (const part of [...parts.filter((one) => one !== CATALOG_PART), CATALOG_PART]) {
    if (!(await copyPart({ source, target, part, onStep, isStopped }))) return undefined;
  }
  itemCount = 0;
  const onItems = told("verifying");
  for (const part of parts) {
    if (isStopped()) return undefined;
    const difference = await differenceOf(source, target, part, onItems);
    if (difference !== undefined) {
      throw new StoreFault(`The copy is not what it was made of: in part ${part} ${difference}.`);
    }
  }
  await writeNote(target, NOTE, undefined);
  return { partCount: parts.length, ...total, isFirst };
}

/** Why a server must not open a store, if it must not. */
export async function unfinishedCopy(store: PartitionStore): Promise<string | undefined> {
  const note = await readNote(store, NOTE);
  if (note === undefined) return undefined;
  return (
    "holds a copy that was not finished. Run the same `orrery copy` again, which goes on with " +
    "it; or empty it."
  );
}

/** True if the target is new; false if it has the beginning of the same copy. */
async function begin(target: PartitionStore, identity: string): Promise<boolean> {
  const note = (await readNote(target, NOTE)) as { readonly identity: string } | undefined;
  if (note === undefined) {
    if ((await dataParts(target)).length > 0) {
      throw new StoreFault("The target is not empty; a copy needs an empty one.");
    }
    await writeNote(target, NOTE, { identity });
    return true;
  }
  if (note.identity !== identity) {
    throw new StoreFault(
      "The target has the beginning of another copy, or the source was changed since. Empty the " +
        "target and start anew.",
    );
  }
  return false;
}

async function dataParts(store: SourceStore): Promise<readonly number[]> {
  return (await store.parts()).filter((part) => part !== NOTES_PART);
}

/** Changes with everything that is ever written. */
async function identityOf(source: SourceStore, parts: readonly number[]): Promise<string> {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part} ${JSON.stringify(await source.head(part))}\n`);
  return hash.digest("hex");
}

async function totalOf(
  source: SourceStore,
  parts: readonly number[],
): Promise<Pick<CopiedStore, "itemCount" | "itemBytes">> {
  let [itemCount, itemBytes] = [0, 0];
  for (const part of parts) {
    const head = await source.head(part);
    itemCount += head?.itemCount ?? 0;
    itemBytes += head?.itemBytes ?? 0;
  }
  return { itemCount, itemBytes };
}
