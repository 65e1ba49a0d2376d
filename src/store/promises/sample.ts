/** Small writes and whole readings, of which promises are made. */

import { lsn } from "../../base/units.ts";
import type {
  AdoptedVersion,
  FamilyTally,
  ItemPut,
  KeptVersion,
  KeyRange,
  PartitionStore,
  ScanLimits,
  Tally,
} from "../partitionStore.ts";
import { found } from "./found.ts";

export const ALL: KeyRange = { min: "", max: "\xff\xff" };
export const NONE: Tally = { itemCount: 0, itemBytes: 0 };

export async function talliesIn(
  store: PartitionStore,
  part: number,
  range: KeyRange = ALL,
  countMax = 2,
): Promise<FamilyTally[]> {
  const tallies: FamilyTally[] = [];
  for (let isLast = false; !isLast; ) {
    const after = tallies.at(-1)?.family;
    const page = await store.scanTallies(part, { range, after, countMax });
    found(page.tallies.length <= countMax).is(true);
    tallies.push(...page.tallies);
    isLast = page.isLast;
  }
  return tallies;
}

export function putOf(key: string, number: number, body: string, termsAdded: string[]): ItemPut {
  const bytes = Buffer.from(body);
  return {
    kind: "put",
    key,
    number,
    tag: 3,
    body: bytes,
    before: undefined,
    termsAdded,
    termsRemoved: [],
  };
}

/** The end of an item that this part never had. */
export function goneOf(key: string, number: number): AdoptedVersion["write"] & { kind: "delete" } {
  return { kind: "delete", key, number, tag: 0, before: undefined, termsRemoved: [] };
}

/** All kept versions of a part, read page by page. One that a page cuts off would be missing. */
export async function versionsIn(
  store: PartitionStore,
  part: number,
  limits: ScanLimits = { countMax: 2, bytesMax: 100 },
): Promise<readonly KeptVersion[]> {
  const versions: KeptVersion[] = [];
  for (;;) {
    const page = await store.readVersions(part, versions.at(-1)?.lsn ?? lsn(0), limits);
    versions.push(...page.versions);
    if (page.isLast) return versions;
  }
}
