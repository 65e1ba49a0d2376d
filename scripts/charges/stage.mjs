/**
 * Servers and containers to try published figures on. Everything goes through the official client;
 * items have exactly the size and the leaves that a figure is about.
 *
 * There is a server for each default consistency, which keeps nothing, and one for large containers,
 * which keeps them in a directory that is removed at the end. Rates are not limited: what something
 * costs is asked, not whether there is a budget for it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import { startOrrery } from "orrery";

/** @typedef {"Session" | "Strong" | "BoundedStaleness"} Level */
/** @typedef {Record<string, unknown> & { id: string }} Item */
/**
 * @typedef {object} ShelfSetting
 * @property {string} [key] the path of the partition key
 * @property {object} [policy]
 * @property {Level} [level]
 * @property {number} [throughput]
 * @property {boolean} [isLarge] too large for memory
 */
/** @typedef {import("@azure/cosmos").Container} Container */

const BULK_COUNT = 100;
const BULKS_AT_ONCE = 4;

/** What containers of these figures need of a policy: the paths that are indexed, or nothing. */
export const NO_INDEX = { indexingMode: "none", automatic: false };
export const ALL_EXCLUDED = {
  indexingMode: "consistent",
  includedPaths: [],
  excludedPaths: [{ path: "/*" }],
};

/** @param {...string} paths */
export function onlyIndexed(...paths) {
  return {
    indexingMode: "consistent",
    includedPaths: paths.map((path) => ({ path })),
    excludedPaths: [{ path: "/*" }],
  };
}

export class Stage {
  /** @type {Map<string, { server: import("orrery").OrreryServer, client: CosmosClient, database: import("@azure/cosmos").Database, folder?: string }>} */
  #servers = new Map();
  #count = 0;

