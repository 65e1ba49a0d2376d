/** What is counted of the operations of one shape. */
import { LogHistogram } from "../base/logHistogram.ts";
import { DAY_MS } from "../base/units.ts";
import { Peaks } from "./loadSeries.ts";
import type { ParameterUse } from "./queryShape.ts";
import type {
  ChangesRecord,
  OperationRecord,
  ParameterRecord,
  RecordedKind,
  ShapeProgress,
} from "./recording.ts";
import type { TallyRoom, ValueTally } from "./valueTally.ts";
import type { SecretNames } from "./valueText.ts";
import { tupleText } from "./valueText.ts";

export const PARAMETER_COUNT_MAX = 32;
const CHANGED_COUNT_MAX = 128;

export interface ParameterValues {
  readonly texts: readonly string[];
  readonly agoDays: readonly number[];
}

interface ShapeIdentity {
  readonly id: string;
  readonly kind: RecordedKind;
  readonly text?: string | undefined;
}

export class OperationTally {
  readonly identity: ShapeIdentity;
  readonly #room: TallyRoom;
  readonly #peaks = new Peaks();
  readonly #statuses = new Map<number, number>();
  readonly #ru = new LogHistogram();
  readonly #rows = new LogHistogram();
  readonly #bytes = new LogHistogram();
  readonly #ageDays = new LogHistogram();
  readonly #parameters = new Map<string, ParameterTally>();
  readonly #changed = new Map<string, number>();
  #tallyCount = 0;
  #comparedCount = 0;
  #throttledCount = 0;
  #keyedCount = 0;
  #pageCount = 0;
  #pageSize: number | undefined;
  #keys: ValueTally | undefined;
  #components: readonly (ValueTally | undefined)[] = [];
  #ids: ValueTally | undefined;

  constructor(identity: ShapeIdentity, room: TallyRoom) {
    this.identity = identity;
    this.#room = room;
  }

  get count(): number {
    return this.#ru.count;
  }

  get ru(): number {
    return this.#ru.sum;
  }

  addStatus(status: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (status === 429) this.#throttledCount += 1;
  }

  /** Counts an operation that was answered as expected. */
  add(ru: number, now: number): void {
    this.#ru.add(ru);
    this.#peaks.add(now);
  }

  addRows(rows: number, pageSize: number): void {
    this.#rows.add(rows);
    this.#pageSize = pageSize;
    this.#pageCount += 1;
  }

  /** Adds a further page to a query that was counted before. */
  growQuery(
    before: { readonly ru: number; readonly rows: number },
    ru: number,
    rows: number,
  ): void {
    this.#ru.grow(before.ru, ru);
    this.#rows.grow(before.rows, rows);
    this.#pageCount += 1;
  }

  /** Adds a page of a query whose first page is no longer remembered. */
  extendQuery(ru: number, rows: number): void {
    this.#ru.extend(ru);
    this.#rows.extend(rows);
    this.#pageCount += 1;
  }

  addBytes(bytes: number): void {
    this.#bytes.add(bytes);
  }

  addAge(writtenAt: number, now: number): void {
    this.#ageDays.add(Math.max(0, now - writtenAt * 1000) / DAY_MS);
  }

