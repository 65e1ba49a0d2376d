/**
 * A client that reads by pages, queries and feeds, and takes its time: between two of its pages
 * there may be splits and merges, other policies, a crash. What has been there all the time, and as
 * it was, it must get exactly once.
 */

import {
  encodeFeedCursor,
  feedQuestion,
  parseFeedCursor,
} from "../../src/engine/feed/feedCursor.ts";
import type { FeedScope } from "../../src/engine/feed/itemFeed.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import type { QueryCommand } from "../../src/engine/query/queryItems.ts";
import type { JsonObject } from "../../src/json/value.ts";
import type { Refusal } from "../../src/model/refusal.ts";
import { epkOf } from "../../src/partition/epk.ts";
import type { Epk } from "../../src/partition/epkRange.ts";
import { contains, rangeOfKey, WHOLE_RANGE } from "../../src/partition/epkRange.ts";
import type { Life } from "./life.ts";
import type { ContainerSlot, ItemHistory } from "./stormModel.ts";
import { demand } from "./stormModel.ts";

type Way = { readonly mayRepeatChanged: boolean } & (
  | { readonly kind: "query"; readonly text: string; readonly needsOrder: boolean }
  | { readonly kind: "feed"; readonly scope: FeedScope }
);

/** A walk through a container that has been begun. */
interface Walk {
  readonly slot: ContainerSlot;
  readonly rid: string;
  readonly way: Way;
  isOfIt(container: Container, item: ItemHistory): boolean;
  readonly since: number;
  /** Of the map when it was begun. */
  readonly version: number;
  readonly countMax: number;
  readonly seen: Map<string, number>;
  continuation: string | undefined;
  pageCount: number;
}

interface Page {
  readonly bodies: readonly Buffer[];
  readonly continuation: string | undefined;
}

export class PageReader {
  #walk: Walk | undefined;
  finishedCount = 0;
  pageCount = 0;
  /** Walks over a split or a merge. */
  overtakenCount = 0;

  async act(life: Life): Promise<void> {
    const walk = this.#walk ?? this.#begin(life);
    if (walk === undefined) return;
    const container = life.containerOf(walk.slot);
    if (walk.slot.rid !== walk.rid) this.#walk = undefined;
    if (container === undefined || walk.slot.rid !== walk.rid) return;
    this.#walk = walk;
    const since = life.model.tick();
    const page = await this.#page(life, container, walk);
    if (container.isDeleted || page === undefined) {
      this.#walk = undefined;
      return;
    }
    this.pageCount++;
    for (const body of page.bodies) this.#take(walk, body, since);
    walk.continuation = page.continuation;
    walk.pageCount++;
    demand(walk.pageCount < 2_000, "a walk does not come to its end");
    if (page.continuation === undefined) this.#finish(life, container, walk);
  }