  /**
   * @param {Level} consistency
   * @param {boolean} isLarge
   */
  async #serverOf(consistency, isLarge) {
    const name = `${consistency}, ${isLarge}`;
    const known = this.#servers.get(name);
    if (known !== undefined) return known;
    const folder = isLarge ? mkdtempSync(join(tmpdir(), "orrery-charges-")) : undefined;
    const place = folder === undefined ? { memory: true } : { data: folder };
    const server = await startOrrery({ ...place, rateLimit: false, consistency });
    const client = new CosmosClient({ endpoint: server.endpoint, key: server.key });
    const { database } = await client.databases.create({ id: "charges" });
    const opened = { server, client, database, ...(folder && { folder }) };
    this.#servers.set(name, opened);
    return opened;
  }

  /**
   * A new container, of one physical partition unless the throughput asks for more.
   * @param {ShelfSetting} [setting]
   * @returns {Promise<Shelf>}
   */
  async shelf({ key = "/id", policy, level = "Session", throughput, isLarge = false } = {}) {
    const { database } = await this.#serverOf(level, isLarge);
    this.#count += 1;
    const { container } = await database.containers.create({
      id: `c${this.#count}`,
      partitionKey: { paths: [key] },
      ...(policy && { indexingPolicy: policy }),
      ...(throughput && { throughput }),
    });
    const { resource } = await container.items.create({ id: "probe", [key.slice(1)]: "probe" });
    await container.item("probe", "probe").delete();
    if (resource === undefined) throw new Error("the created item did not come back");
    const { _rid, _self, _etag, _attachments, _ts, ...own } = resource;
    return new Shelf(container, key.slice(1), byteLength(resource) - byteLength(own));
  }

  async close() {
    for (const { server, client, folder } of this.#servers.values()) {
      client.dispose();
      await server.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** @param {unknown} value */
function byteLength(value) {
  return Buffer.byteLength(JSON.stringify(value));
}

/** A container, and items that are as large as asked for. */
export class Shelf {
  /**
   * @param {Container} container
   * @param {string} key the property that is the partition key
   * @param {number} stampBytes what the server adds to an item
   */
  constructor(container, key, stampBytes) {
    this.container = container;
    this.key = key;
    this.stampBytes = stampBytes;
  }

  /**
   * Fills an item up with a text, `pad`: where everything is indexed it is one leaf more.
   * @param {Item} item
   * @param {number} storedBytes with what the server adds
   * @returns {Item}
   */
  sized(item, storedBytes) {
    const missing = storedBytes - this.stampBytes - byteLength({ ...item, pad: "" });
    if (missing < 0) throw new Error(`an item of ${storedBytes} bytes has no room for its names`);
    return { ...item, pad: "x".repeat(missing) };
  }

  /** @param {Item} item */
  async create(item) {
    return (await this.container.items.create(item)).requestCharge;
  }

  /** @param {Item} item */
  async read(item) {
    return (await this.#at(item).read()).requestCharge;
  }

  /** @param {Item} item */
  async replace(item) {
    return (await this.#at(item).replace(item)).requestCharge;
  }

  /** @param {Item} item */
  async upsert(item) {
    return (await this.container.items.upsert(item)).requestCharge;
  }

  /**
   * @param {Item} item
   * @param {import("@azure/cosmos").PatchOperation[]} operations
   */
  async patch(item, operations) {
    return (await this.#at(item).patch(operations)).requestCharge;
  }

  /** @param {Item} item */
  async delete(item) {
    return (await this.#at(item).delete()).requestCharge;
  }

  /** @param {Item} item */
  #at(item) {
    return this.container.item(item.id, /** @type {string} */ (item[this.key]));
  }

  /**
   * @param {number} count
   * @param {(n: number) => Item} itemOf
   * @param {(done: number) => void} [onProgress]
   */
  async load(count, itemOf, onProgress) {
    let next = 0;
    const writer = async () => {
      while (next < count) {
        const from = next;
        next = Math.min(count, from + BULK_COUNT);
        const items = Array.from({ length: next - from }, (_, index) => itemOf(from + index));
        await this.bulk("Create", items);
        onProgress?.(next);
      }
    };
    await Promise.all(Array.from({ length: BULKS_AT_ONCE }, writer));
  }

  /**
   * @param {"Create" | "Delete"} operationType
   * @param {readonly Item[]} items
   * @returns {Promise<number>} what they cost together
   */
  async bulk(operationType, items) {
    const operations = items.map((item) => {
      const partitionKey = /** @type {string} */ (item[this.key]);
      if (operationType === "Delete") return { operationType, partitionKey, id: item.id };
      const resourceBody = /** @type {import("@azure/cosmos").JSONObject} */ (item);
      return { operationType, partitionKey, resourceBody };
    });
    // Of the client's two ways the older one is three times as fast.
    const results = await this.container.items.bulk(operations);
    return results.reduce((sum, { statusCode, requestCharge }) => {
      if (statusCode >= 300) throw new Error(`a bulk operation was answered with ${statusCode}`);
      return sum + requestCharge;
    }, 0);
  }

  /**
   * One page, with so many rows on it.
   * @param {string} text
   * @param {number} rowCount
   * @param {number} [countMax]
   */
  async page(text, rowCount, countMax = 10_000) {
    const pages = await this.pages(text, rowCount, countMax);
    if (pages.length !== 1) throw new Error(`${text}: ${pages.length} pages instead of one`);
    return pages[0];
  }

  /**
   * All pages that are full or the last; one that was cut off belongs to those behind it.
   * @param {string} text
   * @param {number} rowCount on all of them
   * @param {number} [countMax]
   * @returns {Promise<number[]>} their charges
   */
  async pages(text, rowCount, countMax = 10_000) {
    const iterator = this.container.items.query(text, {
      maxItemCount: countMax,
      initialHeaders: { "x-orrery-merge-query": "true" },
    });
    const charges = [];
    let found = 0;
    let isCut = false;
    while (iterator.hasMoreResults()) {
      const { resources, requestCharge, continuationToken } = await iterator.fetchNext();
      found += resources.length;
      if (isCut) charges[charges.length - 1] += requestCharge;
      else charges.push(requestCharge);
      isCut = continuationToken !== undefined && "x" in JSON.parse(continuationToken);
    }
    if (found !== rowCount) throw new Error(`${text}: ${found} rows instead of ${rowCount}`);
    return charges.map((charge) => Math.round(charge * 100) / 100);
  }

  async remove() {
    await this.container.delete();
  }
}

/**
 * So many leaves, as short texts.
 * @param {number} count
 * @returns {Record<string, string>}
 */
export function leaves(count) {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, `v${n}`]));
}

/** @param {readonly number[]} charges */
export function sumOf(charges) {
  return Math.round(charges.reduce((sum, charge) => sum + charge, 0) * 100) / 100;
}