  /** Counts the texts of the components of a full partition key. */
  addKey(texts: readonly string[]): void {
    if (this.#keyedCount === 0) {
      this.#keys = this.#open();
      if (texts.length > 1) this.#components = texts.map(() => this.#open());
    }
    this.#keyedCount += 1;
    this.#keys?.add(texts.length === 1 ? texts[0]! : tupleText(texts));
    for (const [level, tally] of this.#components.entries()) tally?.add(texts[level]!);
  }

  addId(text: string): void {
    if (this.#ids === undefined && this.#ru.count <= 1) this.#ids = this.#open();
    this.#ids?.add(text);
  }

  /**
   * Counts a parameter of a query: the texts of its values, and the ages of instants among them.
   */
  addParameter(name: string, use: ParameterUse, { texts, agoDays }: ParameterValues): void {
    let tally = this.#parameters.get(name);
    if (tally === undefined) {
      if (this.#parameters.size === PARAMETER_COUNT_MAX) return;
      tally = { use, values: this.#open(), agoDays: undefined };
      this.#parameters.set(name, tally);
    }
    for (const text of texts) tally.values?.add(text);
    if (agoDays.length > 0) tally.agoDays ??= new LogHistogram();
    for (const days of agoDays) tally.agoDays?.add(days);
  }

  /** Counts an update of which the changed places are known. */
  addChanges(paths: Iterable<string>): void {
    this.#comparedCount += 1;
    for (const path of paths) {
      const count = this.#changed.get(path) ?? 0;
      if (count > 0 || this.#changed.size < CHANGED_COUNT_MAX) this.#changed.set(path, count + 1);
    }
  }

  /** Gives back the room of the tallies when the shape is given up. */
  close(): void {
    this.#room.giveBack(this.#tallyCount);
  }

  progress(): ShapeProgress {
    return { ...this.identity, count: this.count, ruMean: this.#ru.spread().mean };
  }

  record(names: SecretNames): OperationRecord {
    const { count } = this;
    const { kind } = this.identity;
    const hasPages = kind === "query" || kind === "readFeed";
    return {
      ...this.identity,
      count,
      throttledCount: this.#throttledCount,
      statuses: Object.fromEntries(this.#statuses),
      ru: this.#ru.spread(),
      busiestSecond: this.#peaks.busiestSecond,
      busiestMinute: this.#peaks.busiestMinute,
      hours: this.#peaks.hours,
      ...(hasPages && {
        rows: this.#rows.spread(),
        pageSize: this.#pageSize,
        pagesMean: count === 0 ? 0 : this.#pageCount / count,
      }),
      ...(this.#bytes.count > 0 && { bytes: this.#bytes.byteSpread() }),
      keyedShare: count === 0 ? 0 : Math.min(1, this.#keyedCount / count),
      keys: this.#keys?.record(names) ?? NO_VALUES,
      keyComponents: this.#components.map((tally) => tally?.record(names) ?? NO_VALUES),
      ...(this.#ids !== undefined && { ids: this.#ids.record(names) }),
      ...(this.#ageDays.count > 0 && { ageDays: this.#ageDays.spread() }),
      parameters: [...this.#parameters].map(([name, tally]) => parameterRecord(name, tally, names)),
      ...(this.#comparedCount > 0 && { changes: this.#changes() }),
    };
  }

  #changes(): ChangesRecord {
    const paths = [...this.#changed].map(([path, count]) => ({ path, count }));
    return {
      comparedCount: this.#comparedCount,
      evidence: this.identity.kind === "patch" ? "patch" : "sample",
      paths: paths.sort((a, b) => b.count - a.count),
    };
  }

  #open(): ValueTally | undefined {
    const tally = this.#room.open();
    if (tally !== undefined) this.#tallyCount += 1;
    return tally;
  }
}

interface ParameterTally {
  readonly use: ParameterUse;
  readonly values: ValueTally | undefined;
  agoDays: LogHistogram | undefined;
}

const NO_VALUES: OperationRecord["keys"] = {
  count: 0,
  distinct: 0,
  distinctError: 0,
  heaviest: [],
};

function parameterRecord(
  name: string,
  { use, values, agoDays }: ParameterTally,
  names: SecretNames,
): ParameterRecord {
  const isTime = agoDays !== undefined && agoDays.count >= 0.9 * (values?.count ?? agoDays.count);
  return {
    name,
    isSecret: use.isSecret,
    compared: use.compared,
    ...(values !== undefined && { values: values.record(names) }),
    ...(isTime && { agoDays: agoDays.spread() }),
  };
}
