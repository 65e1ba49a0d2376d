/** How far an archive or a restore is, as a share and in words. */
import { counted, countText, shortBytesText } from "../../../base/wording.ts";
import type { ArchiveJobEntry } from "../../../model/archiveJob.ts";

/**
 * From 0 to 1; undefined where nothing tells. Each phase counts items of its own, so the share is
 * that of the phase the job is in, and of a job that stands still that of the last count it has.
 */
export function archiveShare(job: ArchiveJobEntry): number | undefined {
  const { itemCount, readCount, archivedCount, provenCount, deletedCount } = job.progress;
  const { restoredCount, presentCount, replacedCount, changedCount } = job.progress;
  const share = (done: number, all: number): number | undefined =>
    all === 0 ? undefined : Math.min(1, done / all);
  switch (job.state) {
    case "planned":
    case "empty":
    case "archived":
    case "kept":
    case "restored":
      return 1;
    case "failed":
    case "cancelled":
    case "cancelling":
      return undefined;
    case "writing":
      return share(readCount, itemCount);
    case "proving":
      return share(provenCount, archivedCount);
    case "deleting":
      return share(deletedCount + changedCount, archivedCount);
    case "verifying":
      return undefined;
    default:
      return job.kind === "restore"
        ? share(restoredCount + presentCount + replacedCount, itemCount)
        : deletedCount > 0
          ? share(deletedCount + changedCount, archivedCount)
          : share(readCount, itemCount);
  }
}

export function archivedText({ kind, state, progress, plan }: ArchiveJobEntry): string {
  if (plan !== undefined) {
    const bytes = shortBytesText(plan.itemBytes);
    return `${counted(plan.itemCount, "item")} would be archived, ${bytes}`;
  }
  if (kind === "restore") {
    const { restoredCount, presentCount, replacedCount, itemCount } = progress;
    const there = presentCount === 0 ? "" : `, ${countText(presentCount)} were there`;
    const replaced = replacedCount === 0 ? "" : `, ${countText(replacedCount)} replaced`;
    const all = counted(itemCount, "item");
    return `${countText(restoredCount)} of ${all} restored${there}${replaced}`;
  }
  const { archivedCount, storedBytes, deletedCount, itemCount, readCount } = progress;
  if (state === "writing") {
    const all = counted(itemCount, "item");
    return `${countText(readCount)} of ${all} read, ${countText(archivedCount)} in files`;
  }
  const files = `${counted(archivedCount, "item")} in files of ${shortBytesText(storedBytes)}`;
  return `${files}, ${countText(deletedCount)} deleted`;
}
