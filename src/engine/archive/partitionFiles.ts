/**
 * Writes the items with one EPK into files, one for each logical partition, or finds out what keeps
 * them from being archived. One pass over the items does both: what was written is thrown away when
 * a later item turns out to be too young.
 *
 * Different keys may have one EPK. All of them are archived or none, unless keys were named.
 */
import type { ArchiveFolder, ArchiveWriter } from "../../archive/archiveFolder.ts";
import { dataName } from "../../archive/archiveFolder.ts";
import { ContentSum } from "../../archive/contentSum.ts";
import type { PartitionFile } from "../../archive/manifest.ts";
import type { ArchiveItem, PlannedPartition } from "../../model/archiveJob.ts";
import { shownKey } from "../../model/copyJob.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { pointRange } from "../../partition/epkRange.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import { objectOf } from "../item/itemBody.ts";
import { idOfKey } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { ArchiveSelection, PartitionJudgement } from "./archiveSelection.ts";
import type { ItemsRead } from "./logicalWalk.ts";

/** What became of the items with one EPK. */
export type Written =
  | {
      readonly kind: "archived";
      /** Empty in a dry run. */
      readonly files: readonly PartitionFile[];
      readonly partitions: readonly PlannedPartition[];
    }
  | { readonly kind: "leftOut"; readonly why: "young" | "undated"; readonly item: ArchiveItem }
  /** Nothing is there, or nothing that was meant. */
  | { readonly kind: "nothing" };

interface WriteTerms {
  readonly container: Container;
  readonly selection: ArchiveSelection;
  readonly epk: Epk;
  /** Absent in a dry run. */
  readonly folder?: ArchiveFolder | undefined;
  /** The number of the first file. */
  readonly firstNumber: number;
  /** Resolves when the next page may be read. */
  onRead(read: ItemsRead): Promise<void>;
}

/** Keys with one EPK that are archived at the same time; more than these are nobody's accident. */
const KEYS_MAX = 16;
const LINE_END = Buffer.from("\n");

export async function writePartitions(
  pages: AsyncIterable<ItemsRead>,
  terms: WriteTerms,
): Promise<Written> {
  const drafts: FileDraft[] = [];
  try {
    for await (const read of pages) {
      const kept = await takePage(read, drafts, terms);
      if (kept !== undefined) return await leftOut(drafts, kept);
      await terms.onRead(read);
    }
    if (drafts.length === 0) return { kind: "nothing" };
    const files: PartitionFile[] = [];
    for (const draft of drafts) files.push(...(await draft.finish()));
    return { kind: "archived", files, partitions: drafts.map((draft) => draft.partition) };
  } catch (error) {
    for (const draft of drafts) await draft.discard().catch(() => undefined);
    throw error;
  }
}

type Kept = Extract<Written, { readonly kind: "leftOut" }>;

/** Judges all items of a page before it writes any of them. */
async function takePage(
  { items }: ItemsRead,
  drafts: FileDraft[],
  terms: WriteTerms,
): Promise<Kept | undefined> {
  const { container, selection, epk } = terms;
  const byDraft = new Map<FileDraft, { item: StoredItem; date: number | undefined }[]>();
  for (const item of items) {
    const object = objectOf(item.body);
    const read = container.readKey(object);
    const key = read.ok ? read.value : [];
    if (!selection.isMeant(epk, key)) continue;
    const judged: PartitionJudgement = selection.judge(object);
    if (judged.kind !== "old") {
      const { kind, reason } = judged;
      const kept = { id: idOfKey(item.key), key: shownKey(key), reason };
      return { kind: "leftOut", why: kind, item: kept };
    }
    const draft = drafts.find((one) => one.isOf(key)) ?? newDraft(key, drafts, terms);
    if (draft === undefined) {
      const reason = `More than ${KEYS_MAX} keys have its hash.`;
      const crowded = { id: idOfKey(item.key), key: shownKey(key), reason };
      return { kind: "leftOut", why: "undated", item: crowded };
    }
    const list = byDraft.get(draft) ?? [];
    byDraft.set(draft, [...list, { item, date: judged.date }]);
  }
  for (const [draft, taken] of byDraft) await draft.write(taken);
  return undefined;
}

