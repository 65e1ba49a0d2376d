/**
 * Decides whether a history of transactions on lists can have come from a server that does one
 * transaction after the other, each at some instant between its beginning and its end (strict
 * serializability). The idea is that of Elle: appended values name their writers, so a list that
 * was read tells the order of versions, and orders of versions tell who depends on whom; a circle
 * of dependencies is a contradiction.
 *
 * We promise this within a logical partition. A transaction never leaves one, and then whatever
 * holds in each of them holds for all together, so lists of many are checked at once.
 *
 * Time is linear in the length of the history, readings included, but for two sorts.
 *
 * Always holds: no findings about a history that some serial order explains; and if the final state
 * of every list is given, at least one about every other history (`listAppend.test.ts` says so).
 */
import { findCycles } from "./cycles.ts";
import type { Anomaly } from "./findings.ts";
import { Findings } from "./findings.ts";
import type { Finals, Transaction } from "./history.ts";
import { describeTransaction } from "./history.ts";
import type { ListOrder, ListOrders, Reading } from "./versionOrder.ts";
import { recoverOrders } from "./versionOrder.ts";

export function checkListAppend(
  history: readonly Transaction[],
  finals: Finals,
): readonly Anomaly[] {
  const findings = new Findings();
  const orders = recoverOrders(history, finals, findings);
  history.forEach((_, index) => {
    const readings = readingsOf(history, index, findings);
    for (const reading of readings) orders.get(reading.list)!.readings.push(reading);
    for (const reading of readings) findIntermediate(orders.get(reading.list)!, reading, findings);
    findForesight(history, orders, readings, findings);
    findTornReading(history, orders, readings, findings);
    findMissing(history, finals, orders, index, findings);
  });
  for (const order of orders.values()) findStaleReadings(history, order, findings);
  findCycles(history, orders, findings);
  return findings.anomalies;
}

/**
 * The first reading of each list, without what the transaction itself had put there before.
 * Everything it reads later must follow from that.
 */
function readingsOf(
  history: readonly Transaction[],
  reader: number,
  findings: Findings,
): readonly Reading[] {
  const readings: Reading[] = [];
  /** What a list must be by now: all of it once it was read, and only its end until then. */
  const expected = new Map<string, { values: number[]; isWhole: boolean }>();
  for (const step of history[reader]!.steps) {
    const known = expected.get(step.list) ?? { values: [], isWhole: false };
    expected.set(step.list, known);
    if (step.kind === "append") {
      known.values.push(step.value);
      continue;
    }
    const { list, values } = step;
    const end = known.isWhole ? values : values.slice(values.length - known.values.length);
    const isOwn =
      end.length === known.values.length && end.every((value, at) => value === known.values[at]);
    if (!isOwn) findings.add("internal", describeTransaction(history, reader));
    else if (!known.isWhole) {
      readings.push({ reader, list, length: values.length - known.values.length });
    }
    expected.set(list, { values: [...values], isWhole: true });
  }
  return readings;
}

function findIntermediate(order: ListOrder, reading: Reading, findings: Findings): void {
  const last = order.order[reading.length - 1];
  const append = last === undefined ? undefined : order.appends.get(last);
  if (append === undefined || append.isLast || append.writer === reading.reader) return;
  findings.add("intermediateRead", `${reading.reader} saw ${last} of ${append.writer} as the end`);
}

/** What others left for a transaction does not hold what it appends itself. */
function findForesight(
  history: readonly Transaction[],
  orders: ListOrders,
  readings: readonly Reading[],
  findings: Findings,
): void {
  for (const { reader, list, length } of readings) {
    const { positions } = orders.get(list)!;
    const isForeseen = history[reader]!.steps.some(
      (step) =>
        step.kind === "append" &&
        step.list === list &&
        (positions.get(step.value) ?? Infinity) < length,
    );
    if (isForeseen) findings.add("internal", describeTransaction(history, reader));
  }
}

/** Whoever sees a transaction in one list sees it in all lists. */
function findTornReading(
  history: readonly Transaction[],
  orders: ListOrders,
  readings: readonly Reading[],
  findings: Findings,
): void {
  if (readings.length < 2) return;
  const lengths = new Map(readings.map(({ list, length }) => [list, length]));
  for (const { reader, list, length } of readings) {
    const order = orders.get(list)!;
    let before: number | undefined;
    for (let position = 0; position < length; position++) {
      const writer = order.writerAt(position);
      if (writer === undefined || writer === before) continue;
      before = writer;
      for (const step of history[writer]!.steps) {
        const other = step.kind === "append" ? lengths.get(step.list) : undefined;
        if (step.kind !== "append" || other === undefined) continue;
        const place = orders.get(step.list)!.positions.get(step.value) ?? Infinity;
        if (place < other) continue;
        const [saw, missed] = [`${list}+${order.order[position]}`, `${step.list}+${step.value}`];
        findings.add("tornBatch", `${reader} saw ${saw} of ${writer}, not ${missed}`);
      }
    }
  }
}

/** What a transaction appended and the final state does not have. */
function findMissing(
  history: readonly Transaction[],
  finals: Finals,
  orders: ListOrders,
  index: number,
  findings: Findings,
): void {
  const { outcome, steps } = history[index]!;
  let keptCount = 0;
  let missing: string | undefined;
  for (const step of steps) {
    const final = step.kind === "append" ? finals.get(step.list) : undefined;
    if (step.kind !== "append" || final === undefined) continue;
    const order = orders.get(step.list)!;
    const place = order.positions.get(step.value);
    // Mostly the final state is the order itself, and nothing has to be searched.
    if (place !== undefined && (final[place] === step.value || final.includes(step.value))) {
      keptCount++;
      continue;
    }
    missing ??= `${step.list}+${step.value} of ${index}`;
    const wasPromised = outcome === "ok" || place !== undefined;
    if (wasPromised) findings.add("lostWrite", `${step.list}+${step.value} of ${index}`);
  }
  if (keptCount > 0 && missing !== undefined) {
    findings.add("tornBatch", `${missing} is missing: ${describeTransaction(history, index)}`);
  }
}

/** By the clock alone: what was acknowledged or seen is seen by all who begin after that. */
function findStaleReadings(
  history: readonly Transaction[],
  order: ListOrder,
  findings: Findings,
): void {
  const known = order.readings.map(({ reader, length }) => ({
    since: history[reader]!.endedAt,
    length,
  }));
  for (const [value, { writer }] of order.appends) {
    const position = order.positions.get(value);
    const { outcome, endedAt: since } = history[writer]!;
    if (position !== undefined && outcome === "ok") known.push({ since, length: position + 1 });
  }
  known.sort((one, other) => one.since - other.since);
  const readings = order.readings.toSorted(
    (one, other) => history[one.reader]!.beganAt - history[other.reader]!.beganAt,
  );
  let next = 0;
  let lengthMin = 0;
  for (const { reader, length } of readings) {
    for (; next < known.length && known[next]!.since < history[reader]!.beganAt; next++) {
      lengthMin = Math.max(lengthMin, known[next]!.length);
    }
    if (length >= lengthMin) continue;
    const what = `${reader} saw ${length} values of ${order.name} where ${lengthMin} were there`;
    findings.add("staleRead", what);
  }
}
