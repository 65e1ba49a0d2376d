/**
 * Who moves items from the hot container to the warm one. A run of the approaches knows only the
 * interface: what moves, and how often, is decided outside, and what it costs is read from the
 * counters of the two containers, whoever spent it.
 */
import type { Container, FeedOptions, ItemDefinition, SqlQuerySpec } from "@azure/cosmos";
import { pause } from "../../../base/retry.ts";
import { withoutSystemProperties } from "../../../base/systemProperties.ts";
import type { JsonValue } from "../../../json/value.ts";
import type { KeyTuple } from "../../../lab/prove/keyedItem.ts";
import { realTimer } from "../../../server/surroundings/realWorld.ts";
import { partitionKeyOf } from "../proveClient.ts";

export interface Mover {
  /**
   * Moves everything that is older than that time, and resolves when all of it is in the warm
   * container; says how many items it was.
   */
  moveUntil(cutoffMillis: number): Promise<number>;
}

/** Two containers, and what has to be known to move items from the one to the other. */
export interface MoverSetting {
  readonly hot: Container;
  readonly warm: Container;
  /** How a query names the property that has the age, such as `c["publishedDate"]`. */
  readonly property: string;
  /** A time in the form that items have. */
  timeAt(millis: number): JsonValue;
  keyOf(item: ItemDefinition): KeyTuple;
  readonly batch: number;
  readonly graceSeconds: number;
}

/**
 * With the official client, as an application would: a copy first, and only when it is durable the
 * mark and the short time to live of the original. Whatever is done twice comes to the same: a
 * second copy overwrites the first, and an original that was edited meanwhile keeps its etag to
 * itself, is not marked, and so is found and copied again.
 */
export class ClientMover implements Mover {
  readonly #setting: MoverSetting;

  constructor(setting: MoverSetting) {
    this.#setting = setting;
  }

  async moveUntil(cutoffMillis: number): Promise<number> {
    const { batch } = this.#setting;
    let moved = 0;
    for (;;) {
      const due = await this.#due(cutoffMillis);
      const done = await Promise.all(due.map((item) => this.#move(item)));
      moved += done.filter((isMoved) => isMoved).length;
      if (due.length < batch && done.every((isMoved) => isMoved)) return moved;
    }
  }

  async #due(cutoffMillis: number): Promise<readonly ItemDefinition[]> {
    const { hot, property, batch, timeAt } = this.#setting;
    const spec: SqlQuerySpec = {
      query:
        `SELECT TOP ${batch} * FROM c WHERE ${property} < @cutoff ` +
        `AND NOT IS_DEFINED(c.migrated) ORDER BY ${property}`,
      parameters: [{ name: "@cutoff", value: timeAt(cutoffMillis) as never }],
    };
    const options: FeedOptions = { maxItemCount: batch };
    const { resources } = await patiently(() =>
      hot.items.query<ItemDefinition>(spec, options).fetchAll(),
    );
    return resources;
  }

  /** False: somebody has edited the original since it was read. */
  async #move(item: ItemDefinition): Promise<boolean> {
    const { hot, warm, graceSeconds } = this.#setting;
    const { ttl: _, migrated: __, ...copy } = withoutSystemProperties(item);
    await patiently(() => warm.items.upsert(copy));
    const key = partitionKeyOf(this.#setting.keyOf(item));
    const marks = [
      { op: "add" as const, path: "/migrated", value: true },
      { op: "add" as const, path: "/ttl", value: graceSeconds },
    ];
    const accessCondition = { type: "IfMatch", condition: String(item["_etag"]) };
    try {
      await patiently(() => hot.item(item.id!, key).patch(marks, { accessCondition }));
      return true;
    } catch (error) {
      if (codeOf(error) === PRECONDITION_FAILED) return false;
      throw error;
    }
  }
}

const PRECONDITION_FAILED = 412;
const TOO_MANY_REQUESTS = 429;
const WAIT_MS = 100;

/** Whoever is throttled comes again. */
export async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (codeOf(error) !== TOO_MANY_REQUESTS) throw error;
      await pause(realTimer, WAIT_MS);
    }
  }
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown }).code;
}
