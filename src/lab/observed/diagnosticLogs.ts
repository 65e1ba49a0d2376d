/**
 * Makes a workload from the service's diagnostic logs, row by row and in bounded memory: requests
 * by kind (DataPlaneRequests), texts of queries (QueryRuntimeStatistics), and the consumption of
 * each partition key (PartitionKeyRUConsumption). Rows may come in any order, from any number of
 * files.
 *
 * Rows of several containers may be mixed; the workload is that of one container, the one that was
 * asked for or the busiest. Remarks say what the logs cannot tell.
 */

import type { JsonObject } from "../../json/value.ts";
import type { Workload } from "../workload/workload.ts";
import { ContainerLog } from "./containerLog.ts";
import { logRowOf } from "./logRow.ts";

/** Number of containers that are counted; rows of further ones are ignored. */
const CONTAINER_COUNT_MAX = 64;

interface DiagnosticLogsOptions {
  /** "database/container"; when absent, the busiest container. */
  readonly container?: string | undefined;
  /** The paths of the logged partition key values, which logs do not contain. */
  readonly keyPaths?: readonly string[] | undefined;
}

export class DiagnosticLogs {
  readonly #options: DiagnosticLogsOptions;
  readonly #logs = new Map<string, ContainerLog>();
  #rowCount = 0;
  #unknownCount = 0;
  #otherCount = 0;
  #passedCount = 0;

  constructor(options: DiagnosticLogsOptions = {}) {
    this.#options = options;
  }

  add(row: JsonObject): void {
    this.#rowCount += 1;
    const found = logRowOf(row);
    if (found === undefined) this.#unknownCount += 1;
    else if (found.kind === "other") this.#otherCount += 1;
    else this.#logOf(found.container)?.add(found);
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  /** Number of rows that belong to none of these logs, or lack required columns. */
  get unknownCount(): number {
    return this.#unknownCount;
  }

  /** The containers with their requests, the busiest first. */
  get containers(): readonly { readonly name: string; readonly requestCount: number }[] {
    const all = [...this.#logs].map(([name, log]) => ({ name, requestCount: log.requestCount }));
    return all.sort((a, b) => b.requestCount - a.requestCount);
  }

  result(): Workload {
    const [busiest, ...others] = this.containers;
    const name = this.#options.container ?? busiest?.name ?? "?";
    const log = this.#logs.get(name) ?? new ContainerLog();
    const workload = log.workload(name, this.#options.keyPaths);
    const remarks = [...workload.remarks];
    if (this.#options.container === undefined && others.length > 0) {
      const list = others.slice(0, 5).map((other) => `${other.name} (${other.requestCount})`);
      remarks.push(`The logs hold other containers too: ${list.join(", ")}.`);
    }
    if (this.#unknownCount > 0) {
      remarks.push(`${this.#unknownCount} of ${this.#rowCount} rows could not be understood.`);
    }
    if (this.#otherCount > 0) {
      remarks.push(`${this.#otherCount} rows are of logs that say nothing about a workload.`);
    }
    if (this.#passedCount > 0) {
      const most = `${CONTAINER_COUNT_MAX} containers`;
      remarks.push(`${this.#passedCount} rows were passed over: they are of more than ${most}.`);
    }
    return { ...workload, remarks };
  }

  #logOf(container: string): ContainerLog | undefined {
    const wanted = this.#options.container;
    const known = this.#logs.get(container);
    if (known !== undefined) return known;
    if (wanted !== undefined && wanted !== container) return undefined;
    if (this.#logs.size >= CONTAINER_COUNT_MAX) {
      this.#passedCount += 1;
      return undefined;
    }
    const log = new ContainerLog();
    this.#logs.set(container, log);
    return log;
  }
}
