/** The rows of one container: counted as they come, and made a workload of in the end. */
import { DAY_SECONDS, HOUR_SECONDS } from "../../base/units.ts";
import { parseQuery } from "../../query/language/parser.ts";
import { horizonOf } from "../workload/growthField.ts";
import { OPERATION_KINDS, PAGE_SIZE } from "../workload/operationField.ts";
import type {
  Distribution,
  Growth,
  Operation,
  OperationKind,
  PropertyShape,
  Workload,
} from "../workload/workload.ts";
import { KeyShares } from "./keyShares.ts";
import type { KeyRow, LogRow, RequestRow } from "./logRow.ts";
import { LogSpan } from "./logSpan.ts";
import { QueryTexts } from "./queryTexts.ts";
import { RequestTally } from "./requestTally.ts";

/** Number of queries that are listed; rarer ones say little about a key. */
const QUERY_COUNT_MAX = 50;
/** Number of values whose shares are given by name; lighter ones are treated as equal. */
const SHARE_COUNT_MAX = 200;
/** With fewer requests the distribution over the day is not known. */
const SHAPED_COUNT_MIN = 480;

interface KeyLevel {
  readonly created: KeyShares;
  readonly all: KeyShares;
}

export class ContainerLog {
  readonly #span = new LogSpan();
  readonly #byKind = new Map<OperationKind, RequestTally>();
  readonly #all = new RequestTally();
  readonly #queries = new QueryTexts();
  readonly #levels: KeyLevel[] = [];
  /** Counts items that were created. */
  readonly #created = new RequestTally();
  readonly #leftOut = new Map<string, number>();
  #throttledCount = 0;
  #failedCount = 0;

  get requestCount(): number {
    return this.#all.count;
  }

  add(row: LogRow): void {
    if (row.kind === "request") this.#addRequest(row);
    else if (row.kind === "key") this.#addKey(row);
    else {
      this.#span.add(row.at, 0);
      this.#queries.addText(row);
    }
  }

  workload(name: string, keyPaths: readonly string[] | undefined): Workload {
    const remarks: string[] = [];
    const operations = this.#operations(remarks);
    const growth = this.#growth(remarks);
    const properties = this.#properties(keyPaths, remarks);
    const { totalBytes, sizedCount } = this.#created;
    const bytes = sizedCount === 0 ? undefined : Math.max(1, Math.round(totalBytes / sizedCount));
    this.#remarkLimits(remarks);
    return {
      name: name.split("/").at(-1) ?? name,
      title: `${name}, from diagnostic logs`,
      item: { bytes, example: undefined },
      properties,
      growth,
      throughput: undefined,
      consistency: "session",
      operations,
      candidates: [],
      horizonMonths: horizonOf(growth),
      remarks,
    };
  }

  #addRequest(row: RequestRow): void {
    const { operation, status, at, count } = row;
    if (operation === undefined) {
      const known = this.#leftOut.get(row.operationName) ?? 0;
      if (this.#leftOut.size < 100) this.#leftOut.set(row.operationName, known + count);
      return;
    }
    // The client sends the request again, and that attempt is logged too.
    if (status === 429 || status === 449) this.#throttledCount += count;
    if (status >= 500) this.#failedCount += count;
    if (status === 429 || status === 449 || status >= 500) return;
    this.#span.add(at, count);
    this.#all.add(at, count);
    if (operation === "query") {
      this.#queries.addRequest(row);
      return;
    }
    const tally = this.#byKind.get(operation) ?? new RequestTally();
    this.#byKind.set(operation, tally);
    tally.add(at, count);
    tally.charge(row.charge, count);
    const isCreated = operation === "create" ? status < 300 : status === 201;
    if (isCreated && (operation === "create" || operation === "upsert")) {
      this.#created.add(at, count);
      this.#created.size(row.requestBytes, count);
    }
  }

