/** What there is in a data directory, as lines to read. */
import { counted, shortBytesText } from "../../base/wording.ts";
import type { CheckReport } from "../../server/admin/backupCheck.ts";
import { numberText } from "../terminal/liveTable.ts";
import { tableOf } from "../terminal/table.ts";

export function contentsText({
  databases,
  containers,
}: NonNullable<CheckReport["contents"]>): string {
  const itemCount = containers.reduce((sum, container) => sum + container.itemCount, 0);
  const sum =
    `${counted(databases.length, "database")}, ${counted(containers.length, "container")}, ` +
    `${counted(itemCount, "item")}.\n`;
  if (containers.length === 0) return sum;
  const rows = containers.map((container) => ({
    container: `${container.database}/${container.container}`,
    partitions: numberText(container.partitionCount),
    items: numberText(container.itemCount),
    size: shortBytesText(container.itemBytes),
    ...(container.termCount !== undefined && { terms: numberText(container.termCount) }),
  }));
  return `${sum}\n${tableOf(rows, undefined)}`;
}
