/**
 * How much there is of each family of items: how tallies follow from the writes, and how a record
 * of the journal carries them.
 *
 * A record names every family that its writes touch, each with its tally afterwards, so reading it
 * twice is reading it once. A family that has come to no items is named with zeros, which hide what
 * older layers say of it.
 */
import type { CountedWrite } from "./partHead.ts";
import type { Tally } from "./partitionStore.ts";

/** By family. */
export type Tallies = ReadonlyMap<string, Tally>;

export const NO_ITEMS: Tally = { itemCount: 0, itemBytes: 0 };

/** Length of the family, count, bytes. */
const ENTRY_BYTES = 2 + 8 + 8;

/** The family of a key: what comes before its first zero byte, or all of it. */
export function familyOf(key: string): string {
  const end = key.indexOf("\x00");
  return end < 0 ? key : key.slice(0, end);
}

/** The families that `groups` touch, as they are afterwards. */
function talliesAfter(
  groups: readonly (readonly CountedWrite[])[],
  tallyBefore: (family: string) => Tally,
): Tallies {
  const moved = new Map<string, { itemCount: number; itemBytes: number }>();
  for (const group of groups) {
    for (const write of group) {
      if (write.kind === "reterm") continue;
      if (write.kind === "delete" && write.before === undefined) continue;
      const family = familyOf(write.key);
      let tally = moved.get(family);
      if (tally === undefined) {
        const { itemCount, itemBytes } = tallyBefore(family);
        tally = { itemCount, itemBytes };
        moved.set(family, tally);
      }
      if (write.before !== undefined) {
        tally.itemCount--;
        tally.itemBytes -= write.before.bodyBytes;
      }
      if (write.kind === "delete") continue;
      tally.itemCount++;
      tally.itemBytes += write.body.length;
    }
  }
  return moved;
}

/** The tallies of items, counted one by one. */
export function talliesOf(
  items: Iterable<{ readonly key: string; readonly body: Uint8Array }>,
): Tallies {
  const counted = new Map<string, { itemCount: number; itemBytes: number }>();
  for (const { key, body } of items) {
    const family = familyOf(key);
    const tally = counted.get(family);
    if (tally === undefined) counted.set(family, { itemCount: 1, itemBytes: body.length });
    else {
      tally.itemCount++;
      tally.itemBytes += body.length;
    }
  }
  return counted;
}

/** Tallies at the end of the frame that is being put together: its commits see one another. */
export class TallyDraft {
  readonly #below: (part: number, family: string) => Tally;
  readonly #parts = new Map<number, Tallies>();

  constructor(below: (part: number, family: string) => Tally) {
    this.#below = below;
  }

  /** Moves the tallies of a part; returns those that moved. */
  move(part: number, groups: readonly (readonly CountedWrite[])[]): Tallies {
    const earlier = this.#parts.get(part);
    const moved = talliesAfter(
      groups,
      (family) => earlier?.get(family) ?? this.#below(part, family),
    );
    // Two commits of one part in one frame are rare; their records each keep their own map.
    this.#parts.set(part, earlier === undefined ? moved : new Map([...earlier, ...moved]));
    return moved;
  }
}

export function talliesBytes(tallies: Tallies): number {
  let total = 4;
  for (const family of tallies.keys()) total += ENTRY_BYTES + family.length;
  return total;
}

/** Length of the whole first, so that a reader who does not care can step over it. */
export function encodeTallies(tallies: Tallies, into: Buffer, offset: number): number {
  let at = offset + 4;
  for (const [family, { itemCount, itemBytes }] of tallies) {
    at = into.writeUInt16LE(family.length, at);
    at = into.writeDoubleLE(itemCount, at);
    at = into.writeDoubleLE(itemBytes, at);
    at += into.write(family, at, "latin1");
  }
  into.writeUInt32LE(at - offset - 4, offset);
  return at;
}

/** Calls `visit` for each family, if it is there; returns the offset behind the tallies. */
export function visitTallies(
  bytes: Buffer,
  offset: number,
  visit: ((family: string, tally: Tally) => void) | undefined,
): number {
  const end = offset + 4 + bytes.readUInt32LE(offset);
  if (visit === undefined) return end;
  let at = offset + 4;
  while (at < end) {
    const itemCount = bytes.readDoubleLE(at + 2);
    const itemBytes = bytes.readDoubleLE(at + 10);
    const familyAt = at + ENTRY_BYTES;
    at = familyAt + bytes.readUInt16LE(at);
    visit(bytes.toString("latin1", familyAt, at), { itemCount, itemBytes });
  }
  return end;
}
