/** Load over time, and over keys and time, as the admin API gives it out. */
import type { Millis } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";
import type { Container } from "../../engine/partition/container.ts";
import type {
  HeatChartQuestion,
  HeatReport,
  HistoryQuestion,
  HistoryReport,
  HistorySlot,
} from "../../protocol/admin.ts";
import type { ContainerMeter } from "../../statistics/containerMeter.ts";
import type { History } from "../../statistics/history.ts";
import type { TimeColumns } from "../../statistics/resolution.ts";
import { timeColumns } from "../../statistics/resolution.ts";
import { slotFrom } from "../../statistics/slotTable.ts";

/** Rows are of time here and keys are across; the meter has it the other way round. */
export function heatReport(
  meter: ContainerMeter,
  question: HeatChartQuestion,
  now: Millis,
): HeatReport {
  const { from, to, metric, rows, columns } = question;
  const map = meter.heatMap({ from, to, metric, rows: columns, columns: rows }, now);
  const endTime = map.columns.slice(-1).map((column) => column.to);
  const endBound = map.rows.slice(-1).map(({ max }) => max);
  return {
    metric,
    times: [...map.columns.map((column) => column.from), ...endTime],
    bounds: [...map.rows.map(({ min }) => min), ...endBound],
    cells: map.columns.map((_, time) => map.rows.map((_key, key) => map.cells[key]![time]!)),
  };
}

/** As many slots as an answer has at most. */
const SLOTS_MAX = 1500;

export function historyReport(
  container: Container,
  meter: ContainerMeter,
  question: HistoryQuestion,
  clock: Clock,
): HistoryReport {
  meter.settle(clock.now());
  const spans = timeColumns(question, {
    wallNow: clock.wallNow(),
    columnsMax: SLOTS_MAX,
    columnMsMin: 1000 * (question.slotSeconds ?? 0),
  });
  const [first] = spans.columns;
  return {
    slotSeconds: first === undefined ? 0 : (first.to - first.from) / 1000,
    times: spans.columns.map((column) => column.from),
    total: slotsOf(meter.history, spans),
    partitions: [...container.partitions.values()].flatMap(({ entry, spending }) => {
      if (spending.meter === undefined) return [];
      const { id, range } = entry;
      const slots = slotsOf(spending.meter.history, spans);
      return { id, min: range.min, max: range.max, slots };
    }),
  };
}

function slotsOf(
  history: History,
  { resolution, columns }: TimeColumns,
): readonly (HistorySlot | null)[] {
  return history.sums(resolution, columns).map((sum) => {
    if (sum === undefined) return null;
    const { ru, requestCount, throttledCount, normalizedPercent, itemBytes } = slotFrom(sum);
    return { ru, requestCount, throttledCount, normalizedPercent, itemBytes };
  });
}
