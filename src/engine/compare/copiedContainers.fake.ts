/**
 * Two containers on an account in memory, the second a copy of the first under another key, with a
 * copier that is slow and obviously right: it goes through all items and makes the target be what
 * the source is at that moment. For tests.
 */
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../../json/value.ts";
import { itemRid } from "../../model/rid.ts";
import { epkOf } from "../../partition/epk.ts";
import type { ItemWrite, StoredItem, WriteGroup } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import type { Database } from "../catalog/database.ts";
import { etagOf, objectOf, stampedBody, tsOf } from "../item/itemBody.ts";
import { epkOfKey, itemKeyOf } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import {
  containerIn,
  databaseIn,
  simulatedAccount,
  troubledStore,
} from "../simulatedAccount.fake.ts";
import { write } from "../simulatedRequests.fake.ts";
import type { ComparedPair, ExpectedCopy, RunTerms } from "./comparedPair.ts";
import { ContainerComparison } from "./comparison.ts";
import type { ComparisonSetting } from "./rowReader.ts";

/** Items whose `isLeftOut` is true have no copy. */
export interface CopiedOptions {
  readonly keepsStamps?: boolean;
  readonly numberShift?: number;
  readonly source?: JsonObject;
  readonly target?: JsonObject;
}

export const GO_ON: RunTerms = { isStopped: () => false, pace: () => Promise.resolve() };

const SYSTEM = ["_rid", "_self", "_etag", "_attachments", "_ts"];
const ALL = { countMax: 1_000_000, bytesMax: Number.MAX_SAFE_INTEGER };

export async function copiedContainers(options: CopiedOptions = {}): Promise<CopiedContainers> {
  const simulated = await simulatedAccount();
  const database = await databaseIn(simulated.account);
  const { account } = simulated;
  const source = await containerIn(account, database, undefined, { id: "from", ...options.source });
  const partitionKey = { paths: ["/to"], kind: "Hash", version: 2 };
  const own = { id: "to", partitionKey, ...options.target };
  const target = await containerIn(account, database, undefined, own);
  return new CopiedContainers(simulated, database, { source, target }, options);
}

export class CopiedContainers {
  readonly account: Account;
  readonly simulated: Simulated;
  readonly database: Database;
  readonly source: Container;
  readonly target: Container;
  readonly pair: ComparedPair;
  readonly comparison: ContainerComparison;
  /** Numbers of originals that the copier passes over as set aside. */
  readonly setAside: Set<number> = new Set<number>();
  /** Numbers of originals that the copier forgets, by mistake. */
  readonly neglected: Set<number> = new Set<number>();
  readonly foreign: Set<number> = new Set<number>();
  /** What the comparison waits for. */
  caughtUp: () => Promise<boolean> = async () => {
    await this.copy();
    return true;
  };
  #copying: Promise<void> = Promise.resolve();

  constructor(
    simulated: Simulated,
    database: Database,
    { source, target }: Pick<ComparedPair, "source" | "target">,
    options: CopiedOptions,
  ) {
    this.simulated = simulated;
    this.account = simulated.account;
    this.database = database;
    this.source = source;
    this.target = target;
    this.pair = {
      source,
      target,
      numberShift: options.numberShift ?? 0,
      keepsStamps: options.keepsStamps ?? true,
      copyOf: (item) => this.#copyOf(item),
      isExempt: (number) => this.setAside.has(number),
      isOfOthers: (number) => this.foreign.has(number),
      caughtUp: () => this.caughtUp(),
    };
    this.comparison = this.another();
  }

  get setting(): ComparisonSetting {
    const { store, trouble, time } = this.simulated;
    return { store: troubledStore(store, trouble), clock: time.clock, timer: time.timer };
  }

  /** A comparison that knows nothing yet. */
  another(): ContainerComparison {
    return new ContainerComparison(this.setting, this.pair);
  }

  async put(id: string, members: JsonObject, pk: string = id): Promise<void> {
    const outcome = await write(this.account, this.source, "upsert", id, members, pk);
    assert(outcome.kind === "created" || outcome.kind === "replaced", `${id} was not written`);
  }

  async remove(id: string, pk: string = id): Promise<void> {
    const outcome = await write(this.account, this.source, "delete", id, {}, pk);
    assert(outcome.kind === "deleted", `${id} was not deleted`);
  }

  /** Like `remove`, of an item that may not be there. */
  async tryRemove(id: string, pk: string = id): Promise<void> {
    await write(this.account, this.source, "delete", id, {}, pk);
  }

  /** Makes the target be what the source is, one caller after the other. */
  copy(): Promise<void> {
    this.#copying = this.#copying.then(() => this.#copyAll());
    return this.#copying;
  }

  /** What a container holds, by number. */
  items(container: Container): Map<number, StoredItem> {
    const parts = container.map.entries.map(({ part }) => part);
    const items = parts.flatMap((part) => this.simulated.store.scanItems(part, 0, ALL).items);
    return new Map(items.map((item) => [item.number, item]));
  }

