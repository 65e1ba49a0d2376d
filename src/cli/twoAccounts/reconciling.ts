/**
 * Copies that have lost their original, or whose original has another key by now: found in the
 * target by the ids that something has happened to, held against the source as it is now, and
 * removed. Only in a target that this copy has filled alone: elsewhere an item without an original
 * may be somebody else's.
 */
import type { Container } from "@azure/cosmos";
import type { JsonObject } from "../../json/value.ts";
import { property } from "../../json/value.ts";
import type { CopyAccount } from "./account.ts";
import { causeOf } from "./account.ts";
import type { AccountMapping } from "./mapping.ts";
import { clientPartitionKey, sameKey } from "./pageWriter.ts";
import type { AccountTally } from "./tally.ts";

interface ReconcilingSetting {
  readonly from: CopyAccount;
  readonly to: CopyAccount;
  readonly source: Container;
  readonly target: Container;
  readonly mapping: AccountMapping;
  readonly tally: AccountTally;
}

/** In one query. */
const IDS_MAX = 100;

export class Reconciling {
  readonly #setting: ReconcilingSetting;

  constructor(setting: ReconcilingSetting) {
    this.#setting = setting;
  }

  async check(ids: readonly string[]): Promise<void> {
    const different = [...new Set(ids)];
    for (let at = 0; at < different.length; at += IDS_MAX) {
      const copies = await this.#copiesOf(different.slice(at, at + IDS_MAX));
      await Promise.all(copies.map((copy) => this.#checkCopy(copy)));
    }
  }

  async #copiesOf(ids: readonly string[]): Promise<readonly JsonObject[]> {
    const { to, target, tally } = this.#setting;
    const query = {
      query: "SELECT * FROM c WHERE ARRAY_CONTAINS(@ids, c.id)",
      parameters: [{ name: "@ids", value: [...ids] }],
    };
    try {
      const { resources, requestCharge } = await target.items.query(query).fetchAll();
      tally.writeRu += requestCharge;
      return resources as JsonObject[];
    } catch (error) {
      throw to.failureOf(error);
    }
  }

  async #checkCopy(copy: JsonObject): Promise<void> {
    const { mapping } = this.#setting;
    const original = await this.#originalOf(copy);
    if (original !== undefined) {
      const mapped = mapping.copyOf(original);
      const isInPlace =
        mapped.kind === "copy" && sameKey(mapped.draft.key, mapping.targetKeyOf(copy));
      if (isInPlace) return;
    }
    await this.#remove(copy);
  }

  async #originalOf(copy: JsonObject): Promise<JsonObject | undefined> {
    const { from, source, mapping, tally } = this.#setting;
    const key = clientPartitionKey(mapping.sourceKeyOf(copy));
    try {
      const { resource, requestCharge } = await source.item(idOf(copy), key).read();
      tally.readRu += requestCharge;
      return resource as JsonObject | undefined;
    } catch (error) {
      throw from.failureOf(error);
    }
  }

  async #remove(copy: JsonObject): Promise<void> {
    const { to, target, mapping, tally } = this.#setting;
    const key = clientPartitionKey(mapping.targetKeyOf(copy));
    const condition = { type: "IfMatch", condition: String(property(copy, "_etag")) };
    try {
      const { requestCharge } = await target
        .item(idOf(copy), key)
        .delete({ accessCondition: condition });
      tally.writeRu += requestCharge;
      tally.removedCount++;
    } catch (error) {
      const { code } = causeOf(error) as { readonly code?: unknown };
      // Gone already, or written anew meanwhile, which brings it up again.
      if (code !== 404 && code !== 412) throw to.failureOf(error);
    }
  }
}

function idOf(copy: JsonObject): string {
  return String(property(copy, "id"));
}