function newDraft(
  key: PartitionKey,
  drafts: FileDraft[],
  { epk, folder, firstNumber }: WriteTerms,
): FileDraft | undefined {
  if (drafts.length >= KEYS_MAX) return undefined;
  const draft = new FileDraft(key, epk, dataName(firstNumber + drafts.length), folder);
  drafts.push(draft);
  return draft;
}

async function leftOut(drafts: readonly FileDraft[], kept: Kept): Promise<Written> {
  for (const draft of drafts) await draft.discard();
  return kept;
}

/** A file that is being written, and what is known of what is in it. */
class FileDraft {
  readonly #key: PartitionKey;
  readonly #keyText: string;
  readonly #epk: Epk;
  readonly #name: string;
  readonly #folder: ArchiveFolder | undefined;
  readonly #sum = new ContentSum();
  #writer: ArchiveWriter | undefined;
  #itemCount = 0;
  #rawBytes = 0;
  #idMin = "";
  #idMax = "";
  #dateMin: number | undefined;
  #dateMax: number | undefined;

  constructor(key: PartitionKey, epk: Epk, name: string, folder: ArchiveFolder | undefined) {
    this.#key = key;
    this.#keyText = textOf(key);
    this.#epk = epk;
    this.#name = name;
    this.#folder = folder;
  }

  isOf(key: PartitionKey): boolean {
    return textOf(key) === this.#keyText;
  }

  async write(
    taken: readonly { readonly item: StoredItem; readonly date: number | undefined }[],
  ): Promise<void> {
    for (const { item, date } of taken) this.#note(item, date);
    if (this.#folder === undefined) return;
    this.#writer ??= await this.#folder.create(this.#name);
    await this.#writer.write(Buffer.concat(taken.flatMap(({ item }) => [item.body, LINE_END])));
  }

  get partition(): PlannedPartition {
    return {
      key: shownKey(this.#key),
      itemCount: this.#itemCount,
      itemBytes: this.#rawBytes - this.#itemCount,
      dateMin: this.#dateMin,
      dateMax: this.#dateMax,
    };
  }

  async finish(): Promise<readonly PartitionFile[]> {
    if (this.#writer === undefined) return [];
    const stored = await this.#writer.publish();
    const { min, max } = pointRange(this.#epk);
    const file: PartitionFile = {
      name: this.#name,
      itemCount: this.#itemCount,
      rawBytes: this.#rawBytes,
      ...stored,
      sum: this.#sum.digits,
      key: shownKey(this.#key),
      epkMin: min,
      epkMax: max,
      idMin: this.#idMin,
      idMax: this.#idMax,
      ...(this.#dateMin !== undefined && { dateMin: isoText(this.#dateMin) }),
      ...(this.#dateMax !== undefined && { dateMax: isoText(this.#dateMax) }),
    };
    return [file];
  }

  async discard(): Promise<void> {
    await this.#writer?.discard();
  }

  #note({ key, body }: StoredItem, date: number | undefined): void {
    const id = idOfKey(key);
    if (this.#itemCount === 0 || id < this.#idMin) this.#idMin = id;
    if (this.#itemCount === 0 || id > this.#idMax) this.#idMax = id;
    this.#itemCount++;
    this.#rawBytes += body.length + LINE_END.length;
    this.#sum.add(body);
    if (date === undefined) return;
    if (this.#dateMin === undefined || date < this.#dateMin) this.#dateMin = date;
    if (this.#dateMax === undefined || date > this.#dateMax) this.#dateMax = date;
  }
}

/** One text for each key; the key of a zero with a sign is another one than without. */
function textOf(key: PartitionKey): string {
  return key.map((one) => (Object.is(one, -0) ? "-0" : (JSON.stringify(one) ?? "none"))).join();
}

export function isoText(at: number): string {
  return new Date(at).toISOString();
}
