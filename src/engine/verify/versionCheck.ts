/**
 * Checks the kept versions of a part: they are in order, of keys of the part, and not newer than
 * its head.
 */
import { lsn } from "../../base/units.ts";
import type { KeptVersion, StoredItem } from "../../store/partitionStore.ts";
import type { PartCheck } from "./partCheck.ts";

const PAGE = { countMax: 512, bytesMax: 4 * 1024 * 1024 };

export async function checkVersions(check: PartCheck): Promise<void> {
  const { store, part, place, rules, findings, onProgress } = check;
  let before: KeptVersion | undefined;
  let count = 0;
  for (let after = lsn(0), isLast = false; !isLast; ) {
    const page = await store.readVersions(part, after, PAGE);
    const items = await store.getMany(
      part,
      page.versions.map(({ key }) => key),
    );
    page.versions.forEach((version, at) => {
      const where = `${place}, version at LSN ${version.lsn}, ${rules.nameOf(version.key)}`;
      const wrong = versionProblem(check, version, before, items[at]);
      if (wrong !== undefined) findings.damage(where, wrong);
      before = version;
    });
    count += page.versions.length;
    if (count > 0) onProgress("versions", count);
    after = page.versions.at(-1)?.lsn ?? after;
    isLast = page.isLast;
  }
}

function versionProblem(
  { head, rules }: PartCheck,
  version: KeptVersion,
  before: KeptVersion | undefined,
  item: StoredItem | undefined,
): string | undefined {
  const { key, number, previousLsn } = version;
  if (version.lsn > head.lsn) return `the head is at LSN ${head.lsn} only`;
  if (previousLsn >= version.lsn) return `it took the place of one at LSN ${previousLsn}`;
  if (number > head.numberMax) return `the head knows of no item number ${number}`;
  const isInOrder =
    before === undefined ||
    before.lsn < version.lsn ||
    (before.lsn === version.lsn && before.number < number);
  if (!isInOrder) return `it comes after LSN ${before?.lsn}`;
  const isLatest = item?.lsn === version.lsn && item.number === number;
  const isEnd = version.kind === "deleted" || version.kind === "expired";
  if (isLatest && isEnd) return "it is an end, and the item is there";
  if (isLatest && !item.body.equals(version.body)) return "the item has another body";
  return rules.keyProblem(key);
}