  #begin(life: Life): Walk | undefined {
    const slot = life.pick(life.model.slots);
    const container = life.containerOf(slot);
    if (container === undefined) return undefined;
    const common = {
      slot,
      rid: container.rid,
      since: life.model.tick(),
      version: container.map.version,
      countMax: life.pick([1, 3, 10, 50]),
      seen: new Map<string, number>(),
      continuation: undefined,
      pageCount: 0,
    };
    return { ...common, ...chooseWay(life, slot, container) };
  }

  async #page(life: Life, container: Container, walk: Walk): Promise<Page | undefined> {
    return walk.way.kind === "query"
      ? this.#queryPage(life, container, walk, walk.way)
      : this.#feedPage(life, container, walk, walk.way.scope);
  }

  async #queryPage(
    life: Life,
    container: Container,
    walk: Walk,
    { text, needsOrder }: Way & { readonly kind: "query" },
  ): Promise<Page | undefined> {
    const command: QueryCommand = {
      text,
      parameters: new Map(),
      parameterNames: new Set(),
      scope: { kind: "container" },
      isFanOutAllowed: true,
      continuation: walk.continuation,
      countMax: walk.countMax,
    };
    const answer = await life.patiently(
      container,
      () => watched(life, container, life.account.queryItems(container, command)),
      errorOf,
    );
    if (container.isDeleted) return undefined;
    if (!answer.ok) {
      const isOfPolicy = needsOrder && ["queryRefused", "badQuery"].includes(answer.error.kind);
      demand(isOfPolicy, `${text} was refused: ${JSON.stringify(answer.error)}`);
      return undefined;
    }
    const { rows, continuation, charge, charges } = answer.value;
    this.#settle(life, container, charges, charge);
    life.note(`query ${walk.slot.name} ${rows.length} ${charge} ${continuation}`);
    return { bodies: rows, continuation };
  }

  async #feedPage(
    life: Life,
    container: Container,
    walk: Walk,
    scope: FeedScope,
  ): Promise<Page | undefined> {
    const { continuation, countMax } = walk;
    const cursors = life.account.cursorKey.cursorsOf(() => feedQuestion(container.rid, undefined));
    const read = continuation === undefined ? undefined : parseFeedCursor(cursors, continuation);
    demand(read?.ok !== false, `no cursor: ${continuation}`);
    const position = read?.value;
    const page = await life.patiently(
      container,
      () => {
        const asked = life.account.readItems(container, { scope, position, countMax });
        return watched(life, container, asked);
      },
      errorOf,
    );
    if (container.isDeleted) return undefined;
    demand(page.ok, `a feed was refused: ${JSON.stringify(page)}`);
    const { bodies, next, charge, charges } = page.value;
    this.#settle(life, container, charges, charge);
    if (next !== undefined) life.ledger.noteCutShort(container);
    life.note(`feed ${walk.slot.name} ${bodies.length} ${charge}`);
    return { bodies, continuation: next && encodeFeedCursor(cursors, next) };
  }

  #settle(
    life: Life,
    container: Container,
    charges: ReadonlyMap<{ readonly entry: { readonly id: string } }, number>,
    charge: number,
  ): void {
    const sum = [...charges.values()].reduce((total, part) => total + part, 0);
    demand(Math.abs(sum - charge) < 1e-6, `a page costs ${charge}, and ${sum} was paid for it`);
    life.ledger.note(
      container,
      [...charges].map(([{ entry }, ru]) => [entry.id, ru] as const),
    );
  }

  #take(walk: Walk, body: Buffer, since: number): void {
    const row = JSON.parse(body.toString()) as JsonObject;
    const id = row["id"] as string;
    const item = walk.slot.items.get(id);
    demand(item !== undefined, `${id} of ${walk.slot.name} was never written`);
    const marker = row["marker"] as string;
    demand(item.mayBe(marker, since), `a page of ${walk.slot.name} has ${id} as ${marker}`);
    walk.seen.set(id, (walk.seen.get(id) ?? 0) + 1);
  }

  #finish(life: Life, container: Container, walk: Walk): void {
    this.#walk = undefined;
    this.finishedCount++;
    if (container.map.version !== walk.version) this.overtakenCount++;
    const { slot, since, way } = walk;
    const name = `${slot.name} by ${JSON.stringify(way)} in ${walk.pageCount} pages`;
    for (const item of slot.items.values()) {
      const count = walk.seen.get(item.id) ?? 0;
      const isUntouched = item.isUntouched(since);
      const isOfIt = walk.isOfIt(container, item);
      demand(isOfIt || count === 0, `${name} gave ${item.id}`);
      if (isUntouched && isOfIt) demand(count === 1, `${name} gave ${item.id} ${count} times`);
      const mayRepeat = way.mayRepeatChanged ? !isUntouched : !item.isUndeleted(since);
      demand(count <= 1 || mayRepeat, `${name} gave ${item.id} ${count} times`);
    }
    life.note(`walk ${slot.name} ${walk.pageCount} ${walk.seen.size}`);
  }
}

function chooseWay(
  life: Life,
  slot: ContainerSlot,
  container: Container,
): Pick<Walk, "way" | "isOfIt"> {
  const all = (): boolean => true;
  const epkOfItem = ({ definition }: Container, { key }: ItemHistory): Epk =>
    epkOf(definition.partitionKey, key);
  const query = (text: string, order?: "ordered"): Way => {
    const needsOrder = order !== undefined;
    return { kind: "query", text, needsOrder, mayRepeatChanged: needsOrder };
  };
  const [first] = slot.kind.paths;
  const name = first!.slice(1);
  const value = life.pick([...slot.items.values()])?.key[0] ?? "nobody";
  const isOfFirst = (_: Container, { key }: ItemHistory): boolean => key[0] === value;
  switch (life.below(7)) {
    case 0:
      return { way: query("SELECT * FROM c"), isOfIt: all };
    case 1:
      return { way: query("SELECT c.id, c.marker FROM c WHERE c.n >= 0"), isOfIt: all };
    case 2: {
      const direction = life.pick(["ASC", "DESC"]);
      const text = `SELECT c.id, c.marker FROM c ORDER BY c.n ${direction}`;
      return { way: query(text, "ordered"), isOfIt: all };
    }
    case 3:
      return { way: query(`SELECT * FROM c WHERE c.${name} = '${value}'`), isOfIt: isOfFirst };
    case 4:
      return { way: feed({ range: WHOLE_RANGE, order: "creation" }), isOfIt: all };
    case 5: {
      // The range of a physical partition, which may be no more by the time of the next page.
      const { range } = life.pick(container.map.entries);
      const isOfIt = (held: Container, item: ItemHistory): boolean =>
        contains(range, epkOfItem(held, item));
      return { way: feed({ range, order: "creation" }), isOfIt };
    }
    default: {
      const isWhole = slot.kind.paths.length === 1 || life.chance(0.5);
      const range = rangeOfKey(
        container.definition.partitionKey,
        isWhole ? [value] : [value, `u${life.below(4)}`],
      );
      const isOfIt = (held: Container, item: ItemHistory): boolean =>
        contains(range, epkOfItem(held, item));
      return { way: feed({ range, order: "placement" }), isOfIt };
    }
  }
}

async function watched<T>({ ledger }: Life, container: Container, page: Promise<T>): Promise<T> {
  const { record } = container;
  const result = await page;
  if (container.record !== record) ledger.noteCutShort(container);
  return result;
}

function feed(scope: FeedScope): Way {
  return { kind: "feed", scope, mayRepeatChanged: false };
}

function errorOf(
  result: { readonly ok: true } | { readonly ok: false; readonly error: Refusal },
): Refusal | undefined {
  return result.ok ? undefined : result.error;
}
