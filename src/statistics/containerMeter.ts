/**
 * The statistics of one container: its totals over time, where in the key space its load was, and
 * the meters of its physical partitions.
 *
 * Totals are the container's own: they hear of every second of every physical partition, so they
 * lose nothing when one is retired by a split or a merge. Its children start with nothing.
 *
 * The recent past is kept by the monotonic clock, history by the wall clock. While the server is
 * up, `noteSizes` is called once a minute; minutes without it and without a request are gaps.
 *
 * Not here: how statistics survive a restart (`chunks.ts`), and what they come to
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
import { type HeatMap, type HeatQuestion, heatMap } from "./heatMap.ts";
import { History } from "./history.ts";
import { PartitionMeter } from "./partitionMeter.ts";
import { RecentSeconds, SECONDS_KEPT, secondOf } from "./recentSeconds.ts";
import type { Load } from "./report.ts";
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

export interface MeteredPartition {
  /** The range id. */
  readonly id: string;
  readonly range: EpkRange;
  readonly allottedRate: number;
}

/** Queries of the last five minutes. */
export interface QueryLoad {
  readonly queryCount: number;
  readonly crossPartitionQueryCount: number;
}

/** A span of the past; `counted` is null when nobody counted. */
export interface TimelineColumn extends Timespan {
  readonly counted: Slot | null;
}

export class ContainerMeter {
  readonly history: History = new History();
  readonly heat: Heat = new Heat();
  readonly #definition: PartitionKeyDefinition;
  readonly #clock: Clock;
  readonly #seconds: RecentSeconds;
  readonly #meters = new Map<string, PartitionMeter>();

  constructor(definition: PartitionKeyDefinition, clock: Clock) {
    this.#definition = definition;
    this.#clock = clock;
    this.#seconds = new RecentSeconds(clock.now());
  }

  /** The meters of the physical partitions there are, by range id. */
  get meters(): ReadonlyMap<string, PartitionMeter> {
    return this.#meters;
  }

  /** A meter for a physical partition that opens. */
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

  /** The physical partition is no more; what it counted stays in the totals. */
  retire(id: string): void {
    this.#meters.get(id)?.close();
    this.#meters.delete(id);
  }

  /** A query was asked, and was about so many physical partitions. */
  noteQuery(visitedPartitionCount: number, now: Millis): void {
    const row = newRow();
    row[QUERY_COUNT] = 1;
    row[CROSS_PARTITION_COUNT] = visitedPartitionCount > 1 ? 1 : 0;
    this.#seconds.add(secondOf(now), row);
    this.history.add(this.#clock.wallNow(), row);
  }

  /** What the container holds. To be called once a minute: it also says that somebody counts. */
  noteSizes(itemCount: number, itemBytes: number, now: Millis): void {
    this.settle(now);
    const row = newRow();
    row[ITEM_COUNT] = itemCount;
    row[ITEM_BYTES] = itemBytes;
    this.history.add(this.#clock.wallNow(), row);
  }

  /** Brings everything up to date as far as seconds are over. */
  settle(now: Millis): void {
    for (const meter of this.#meters.values()) meter.settle(now);
    this.heat.settle();
  }

  /** All requests of the last five minutes, those to retired physical partitions included. */
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

  heatMap(question: HeatQuestion, now: Millis): HeatMap {
    this.settle(now);
    const { heat, history } = this;
    const wallNow = this.#clock.wallNow();
    return heatMap({ heat, history, definition: this.#definition, wallNow }, question);
  }

  /** How fast the container grew over all the time its size is known, if that is an hour. */
  bytesPerDay(itemBytes: number): number | undefined {
    const wallNow = this.#clock.wallNow();
    const earliest = this.history.earliestSize();
    if (earliest === undefined || wallNow - earliest.at < HOUR_MS) return undefined;
    return ((itemBytes - earliest.itemBytes) / (wallNow - earliest.at)) * DAY_MS;
  }
}
