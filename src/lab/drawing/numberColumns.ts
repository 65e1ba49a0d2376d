/** The tables behind the drawings: month by month, and partition by partition. */
import { bytesText } from "../../base/wording.ts";
import type { MonthOutcome, PartitionOutcome } from "../simulate/simulation.ts";
import { NONE, numberText, percentText } from "../wording/plain.ts";

export interface NumberColumn<T> {
  readonly name: string;
  readonly text: (row: T) => string;
}

export const MONTH_COLUMNS: readonly NumberColumn<MonthOutcome>[] = [
  { name: "month", text: ({ month }) => String(month) },
  { name: "in all", text: ({ totalBytes }) => bytesText(totalBytes) },
  { name: "partitions", text: ({ partitionCount }) => numberText(partitionCount) },
  { name: "splits", text: ({ splitCount }) => numberText(splitCount) },
  { name: "largest partition", text: (month) => bytesText(month.largestPartitionBytes) },
  { name: "largest key", text: ({ largestKeyBytes }) => bytesText(largestKeyBytes) },
  { name: "RU/s at the peak", text: ({ ratePerSecond }) => numberText(ratePerSecond) },
  { name: "hottest partition", text: (month) => numberText(month.hottestPartitionRate) },
  { name: "allotted", text: ({ allotment }) => numberText(allotment) },
];

export const PARTITION_COLUMNS: readonly NumberColumn<PartitionOutcome>[] = [
  { name: "id", text: ({ id }) => id },
  { name: "of the keys", text: ({ from, to }) => `${percentText(from)} to ${percentText(to)}` },
  { name: "size", text: ({ bytes }) => bytesText(bytes) },
  { name: "mean RU/s", text: ({ rates }) => numberText(sumOf(rates) / Math.max(1, rates.length)) },
  {
    name: "busiest hour",
    text: ({ rates }) => {
      const busiest = Math.max(0, ...rates);
      const hour = rates.indexOf(busiest);
      return hour === -1 ? NONE : `${numberText(busiest)} at ${hour} h`;
    },
  },
  { name: "allotted", text: ({ allotment }) => numberText(allotment) },
];

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
