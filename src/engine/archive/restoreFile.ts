/**
 * Writes the items of one file into a container. What is there already is compared: equal ones are
 * counted, others are conflicts, which are left alone or replaced as was asked for.
 */
import type { PartitionFile } from "../../archive/manifest.ts";
import type { FileDamage } from "../../archive/verifyArchive.ts";
import { verifyFile } from "../../archive/verifyArchive.ts";
import { carryDigits } from "../../json/digits.ts";
import { setMember } from "../../json/member.ts";
import type { JsonValue } from "../../json/value.ts";
import type { ArchiveItem } from "../../model/archiveJob.ts";
import { shownKey } from "../../model/copyJob.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { TargetGone } from "../copy/copyWriter.ts";
import type { ItemDraft } from "../item/itemBody.ts";
import {
  draftOfValue,
  exactObjectOf,
  isUnindexed,
  ownTextOf,
  parseItem,
} from "../item/itemBody.ts";
import type { ItemOutcome, WriteCommand } from "../item/itemCommand.ts";
import type { Container } from "../partition/container.ts";
import type { ArchivedItem } from "./archivedItem.ts";
import { archivedItemOf, inPieces } from "./archivedItem.ts";
import type { RestoreCounts } from "./archiveRecord.ts";
import { NO_RESTORE_COUNTS } from "./archiveRecord.ts";
import { RunInterrupted } from "./recordedRun.ts";
import type { RestoreRun } from "./restoreRun.ts";

type Restored =
  | { readonly kind: "damaged"; readonly damage: FileDamage }
  | {
      readonly kind: "restored";
      readonly counts: RestoreCounts;
      readonly conflicts: readonly ArchiveItem[];
    };

type Tally = { -readonly [Name in keyof RestoreCounts]: number } & { conflicts: ArchiveItem[] };

const CONFLICTS_MAX = 100;
/** Until the first items have told what one costs. */
const RU_PER_ITEM = 10;

/** `firstNumber`: of the first item, if items keep their stamps. */
export async function restoreFile(
  run: RestoreRun,
  container: Container,
  file: PartitionFile,
  firstNumber: number | undefined,
): Promise<Restored> {
  const tally: Tally = { ...NO_RESTORE_COUNTS, conflicts: [] };
  const { limits } = run.setting;
  let number = firstNumber;
  let ruPerItem = RU_PER_ITEM;
  const damage = await verifyFile(run.folder, file, {
    onLines: async (lines) => {
      const items = lines.map((line) => archivedItemOf(container, limits, line, file.name));
      const countMax = run.pace.countFor(container.partitions.values(), ruPerItem);
      for (const piece of inPieces(items, countMax)) {
        if (run.mustStop()) throw new RunInterrupted();
        const first = number;
        const spent = await Promise.all(
          piece.map((item, index) =>
            restoreItem(
              run,
              container,
              item,
              first === undefined ? undefined : first + index,
              tally,
            ),
          ),
        );
        if (number !== undefined) number += piece.length;
        const charge = spent.reduce((sum, one) => sum + one, 0);
        ruPerItem = Math.max(1, charge / piece.length);
        tally.writeRu += charge;
        run.noteWritten(piece.length);
        await run.paced(container.ownerOf(piece[0]!.epk), charge, container);
      }
    },
  });
  if (damage !== undefined) return { kind: "damaged", damage };
  const { conflicts, ...counts } = tally;
  return { kind: "restored", counts, conflicts };
}

/** Resolves with what it has cost. */
async function restoreItem(
  run: RestoreRun,
  container: Container,
  item: ArchivedItem,
  number: number | undefined,
  tally: Tally,
): Promise<number> {
  const { request } = run.record;
  const { limits, store } = run.setting;
  const conflict = (reason: string): void => {
    tally.conflictCount++;
    if (tally.conflicts.length >= CONFLICTS_MAX) return;
    tally.conflicts.push({ id: item.id, key: shownKey(item.key), reason });
  };
  const draft = draftOf(item, request.ttl, limits);
  if (typeof draft === "string") {
    conflict(draft);
    return 0;
  }
  const owner = container.ownerOf(item.epk);
  const outcome = await owner.submitCopy(commandFor(item, draft, number));
  if (outcome.kind !== "refused") {
    tally.restoredCount++;
    return outcome.charge;
  }
  if (refusedFor(outcome) !== "taken") {
    conflict(wordsOf(outcome.refusal));
    return outcome.charge;
  }
  const present = await store.get(container.ownerOf(item.epk).entry.part, item.itemKey);
  if (present !== undefined && ownTextOf(present.body).equals(draft.text)) {
    tally.presentCount++;
    return outcome.charge;
  }
  if (!request.overwrite) {
    conflict("An item with this id and key is there, and differs.");
    return outcome.charge;
  }
  const replacing =
    number === undefined || present === undefined
      ? ({ ...commandFor(item, draft, number), kind: "upsert" } as WriteCommand)
      : commandFor(item, draft, present.number);
  const replaced = await container.ownerOf(item.epk).submitCopy(replacing);
  if (replaced.kind === "refused") {
    refusedFor(replaced);
    conflict(wordsOf(replaced.refusal));
  } else tally.replacedCount++;
  return outcome.charge + replaced.charge;
}

/** With the stamps of its own time if it has a number for that; else as if it were new. */
function commandFor(
  { epk, key, id, etag, ts, body }: ArchivedItem,
  draft: ItemDraft,
  number: number | undefined,
): WriteCommand {
  const place = { epk, key, id, draft };
  if (number !== undefined) return { kind: "copy", ...place, original: { number, etag, ts } };
  return { kind: "create", ...place, ...(isUnindexed(body) && { indexing: "exclude" as const }) };
}

/** A disk that fails, or a container that is gone, is nothing that an item could help. */
function refusedFor(outcome: ItemOutcome): "taken" | "other" {
  if (outcome.kind !== "refused") return "other";
  const { refusal } = outcome;
  if (refusal.kind === "unavailable") throw new StoreFault(refusal.message);
  if (refusal.kind === "damaged")
    throw new StoreFault(`the container is damaged: ${refusal.place}`);
  if (refusal.kind === "ownerNotFound") throw new TargetGone();
  return refusal.kind === "idTaken" ? "taken" : "other";
}

const WORDS: Partial<Record<Refusal["kind"], string>> = {
  uniqueKeyTaken: "Another item has the same unique values.",
  keyHashTaken: "An item of a key with the same hash has the same id.",
  logicalPartitionFull: "The logical partition is full.",
};

function wordsOf(refusal: Refusal): string {
  return WORDS[refusal.kind] ?? ("message" in refusal ? refusal.message : refusal.kind);
}

/** The item as its client wrote it, or without its time to live; a text says why it cannot be. */
function draftOf(
  { body, object }: ArchivedItem,
  ttl: "keep" | "drop",
  limits: Limits,
): ItemDraft | string {
  const isChanged = ttl === "drop" && Object.hasOwn(object, "ttl");
  const draft = isChanged
    ? draftOfValue(withoutTtl(body), limits)
    : parseItem(ownTextOf(body), limits);
  return draft.ok ? draft.value : wordsOf(draft.error);
}

/** All numbers keep their digits. System properties go when the draft is made. */
function withoutTtl(body: Buffer): JsonValue {
  const whole = exactObjectOf(body);
  const rest: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(whole)) {
    if (name !== "ttl") setMember(rest, name, value);
  }
  carryDigits(whole, rest);
  return rest;
}
