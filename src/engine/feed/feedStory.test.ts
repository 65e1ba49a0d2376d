/**
 * Random stories of a container, and readers of its change feed who page through them in steps of
 * any size, stop, and go on from any position they were ever given. The model is one list of what
 * was done to each item, in the order of the answers; it knows of no log, no LSN and no partition.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../../json/value.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { Account } from "../account.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { containerIn, databaseIn, settled, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { Step } from "../simulatedRequests.fake.ts";
import { batch, changesOf, objectsOf, write } from "../simulatedRequests.fake.ts";
import type { FeedMode } from "./changes.ts";
import { encodeProgress, marksOf, parseProgress } from "./feedMarks.ts";

const KEYS = ["k0", "k1", "k2", "k3"] as const;
const IDS = ["a", "b", "c"] as const;
const TTL = 4;

/** One thing that happened to an item; a marker names each version. */
interface Deed {
  readonly kind: "create" | "replace" | "delete" | "expire";
  readonly marker?: number;
}

interface Life {
  readonly marker: number;
  /** In seconds since the story began. */
  readonly endsAt: number;
}

/** What has been done to every item, by key and id. */
class Chronicle {
  readonly deeds = new Map<string, Deed[]>();
  readonly #live = new Map<string, Life>();
  second = 0;

  /** Whoever looks at an item finds that it has expired, if it has. */
  find(item: string): Life | undefined {
    const found = this.#live.get(item);
    if (found === undefined || found.endsAt > this.second) return found;
    this.#live.delete(item);
    this.#note(item, { kind: "expire" });
    return undefined;
  }

  put(item: string, marker: number, hasEnd: boolean): void {
    const before = this.find(item);
    this.#note(item, { kind: before === undefined ? "create" : "replace", marker });
    this.#live.set(item, { marker, endsAt: hasEnd ? this.second + TTL : Number.POSITIVE_INFINITY });
  }

  remove(item: string): void {
    if (this.find(item) === undefined) return;
    this.#live.delete(item);
    this.#note(item, { kind: "delete" });
  }

  /** What a transaction did, in one go: versions that nobody saw are no deeds. */
  together(writes: readonly { item: string; marker: number | undefined; hasEnd: boolean }[]): void {
    for (const item of new Set(writes.map((one) => one.item))) {
      const own = writes.filter((one) => one.item === item);
      const before = this.find(item);
      const last = own.at(-1)!;
      const isEnded = before !== undefined && own.some(({ marker }) => marker === undefined);
      if (isEnded) this.remove(item);
      if (last.marker !== undefined) this.put(item, last.marker, last.hasEnd);
    }
  }

