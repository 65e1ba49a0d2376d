/**
 * What the report of a running container says of it as data that ages. How large it is and how fast
 * it grows are exact; which queries there are it does not say, and that is told.
 */
import { counted } from "../../base/wording.ts";
import { storedBytesOf } from "../../lab/price/itemPrice.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import type { KnownFigures } from "../lab/approaches/figureSource.ts";
import { CommandFailure } from "../terminal/failure.ts";

/** Loads of a report are those of the last five minutes. */
const REPORT_SECONDS = 300;

export function knownFiguresOf({ database, container, figures }: ContainerReport): KnownFigures {
  const name = `${database}/${container}`;
  const { itemCount, itemBytes, bytesPerDay, queryCount } = figures;
  if (itemCount === 0) {
    throw new CommandFailure(`${name} has no items: there is nothing to go by. Use --volume.`);
  }
  const storedBytes = itemBytes / itemCount;
  const isGrowing = bytesPerDay !== undefined && bytesPerDay > 0;
  const remarks = [
    `${name} was asked ${counted(queryCount, "query", "queries")} in the last five minutes; what ` +
      "they were is not in its report, so those of the guides' feed stand for them. A workload " +
      "that was recorded (`orrery record`) says it exactly.",
  ];
  if (!isGrowing) {
    remarks.push(
      `How fast ${name} grows is not known yet: its items are taken to have come over the ` +
        "retention. Say it with --items-per-day.",
    );
  }
  return {
    itemCount,
    itemBytes: Math.max(1, storedBytes - storedBytesOf(0)),
    itemsPerDay: isGrowing ? bytesPerDay / storedBytes : undefined,
    queriesPerSecond: queryCount / REPORT_SECONDS,
    remarks,
  };
}
