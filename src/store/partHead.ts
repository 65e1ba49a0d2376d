/**
 * The head of a part: how the counters follow from the writes, and how they are kept as bytes.
 */
import { assert } from "../base/assert.ts";
import { type Lsn, lsn } from "../base/units.ts";
import type { Adopted, ItemWrite, PartHead } from "./partitionStore.ts";
import { isEnd, isVersion } from "./partitionStore.ts";

/** What moves counters: a write of this part's own, or one that it adopts. */
export type CountedWrite = ItemWrite | Adopted["write"];

export const HEAD_BYTES: number = 6 * 8;

export const EMPTY_HEAD: PartHead = {
  epoch: 0,
  lsn: lsn(0),
  itemCount: 0,
  itemBytes: 0,
  numberMax: 0,
  sweptLsn: lsn(0),
};

/** The head of a part after `groups` are committed on top of `before`, an LSN for each. */
export function headAfter(
  before: PartHead,
  groups: readonly (readonly CountedWrite[])[],
): PartHead {
  let { itemCount, itemBytes, numberMax } = before;
  for (const group of groups) {
    for (const write of group) {
      if (write.kind === "reterm") continue;
      // A number is used up even when all that is adopted of its item is the end.
      if (write.number > numberMax) numberMax = write.number;
      if (write.before !== undefined) {
        itemCount--;
        itemBytes -= write.before.bodyBytes;
      }
      if (write.kind === "delete") continue;
      itemCount++;
      itemBytes += write.body.length;
    }
  }
  return { ...before, lsn: lsn(before.lsn + groups.length), itemCount, itemBytes, numberMax };
}

/** The LSN of one group of a commit that left a part with this head. */
export function groupLsn(head: PartHead, groupCount: number, index: number): Lsn {
  return lsn(head.lsn - groupCount + 1 + index);
}

/** The head of a part after `versions` are adopted on top of `before`. */
export function headAdopting(
  before: PartHead,
  versions: readonly Adopted[],
  throughLsn: Lsn,
): PartHead {
  const reached = lsn(Math.max(before.lsn, throughLsn));
  for (const { lsn: versionLsn, logKind, write } of versions.filter(isVersion)) {
    assert(versionLsn <= reached, "a version is newer than the part that adopts it");
    assert(isEnd(logKind) === (write.kind === "delete"), "not what the log says of it");
  }
  const writes = versions.map(({ write }) => write);
  return { ...headAfter(before, [writes]), lsn: reached };
}

export function encodeHead(head: PartHead, into: Buffer, offset: number): number {
  let at = into.writeDoubleLE(head.epoch, offset);
  at = into.writeDoubleLE(head.lsn, at);
  at = into.writeDoubleLE(head.itemCount, at);
  at = into.writeDoubleLE(head.itemBytes, at);
  at = into.writeDoubleLE(head.numberMax, at);
  return into.writeDoubleLE(head.sweptLsn, at);
}

export function decodeHead(bytes: Buffer, offset: number): PartHead {
  return {
    epoch: bytes.readDoubleLE(offset),
    lsn: lsn(bytes.readDoubleLE(offset + 8)),
    itemCount: bytes.readDoubleLE(offset + 16),
    itemBytes: bytes.readDoubleLE(offset + 24),
    numberMax: bytes.readDoubleLE(offset + 32),
    sweptLsn: lsn(bytes.readDoubleLE(offset + 40)),
  };
}