  /** Everything that has expired has been found to. */
  settle(): void {
    for (const item of [...this.#live.keys()]) this.find(item);
  }

  live(): ReadonlyMap<string, number> {
    this.settle();
    return new Map([...this.#live].map(([item, { marker }]) => [item, marker]));
  }

  #note(item: string, deed: Deed): void {
    const deeds = this.deeds.get(item) ?? [];
    deeds.push(deed);
    this.deeds.set(item, deeds);
  }
}

/** What a reader had seen when it was given a position. */
interface Bookmark {
  /** As clients keep it; absent at the very beginning. */
  readonly etag: string | undefined;
  readonly seen: ReadonlyMap<string, readonly Deed[]>;
  readonly lsnOf: ReadonlyMap<string, number>;
}

class Reader {
  readonly #mode: FeedMode;
  readonly #bookmarks: Bookmark[];
  #at: Bookmark;

  constructor(mode: FeedMode, etag: string | undefined) {
    this.#mode = mode;
    this.#at = { etag, seen: new Map(), lsnOf: new Map() };
    this.#bookmarks = [this.#at];
  }

  get seen(): Bookmark["seen"] {
    return this.#at.seen;
  }

  goBack(choice: number): void {
    this.#at = this.#bookmarks[choice % this.#bookmarks.length]!;
  }

  /** False when there was nothing new. */
  async page(account: Account, container: Container, countMax: number): Promise<boolean> {
    const { etag, ...before } = this.#at;
    const cursors = marksOf(account.cursorKey, container, this.#mode);
    const progress = etag === undefined ? undefined : parseProgress(cursors, etag);
    assert(progress?.ok !== false, "what was given out cannot be read");
    const start =
      progress === undefined
        ? ({ kind: "beginning" } as const)
        : ({ kind: "after", progress: progress.value } as const);
    const page = await changesOf(account, container, { mode: this.#mode, start, countMax });
    const seen = new Map(before.seen);
    const lsnOf = new Map(before.lsnOf);
    const cut = new Map(lsnOf);
    for (const row of objectsOf(page.rows)) {
      const { key, item, lsn, deed } = read(row);
      // Within a key changes come in order, and a transaction is never continued on another page.
      expect(lsn).toBeGreaterThanOrEqual(lsnOf.get(key) ?? 0);
      expect(lsn).toBeGreaterThan(cut.get(key) ?? 0);
      lsnOf.set(key, lsn);
      seen.set(item, [...(seen.get(item) ?? []), deed]);
    }
    this.#at = { etag: encodeProgress(cursors, page.progress, WHOLE_RANGE), seen, lsnOf };
    this.#bookmarks.push(this.#at);
    expect(page.isUnchanged && page.rows.length > 0).toBe(false);
    return !page.isUnchanged;
  }
}

function read(row: JsonObject): { key: string; item: string; lsn: number; deed: Deed } {
  const { metadata, current, previous } = row as Readonly<Record<string, JsonObject | undefined>>;
  if (metadata === undefined) {
    const { pk, id, n, _lsn: lsn } = row as { pk: string; id: string; n: number; _lsn: number };
    return { key: pk, item: `${pk}/${id}`, lsn, deed: { kind: "replace", marker: n } };
  }
  const isEnd = metadata["operationType"] === "delete";
  const { pk, id, n } = (isEnd ? previous : current) as { pk: string; id: string; n: number };
  const kind =
    metadata["timeToLiveExpired"] === true
      ? "expire"
      : (metadata["operationType"] as "create" | "replace" | "delete");
  const deed: Deed = isEnd ? { kind } : { kind, marker: n };
  return { key: pk, item: `${pk}/${id}`, lsn: Number(metadata["lsn"]), deed };
}

const anyWrite = fc.record({
  kind: fc.constantFrom("upsert" as const, "upsert" as const, "delete" as const),
  id: fc.constantFrom(...IDS),
  hasEnd: fc.boolean(),
});
const anyAct = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ act: fc.constant("write" as const), key: fc.nat(3), write: anyWrite }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant("batch" as const),
      key: fc.nat(3),
      writes: fc.array(anyWrite, { minLength: 1, maxLength: 6 }),
      isRefused: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant("page" as const),
      reader: fc.nat(2),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("goBack" as const),
      reader: fc.nat(2),
      choice: fc.nat(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constantFrom("skip" as const, "advance" as const),
      seconds: fc.nat(6),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constantFrom("split" as const, "merge" as const),
      choice: fc.nat(9),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("restart" as const) }) },
);
type Act = ValueOf<typeof anyAct>;
type Write = ValueOf<typeof anyWrite>;
type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** A container, its chronicle and its readers. */
class Story {
  readonly chronicle = new Chronicle();
  readonly readers: readonly Reader[];
  readonly #simulated: Simulated;
  #account: Account;
  #container: Container;
  #marker = 0;

  private constructor(simulated: Simulated, container: Container, readers: readonly Reader[]) {
    this.#simulated = simulated;
    this.#account = simulated.account;
    this.#container = container;
    this.readers = readers;
  }

  static async begin(mode: FeedMode, isDistant: boolean): Promise<Story> {
    const simulated = await simulatedAccount();
    const { account, trouble } = simulated;
    const kept = mode === "all" ? { changeFeedPolicy: { retentionDuration: 1000 } } : {};
    const asked = { defaultTtl: -1, ...kept };
    const container = await containerIn(account, await databaseIn(account), undefined, asked);
    const now = await changesOf(account, container, {
      mode,
      range: WHOLE_RANGE,
      start: { kind: "now" },
    });
    const cursors = marksOf(account.cursorKey, container, mode);
    const etag = mode === "all" ? encodeProgress(cursors, now.progress, WHOLE_RANGE) : undefined;
    trouble.isDistant = isDistant;
    const readers = [0, 1, 2].map(() => new Reader(mode, etag));
    return new Story(simulated, container, readers);
  }

  /** Some at once, as far as they may be: the order of the answers is the order of the deeds. */
  async tell(acts: readonly Act[]): Promise<void> {
    const busy = new Set<number>();
    const running: Promise<unknown>[] = [];
    for (const act of acts) {
      const isAlone = act.act === "skip" || act.act === "advance" || act.act === "restart";
      const isBusy = act.act === "page" && busy.has(act.reader);
      if (isAlone || isBusy) await Promise.all(running.splice(0));
      if (isAlone) busy.clear();
      if (act.act === "page") busy.add(act.reader);
      const done = this.#perform(act);
      if (isAlone || act.act === "goBack") await done;
      else running.push(done);
    }
    await Promise.all(running);
  }

  /** To the end, in everybody's own steps. */
  async finish(): Promise<void> {
    const { time, trouble } = this.#simulated;
    trouble.isDistant = false;
    await time.advance((TTL + 4) * 1000);
    this.chronicle.second += TTL + 4;
    this.chronicle.settle();
    for (const [index, reader] of this.readers.entries()) {
      let pages = 0;
      while (await reader.page(this.#account, this.#container, 1 + index * 3)) {
        expect(++pages).toBeLessThan(300);
      }
    }
  }

  async #perform(act: Act): Promise<unknown> {
    const { time } = this.#simulated;
    switch (act.act) {
      case "write":
        return this.#write(KEYS[act.key]!, act.write);
      case "batch":
        return this.#batch(KEYS[act.key]!, act.writes, act.isRefused);
      case "page":
        return this.readers[act.reader]!.page(this.#account, this.#container, act.count);
      case "goBack":
        return this.readers[act.reader]!.goBack(act.choice);
      case "skip":
      case "advance":
        if (act.act === "skip") time.skip(act.seconds * 1000);
        else await time.advance(act.seconds * 1000);
        this.chronicle.second += act.seconds;
        return undefined;
      case "restart":
        await settled();
        this.#account = await this.#simulated.reopen();
        this.#container = this.#account.catalog.container("d", "c")!;
        return undefined;
      default:
        return this.#reshape(act.act, act.choice);
    }
  }

  async #write(key: string, { kind, id, hasEnd }: Write): Promise<void> {
    const marker = ++this.#marker;
    const outcome = await write(
      this.#account,
      this.#container,
      kind,
      id,
      membersOf(marker, hasEnd),
      key,
    );
    const item = `${key}/${id}`;
    if (kind === "upsert") this.chronicle.put(item, marker, hasEnd);
    else if (outcome.kind === "deleted") this.chronicle.remove(item);
  }

  async #batch(key: string, writes: readonly Write[], isRefused: boolean): Promise<void> {
    const planned = writes.map(({ kind, id, hasEnd }) => ({
      kind,
      id,
      hasEnd,
      marker: ++this.#marker,
    }));
    // A deletion of nothing would undo all, so each is of something that was just made sure of.
    const steps = planned.flatMap(({ kind, id, hasEnd, marker }): Step[] => {
      const upsert: Step = ["upsert", id, membersOf(marker, hasEnd)];
      return kind === "upsert" ? [upsert] : [upsert, ["delete", id]];
    });
    const last: readonly Step[] = isRefused ? [["read", "nobody"]] : [];
    const outcome = await batch(this.#account, this.#container, [...steps, ...last], key);
    expect(outcome.kind).toBe(isRefused ? "rolledBack" : "committed");
    if (isRefused) return;
    this.chronicle.together(
      planned.map(({ kind, id, hasEnd, marker }) => ({
        item: `${key}/${id}`,
        marker: kind === "upsert" ? marker : undefined,
        hasEnd,
      })),
    );
  }

  async #reshape(kind: "split" | "merge", choice: number): Promise<void> {
    const { entries } = this.#container.map;
    const at = choice % entries.length;
    const { reshaping } = this.#account;
    if (kind === "split") {
      if (entries.length > 3) return;
      const partitionId = entries[at]!.id;
      await reshaping.request(this.#container, { kind, partitionId, at: "middle" });
    } else if (entries[at + 1] !== undefined) {
      const partitionIds = [entries[at]!.id, entries[at + 1]!.id] as const;
      await reshaping.request(this.#container, { kind, partitionIds });
    }
  }
}

function membersOf(marker: number, hasEnd: boolean): JsonObject {
  return hasEnd ? { n: marker, ttl: TTL } : { n: marker };
}

const anyStory = fc.tuple(
  fc.array(anyAct, { minLength: 10, maxLength: 60, size: "max" }),
  fc.boolean(),
);

test("who reads all versions and deletes sees every deed, once and in order", async () => {
  await fc.assert(
    fc.asyncProperty(anyStory, async ([acts, isDistant]) => {
      const story = await Story.begin("all", isDistant);
      await story.tell(acts);
      await story.finish();
      for (const { seen } of story.readers)
        expect(sorted(seen)).toEqual(sorted(story.chronicle.deeds));
    }),
    { numRuns: RUNS },
  );
});

test("who reads the latest versions sees some, in order, and at last what there is", async () => {
  await fc.assert(
    fc.asyncProperty(anyStory, async ([acts, isDistant]) => {
      const story = await Story.begin("latest", isDistant);
      await story.tell(acts);
      await story.finish();
      for (const { seen } of story.readers) {
        for (const [item, deeds] of seen) {
          const markers = deeds.map(({ marker }) => marker);
          const all = story.chronicle.deeds.get(item)!.map(({ marker }) => marker);
          expect(all.filter((marker) => markers.includes(marker))).toEqual(markers);
        }
        for (const [item, marker] of story.chronicle.live()) {
          expect(seen.get(item)?.at(-1)?.marker).toBe(marker);
        }
      }
    }),
    { numRuns: RUNS },
  );
});

const RUNS = 15;

function sorted(deeds: ReadonlyMap<string, readonly Deed[]>): unknown {
  return [...deeds].sort(([one], [other]) => (one < other ? -1 : 1));
}
