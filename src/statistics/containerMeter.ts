/**
 * The statistics of one container: its totals over time, where in the key space its load was, and
 * the meters of its physical partitions.
 *
 * Totals belong to the container: every second of every physical partition is added to them, so
 * nothing is lost when a physical partition is retired by a split or a merge. Its children start at
 * zero.
 *
 * The recent past is kept by the monotonic clock, history by the wall clock. While the server is
 * up, `noteSizes` is called once a minute; minutes without a call and without a request are gaps.
 *
 * Not here: how statistics survive a restart (`chunks.ts`), and the report made of them
 * (`containerReport.ts`).
 */

import { assert } from "../base/assert.ts";
import type { Millis } from "../base/units.ts";
import { DAY_MS, HOUR_MS } from "../base/units.ts";
import type { Clock } from "../base/world.ts";
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import type { EpkRange } from "../partition/epkRange.ts";
import { positionOf } from "../partition/keySpace.ts";
import { Heat } from "./heat.ts";
import { type HeatMap, type HeatMapQuestion, heatMap } from "./heatMap.ts";
import { History } from "./history.ts";
import { PartitionMeter } from "./partitionMeter.ts";
import { RecentSeconds, SECONDS_KEPT, secondOf } from "./recentSeconds.ts";
import type { Load, RateChange } from "./report.ts";
import { type Timespan, timeColumns } from "./resolution.ts";
import {
  CROSS_PARTITION_COUNT,
  ITEM_BYTES,
  ITEM_COUNT,
  newRow,
  QUERY_COUNT,
  type Slot,
  slotFrom,
} from "./slotTable.ts";

interface MeteredPartition {
  /** The range id. */
  readonly id: string;
  readonly range: EpkRange;
  readonly allottedRate: number;
}

/** Queries of the last five minutes. */
interface QueryLoad {
  readonly queryCount: number;
  readonly crossPartitionQueryCount: number;
}

/** A span of the past; `counted` is null for a gap. */
interface TimelineColumn extends Timespan {
  readonly counted: Slot | null;
}

/** As many as a chart has room for. */
const RATE_CHANGES_MAX = 100;

export class ContainerMeter {
  readonly history: History = new History();
  readonly heat: Heat = new Heat();
  readonly #definition: PartitionKeyDefinition;
  readonly #clock: Clock;
  readonly #seconds: RecentSeconds;
  readonly #meters = new Map<string, PartitionMeter>();
  #rate: number | undefined;
  #rateChanges: readonly RateChange[] = [];

  constructor(definition: PartitionKeyDefinition, clock: Clock) {
    this.#definition = definition;
    this.#clock = clock;
    this.#seconds = new RecentSeconds(clock.now());
  }

  /** The meters of the open physical partitions, by range id. */
  get meters(): ReadonlyMap<string, PartitionMeter> {
    return this.#meters;
  }

  /** Opens a meter for a physical partition. */
  open({ id, range, allottedRate }: MeteredPartition, now: Millis): PartitionMeter {
    assert(!this.#meters.has(id), "a physical partition has one meter");
    const setting = {
      definition: this.#definition,
      stretch: {
        from: positionOf(this.#definition, range.min),
        to: positionOf(this.#definition, range.max),
      },
      heat: this.heat,
      allottedRate,
      wallNow: () => this.#clock.wallNow(),
      onSecond: (second: number, wallAt: number, row: Float64Array) => {
        this.#seconds.add(second, row);
        this.history.add(wallAt, row);
      },
    };
    const meter = new PartitionMeter(setting, now);
    this.#meters.set(id, meter);
    return meter;
  }

  /** Closes the meter of a retired physical partition; what it counted stays in the totals. */
  retire(id: string): void {
    this.#meters.get(id)?.close();
    this.#meters.delete(id);
  }

  /** The last changes of the rate since the server started, in order. */
  get rateChanges(): readonly RateChange[] {
    return this.#rateChanges;
  }

  /** Says what the rate is now; the first time it is no change. */
  noteRate(ratePerSecond: number): void {
    const from = this.#rate;
    this.#rate = ratePerSecond;
    if (from === undefined || from === ratePerSecond) return;
    const change = { at: this.#clock.wallNow(), from, to: ratePerSecond };
    this.#rateChanges = [...this.#rateChanges, change].slice(-RATE_CHANGES_MAX);
  }

  /** Counts a query that visited `visitedPartitionCount` physical partitions. */
  noteQuery(visitedPartitionCount: number, now: Millis): void {
    const row = newRow();
    row[QUERY_COUNT] = 1;
    row[CROSS_PARTITION_COUNT] = visitedPartitionCount > 1 ? 1 : 0;
    this.#seconds.add(secondOf(now), row);
    this.history.add(this.#clock.wallNow(), row);
  }

  /**
   * Notes the size of the container. Called once a minute, which also marks the minute as counted.
   */
  noteSizes(itemCount: number, itemBytes: number, now: Millis): void {
    this.settle(now);
    const row = newRow();
    row[ITEM_COUNT] = itemCount;
    row[ITEM_BYTES] = itemBytes;
    this.history.add(this.#clock.wallNow(), row);
  }

  /** Brings all statistics up to date, up to the last second that is over. */
  settle(now: Millis): void {
    for (const meter of this.#meters.values()) meter.settle(now);
    this.heat.settle();
  }

  /** The load of the last five minutes, requests to retired physical partitions included. */
  load(now: Millis): Load {
    this.settle(now);
    return this.#seconds.load(SECONDS_KEPT, now);
  }

  queryLoad(now: Millis): QueryLoad {
    const sum = this.#seconds.sum(SECONDS_KEPT, now);
    return {
      queryCount: sum[QUERY_COUNT]!,
      crossPartitionQueryCount: sum[CROSS_PARTITION_COUNT]!,
    };
  }

  /** The totals over a span of the past, in at most `columnsMax` columns (two or more). */
  timeline(span: Timespan, columnsMax: number, now: Millis): readonly TimelineColumn[] {
    this.settle(now);
    const wallNow = this.#clock.wallNow();
    const { resolution, columns } = timeColumns(span, { wallNow, columnsMax });
    const sums = this.history.sums(resolution, columns);
    return columns.map(({ from, to }, column) => {
      const sum = sums[column];
      return { from, to, counted: sum === undefined ? null : slotFrom(sum) };
    });
  }

  heatMap(question: HeatMapQuestion, now: Millis): HeatMap {
    this.settle(now);
    const { heat, history } = this;
    const wallNow = this.#clock.wallNow();
    return heatMap({ heat, history, definition: this.#definition, wallNow }, question);
  }

  /** The growth per day over the time for which sizes are known, if that is at least an hour. */
  bytesPerDay(itemBytes: number): number | undefined {
    const wallNow = this.#clock.wallNow();
    const earliest = this.history.earliestSize();
    if (earliest === undefined || wallNow - earliest.at < HOUR_MS) return undefined;
    return ((itemBytes - earliest.itemBytes) / (wallNow - earliest.at)) * DAY_MS;
  }
}