  #addKey({ key, charge, isCreation, at }: KeyRow): void {
    this.#span.add(at, 0);
    key.forEach((component, index) => {
      const level = this.#levels[index] ?? { created: new KeyShares(), all: new KeyShares() };
      this.#levels[index] = level;
      const value = String(component);
      level.all.add(value, charge);
      if (isCreation) level.created.add(value, charge);
    });
  }

  #operations(remarks: string[]): readonly Operation[] {
    const points = OPERATION_KINDS.flatMap((kind) => {
      const tally = this.#byKind.get(kind);
      return tally === undefined ? [] : [this.#operation(kind, kind, tally)];
    });
    return [...points, ...this.#queryOperations(remarks)];
  }

  #queryOperations(remarks: string[]): readonly Operation[] {
    const byText = this.#queries.close();
    const { withoutText } = this.#queries;
    const heaviest = [...byText].sort(
      ([, a], [, b]) => b.totalCharge - a.totalCharge || b.count - a.count,
    );
    const operations: Operation[] = [];
    for (const [sql, tally] of heaviest.slice(0, QUERY_COUNT_MAX)) {
      if (parseQuery(sql).ok) {
        operations.push(this.#operation(`query-${operations.length + 1}`, "query", tally, sql));
      } else {
        remarks.push(`A query whose text cannot be read counts as one without filter: ${cut(sql)}`);
        withoutText.merge(tally);
      }
    }
    for (const [, tally] of heaviest.slice(QUERY_COUNT_MAX)) withoutText.merge(tally);
    if (withoutText.count > 0) {
      const text = "SELECT * FROM c";
      operations.push(this.#operation("query-without-text", "query", withoutText, text));
      const said = `${withoutText.count} requests of queries have no text of their own in the logs`;
      remarks.push(`${said}; they count as queries without filter.`);
    }
    if (this.#queries.isGeneral) {
      remarks.push("Texts of queries that differ in values only were counted as one.");
    }
    const several =
      operations.length > 0 && ![...byText.values()].some((one) => one.queryCount > 0);
    if (several) {
      remarks.push(
        "A query is logged once for each page and physical partition; " +
          "rates of queries are those of such requests, and charges of one of them.",
      );
    }
    return operations;
  }

  #operation(id: string, kind: OperationKind, tally: RequestTally, sql?: string): Operation {
    const { mean, byHour } = this.#span.rateOf(tally.hours);
    // One query takes several requests; where the logs tell queries apart, the rate is that of
    // queries.
    const perQuery = tally.queryCount === 0 ? 1 : Math.max(1, tally.count / tally.queryCount);
    const isShaped = byHour.length > 0 && tally.count >= SHAPED_COUNT_MIN;
    return {
      id,
      kind,
      ratePerSecond: rounded(mean / perQuery),
      peakFactor: undefined,
      hours: isShaped ? byHour.map(rounded) : undefined,
      sql,
      parameters: new Map(),
      knows: undefined,
      resultItems: undefined,
      pageSize: PAGE_SIZE,
      ru: tally.meanCharge === undefined ? undefined : rounded(tally.meanCharge * perQuery),
      // Each request of a query was a visit of one physical partition.
      ruPartitions: perQuery >= 1.5 ? Math.round(perQuery) : undefined,
      changes: [],
      transactionScope: undefined,
      ageDays: undefined,
    };
  }

  #growth(remarks: string[]): Growth {
    const isEmpty = this.#all.count === 0;
    const { mean } = this.#span.rateOf(this.#created.hours);
    const { byHour } = this.#span.rateOf(this.#all.hours);
    const deleted = this.#byKind.get("delete");
    if (deleted !== undefined) {
      const share = Math.round((100 * deleted.count) / Math.max(1, this.#created.count));
      remarks.push(
        `For 100 items that were created ${share} were deleted; how long items are kept ` +
          "(growth.retentionDays) is not known from that.",
      );
    }
    return {
      itemsPerDay: isEmpty ? 0 : Math.round(mean * DAY_SECONDS),
      initialItems: 0,
      retentionDays: undefined,
      perMonth: 0,
      peakFactor: isEmpty ? 1 : rounded(this.#span.peakFactor),
      hours: isEmpty || byHour.length === 0 ? undefined : byHour.map(rounded),
    };
  }

  #properties(
    keyPaths: readonly string[] | undefined,
    remarks: string[],
  ): ReadonlyMap<string, PropertyShape> {
    const levels = this.#levels;
    if (levels.length === 0) {
      remarks.push("No partition keys are in the logs (PartitionKeyRUConsumption has them).");
      return new Map();
    }
    const pathAt = (level: number): string =>
      keyPaths?.[level] ?? (levels.length === 1 ? "/partitionKey" : `/partitionKey${level + 1}`);
    if (levels.some((_, level) => keyPaths?.[level] === undefined)) {
      remarks.push(
        `Logs do not name the path of the partition key; it is called ${pathAt(0)} here.`,
      );
    }
    if (levels.every(({ created }) => created.total === 0)) {
      remarks.push("No creations are logged by key; items are taken to be divided evenly.");
    }
    remarks.push(
      "Shares of keys are shares of the RU that point operations and procedures took; " +
        "queries are not logged by key.",
    );
    return new Map(levels.map((level, at) => [pathAt(at), shapeOf(pathAt(at), level, at, pathAt)]));
  }

  #remarkLimits(remarks: string[]): void {
    const hours = this.#span.seconds / HOUR_SECONDS;
    if (this.#all.count > 0 && !this.#span.isWholeDay) {
      remarks.push(
        `The logs cover ${Number(hours.toPrecision(3))} hours, not a whole day; ` +
          "their rates were taken for means over the day.",
      );
    }
    if (this.#throttledCount > 0) {
      remarks.push(`${this.#throttledCount} throttled requests were not counted.`);
    }
    if (this.#failedCount > 0) {
      remarks.push(`${this.#failedCount} requests that failed with 5xx were not counted.`);
    }
    if (this.#leftOut.size > 0) {
      const list = [...this.#leftOut].map(([operation, count]) => `${operation} (${count})`);
      remarks.push(`Requests that a workload has no word for were left out: ${list.join(", ")}.`);
    }
    remarks.push(
      "Logs do not tell the values of parameters, the shape of items, which paths updates " +
        "change, or how long items are kept.",
    );
  }
}

function shapeOf(
  path: string,
  { created, all }: KeyLevel,
  level: number,
  pathAt: (level: number) => string,
): PropertyShape {
  const distinct = Math.max(all.distinct, created.distinct, 1);
  return {
    path,
    distinct,
    isUnique: false,
    items: created.total === 0 ? { kind: "uniform" } : sharesIn(created, distinct),
    requests: sharesIn(all, distinct),
    within: level === 0 ? undefined : pathAt(level - 1),
    distinctWithin: undefined,
    time: undefined,
    changes: false,
    missingShare: 0,
  };
}

/** Returns the heaviest values by name; the rest is divided evenly among the others. */
function sharesIn(shares: KeyShares, distinct: number): Distribution {
  if (shares.total === 0) return { kind: "uniform" };
  const named = shares.heaviest(Math.min(SHARE_COUNT_MAX, distinct));
  return { kind: "shares", shares: new Map([...named].map(([key, one]) => [key, rounded(one)])) };
}

function rounded(amount: number): number {
  return Number(amount.toPrecision(6));
}

function cut(sql: string): string {
  const line = sql.replace(/\s+/g, " ");
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
