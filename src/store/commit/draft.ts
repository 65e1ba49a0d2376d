/**
 * What each writing operation comes to: checked against the state at the end of the frame that is
 * being put together, it yields a record for the journal and an answer, or it is refused.
 *
 * A draft may yet come to nothing. Whoever made it drops it when its frame fails; nothing here
 * touches what readers see.
 */
import { assert } from "../../base/assert.ts";
import type { Lsn } from "../../base/units.ts";
import type { StoreRecord } from "../journal/record.ts";
import type { VisibleState } from "../memory/visibleState.ts";
import { EMPTY_HEAD, groupLsn, headAdopting, headAfter } from "../partHead.ts";
import type {
  Adopted,
  CommitTerms,
  Committed,
  KeptVersion,
  Lease,
  PartHead,
  WriteGroup,
} from "../partitionStore.ts";
import { Fenced } from "../partitionStore.ts";
import { TallyDraft } from "../tallies.ts";
import { Overlay } from "./overlay.ts";

export interface Draft {
  readonly heads: Overlay<number, PartHead>;
  readonly leases: Overlay<string, Lease>;
  readonly tallies: TallyDraft;
}

/** A draft on what is visible now. */
export function draftOn(state: VisibleState): Draft {
  return {
    heads: new Overlay(state.heads),
    leases: new Overlay(state.leases),
    tallies: new TallyDraft((part, family) => state.tally(part, family)),
  };
}

/** Checks a request against the draft, and changes it; throws when it is refused. */
export type DraftChange<T> = (draft: Draft) => {
  readonly record: StoreRecord | undefined;
  readonly answer: T;
  /** It may be true before it is durable, if it becomes durable before anything else does. */
  readonly isDeferrable?: boolean;
};

export function toClaim(part: number, epoch: number): DraftChange<PartHead> {
  return ({ heads }) => {
    const known = heads.get(part);
    const before = known ?? EMPTY_HEAD;
    if (epoch < before.epoch) throw new Fenced(`part ${part} is at epoch ${before.epoch}`);
    const head = { ...before, epoch };
    heads.set(part, head);
    // If it is forgotten, so is everything that was written under this epoch: there is nothing.
    const isDeferrable = known !== undefined;
    return { record: { kind: "head", part, head }, answer: head, isDeferrable };
  };
}

export function toCommit(
  part: number,
  epoch: number,
  groups: readonly WriteGroup[],
  { keepsVersions = false }: CommitTerms,
): DraftChange<Committed> {
  return (draft) => {
    const head = headAfter(ownHead(draft, part, epoch), groups);
    const tallies = draft.tallies.move(part, groups);
    draft.heads.set(part, head);
    const record = { kind: "commit", part, head, groups, tallies, keepsVersions } as const;
    const lsns = groups.map((_, index) => groupLsn(head, groups.length, index));
    return { record, answer: { head, lsns } };
  };
}

export function toAdopt(
  part: number,
  epoch: number,
  versions: readonly Adopted[],
  throughLsn: Lsn,
): DraftChange<PartHead> {
  return (draft) => {
    const head = headAdopting(ownHead(draft, part, epoch), versions, throughLsn);
    const tallies = draft.tallies.move(part, [versions.map(({ write }) => write)]);
    draft.heads.set(part, head);
    return { record: { kind: "adopt", part, head, versions, tallies }, answer: head };
  };
}

/** What the part has swept already is over, wherever it comes from. */
export function toAdoptVersions(
  part: number,
  epoch: number,
  versions: readonly KeptVersion[],
): DraftChange<void> {
  return (draft) => {
    const { lsn, sweptLsn } = ownHead(draft, part, epoch);
    for (const version of versions) {
      assert(version.lsn <= lsn, "a kept version is newer than the part that adopts it");
    }
    const unswept = versions.filter((version) => version.lsn > sweptLsn);
    const record = { kind: "adoptVersions", part, versions: unswept } as const;
    return { record: unswept.length > 0 ? record : undefined, answer: undefined };
  };
}

export function toSweepLog(part: number, epoch: number, throughLsn: Lsn): DraftChange<PartHead> {
  return (draft) => {
    const before = ownHead(draft, part, epoch);
    if (throughLsn <= before.sweptLsn) return { record: undefined, answer: before };
    assert(throughLsn <= before.lsn, "cannot sweep what has not happened");
    const head = { ...before, sweptLsn: throughLsn };
    draft.heads.set(part, head);
    return { record: { kind: "head", part, head }, answer: head };
  };
}

export function toDrop(part: number): DraftChange<void> {
  return ({ heads }) => ({
    record: heads.delete(part) ? { kind: "drop", part } : undefined,
    answer: undefined,
  });
}

export function toAcquireLease(
  name: string,
  owner: string,
  nowMs: number,
  durationMs: number,
): DraftChange<Lease | undefined> {
  return ({ leases }) => {
    const held = leases.get(name);
    if (held !== undefined && held.owner !== owner && held.until > nowMs) {
      return { record: undefined, answer: undefined };
    }
    const fencingToken = (held?.fencingToken ?? 0) + (held?.owner === owner ? 0 : 1);
    const lease = { owner, fencingToken, until: nowMs + durationMs };
    leases.set(name, lease);
    return { record: { kind: "lease", name, lease }, answer: lease };
  };
}

function ownHead({ heads }: Draft, part: number, epoch: number): PartHead {
  const head = heads.get(part);
  if (head?.epoch !== epoch) {
    throw new Fenced(`part ${part} is at epoch ${head?.epoch ?? "none"}, not ${epoch}`);
  }
  return head;
}