  numberOf(id: string): number {
    return this.#itemOf(this.source, id).number;
  }

  /** Changes the last digit of `n` beneath the log, as a disk might. */
  spoil(container: Container, id: string): void {
    const { body } = this.#itemOf(container, id);
    const rest = body.indexOf('"n":') + 4;
    const at = rest + /^\d+/.exec(body.toString("latin1", rest))![0].length - 1;
    body[at] = body[at]! ^ 1;
  }

  /** Writes to the target what is no copy, or takes one away. */
  async plant(id: string, plan: { readonly number: number } | "missing"): Promise<void> {
    const to = "planted";
    const epk = epkOf(this.target.definition.partitionKey, [to]);
    if (plan === "missing") {
      const item = this.#itemOf(this.target, id);
      await this.#commit(epkOfKey(item.key), () => [[deletionOf(item)]]);
      return;
    }
    const { number } = plan;
    const text = Buffer.from(JSON.stringify({ id, to }));
    const rid = itemRid(this.target.childRids, number);
    const stamp = { rid, self: "", etag: "0".repeat(36), ts: 1_700_000_000 };
    const put = { kind: "put", key: itemKeyOf(epk, id), number, tag: 0 } as const;
    const body = stampedBody(text, stamp);
    const terms = { before: undefined, termsAdded: [], termsRemoved: [] };
    await this.#commit(epk, () => [[{ ...put, body, ...terms }]]);
  }

  #itemOf(container: Container, id: string): StoredItem {
    const found = [...this.items(container).values()].find(
      (item) => objectOf(item.body)["id"] === id,
    );
    assert(found !== undefined, `there is no ${id}`);
    return found;
  }

  #byNumber(container: Container, number: number): StoredItem | undefined {
    const { store } = this.simulated;
    if (number <= 0) return undefined;
    return container.map.entries.flatMap(({ part }) => store.itemsByNumber(part, [number]))[0];
  }

  #copyOf({ body }: StoredItem): ExpectedCopy | undefined {
    const object = Object.entries(objectOf(body)).filter(([name]) => !SYSTEM.includes(name));
    const own = Object.fromEntries(object) as JsonObject;
    if (own["isLeftOut"] === true) return undefined;
    const key = [own["to"] as string | undefined];
    const epk = epkOf(this.target.definition.partitionKey, key);
    const text = Buffer.from(JSON.stringify(own));
    return { epk, key, id: String(own["id"]), text, etag: etagOf(body), ts: tsOf(body) };
  }

  async #copyAll(): Promise<void> {
    const { numberShift } = this.pair;
    for (const number of this.items(this.source).keys()) await this.#copyOne(number);
    for (const number of this.items(this.target).keys()) {
      if (!this.foreign.has(number)) await this.#copyOne(number - numberShift);
    }
  }

  async #copyOne(number: number): Promise<void> {
    if (this.neglected.has(number)) return;
    const copyNumber = number + this.pair.numberShift;
    const item = this.#byNumber(this.source, number);
    const copy = item && !this.setAside.has(number) ? this.#copyOf(item) : undefined;
    const present = this.#byNumber(this.target, copyNumber);
    const key = copy && itemKeyOf(copy.epk, copy.id);
    if (present !== undefined && present.key !== key) {
      await this.#commit(epkOfKey(present.key), () => [[deletionOf(present)]]);
    }
    if (copy === undefined) return;
    const etag = etagOf(item!.body).slice(1, -1);
    const rid = itemRid(this.target.childRids, copyNumber);
    const ts = this.pair.keepsStamps ? copy.ts : copy.ts + 1;
    const self = `${this.target.itemSelfPrefix}${rid}/`;
    const body = stampedBody(copy.text, { rid, self, etag, ts });
    if (present?.key === key && present!.body.equals(body)) return;
    await this.#commit(copy.epk, () => {
      const current = this.#byNumber(this.target, copyNumber);
      const before = current && { lsn: current.lsn, bodyBytes: current.body.length };
      const terms = { termsAdded: [], termsRemoved: [] };
      const { tag } = item!;
      return [[{ kind: "put", key: key!, number: copyNumber, tag, body, before, ...terms }]];
    });
  }

  /** Again if the physical partition was split or merged before its turn came. */
  async #commit(epk: string, find: () => readonly WriteGroup[]): Promise<void> {
    for (let isWritten = false; !isWritten; ) {
      await this.target.ownerOf(epk as ExpectedCopy["epk"]).commitBetween(() => {
        isWritten = true;
        return Promise.resolve(find());
      });
    }
  }
}

function deletionOf({ key, number, lsn, body }: StoredItem): ItemWrite {
  const before = { lsn, bodyBytes: body.length };
  return { kind: "delete", key, number, tag: 0, before, termsRemoved: [] };
}
