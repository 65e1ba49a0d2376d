/**
 * A write by a client of the old key that changes what the new key is made of: for the client it is
 * a replace, and for the container the item has to go from one place to another, perhaps in another
 * physical partition, which no one transaction covers.
 *
 * Invariants
 * - The item is put at its new place before it leaves the old one. It is for a moment in both, and
 *   never in neither.
 * - That it is about to move is on disk before it does, with a digest of what it will be. After a
 *   crash between the two writes the job takes the second one (`settleMoves`), and only if the new
 *   place has what was to be written there.
 * - What somebody else has written to the old place meanwhile is not lost: the new place is given
 *   up, and the move begins again.
 *
 * A moved item has another number, as if it had been deleted and created anew.
 */
import { createHash } from "node:crypto";
import { ru } from "../../base/units.ts";
import type { Caller } from "../../model/caller.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { WriteRequest } from "../../model/request/writeRequest.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { etagOf, objectOf, ownTextOf } from "../item/itemBody.ts";
import type { ItemOutcome, WriteCommand } from "../item/itemCommand.ts";
import { epkOfKey, idOfKey, itemKeyOf } from "../item/itemKey.ts";
import { unmetCondition } from "../item/prepare.ts";
import type { InTurn } from "../jobs/turns.ts";
import type { Container } from "../partition/container.ts";
import { routeKey, routeWrite } from "../partition/itemRouting.ts";

/** What is remembered of a move, as JSON. */
export interface ItemMove {
  /** The keys under which the store has the item: before, and after. */
  readonly from: string;
  readonly to: string;
  /** Of the version that leaves. */
  readonly fromEtag: string;
  /** Of what is to be at the new place. */
  readonly digest: string;
}

/** A container, and what a move needs of the job that gave it its name. */
export interface MoveSetting {
  readonly store: PartitionStore;
  readonly limits: Limits;
  readonly container: Container;
  /** Other moves, and the steps and switches of the job, wait meanwhile. */
  readonly inTurn: InTurn;
  hasEnded(): boolean;
  /** Resolves when it is on disk that an item is about to move. */
  begin(move: ItemMove): Promise<void>;
  end(move: ItemMove): void;
}

/** A write in terms of the new key, of an item that is under another one. */
interface MovingWrite {
  readonly request: WriteRequest;
  /** Where the item is. */
  readonly leaves: { readonly key: PartitionKey; readonly id: string };
  readonly caller: Caller;
}

const ATTEMPTS_MAX = 5;
const CONTENDED: Refusal = { kind: "throttled", retryAfterMs: 10 };

export async function moveItem(setting: MoveSetting, write: MovingWrite): Promise<ItemOutcome> {
  const { container, limits, inTurn } = setting;
  const routed = routeWrite(container, write.request, limits);
  if (!routed.ok) return refusedBy(container, routed.error);
  const left = routeKey(container, write.leaves.key, limits);
  if (!left.ok) return refusedBy(container, left.error);
  const { command } = routed.value;
  const from = itemKeyOf(left.value.epk, write.leaves.id);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const outcome = await inTurn(() => moveOnce(setting, write, from, command));
    if (outcome !== undefined) return outcome;
  }
  return refusedBy(container, CONTENDED);
}

/** Nothing if somebody else has changed the item at its old place meanwhile. */
async function moveOnce(
  setting: MoveSetting,
  { leaves, caller }: MovingWrite,
  from: string,
  command: WriteCommand,
): Promise<ItemOutcome | undefined> {
  const { container } = setting;
  if (setting.hasEnded()) return refusedBy(container, container.closedFor ?? CONTENDED);
  const present = await itemAt(setting, from);
  const isThere = present !== undefined && container.isOfKey(objectOf(present.body), leaves.key);
  const owner = container.ownerOf(command.epk);
  // Gone meanwhile: the write is one of an item that is not there.
  if (!isThere || !("draft" in command)) return owner.submit(command, caller);
  const unmet = unmetCondition(command, present);
  if (unmet !== undefined) return refusedBy(container, unmet);
  const { draft, epk, key, indexing } = command;
  const to = itemKeyOf(epk, draft.id);
  const fromEtag = etagOf(present.body);
  const move: ItemMove = { from, to, fromEtag, digest: digestOf(draft.text) };
  await setting.begin(move);
  const put = await owner.submit(
    { kind: "create", epk, key, id: draft.id, draft, indexing },
    caller,
  );
  if (put.kind === "refused") {
    if (!isUncertain(put)) setting.end(move);
    return put;
  }
  const gone = await remove(setting, from, fromEtag);
  // The next step of the job takes it away.
  if (gone !== undefined && isUncertain(gone)) return gone;
  const isMoved = gone?.kind === "deleted";
  if (!isMoved) await remove(setting, to, put.etag!);
  setting.end(move);
  return isMoved ? { ...put, kind: "replaced", charge: ru(put.charge + gone.charge) } : undefined;
}

/** True if the write may be on disk all the same. */
function isUncertain(outcome: ItemOutcome): boolean {
  return outcome.kind === "refused" && outcome.refusal.kind === "unavailable";
}

/** Takes the second step of moves that were begun. Only in turn with them. */
export async function settleMoves(setting: MoveSetting, moves: readonly ItemMove[]): Promise<void> {
  for (const move of moves) {
    const after = await itemAt(setting, move.to);
    const isPut = after !== undefined && digestOf(ownTextOf(after.body)) === move.digest;
    if (isPut) await remove(setting, move.from, move.fromEtag);
    setting.end(move);
  }
}

/** The live item at a place. */
async function itemAt(
  { store, container }: MoveSetting,
  place: string,
): Promise<StoredItem | undefined> {
  for (;;) {
    const { map } = container;
    const owner = container.ownerOf(epkOfKey(place));
    const item = await store.get(owner.entry.part, place);
    // A part that was given up meanwhile may have been read when it was empty already.
    if (container.map !== map) continue;
    return item !== undefined && owner.isLive(item) ? item : undefined;
  }
}

/** Takes an item away if it is still of this version. No budget delays it: it is owed. */
async function remove(
  setting: MoveSetting,
  place: string,
  etag: string,
): Promise<ItemOutcome | undefined> {
  const { container } = setting;
  const item = await itemAt(setting, place);
  const key = item && container.readKey(objectOf(item.body));
  if (key?.ok !== true) return undefined;
  const epk = epkOfKey(place);
  const id = idOfKey(place);
  const command = { kind: "delete", epk, key: key.value, id, ifMatch: etag } as const;
  return container.ownerOf(epk).submitCopy(command);
}

function digestOf(text: Buffer): string {
  return createHash("sha256").update(text).digest("base64");
}

function refusedBy(container: Container, refusal: Refusal): ItemOutcome {
  const [first] = container.partitions.values();
  const { entry, lsn } = first!;
  return {
    kind: "refused",
    refusal,
    charge: chargeOf({ kind: "metadata" }),
    lsn,
    rangeId: entry.id,
  };
}
