/**
 * Items that expire, as the change feed tells of them, in real seconds: the feed of latest versions
 * passes them over from the moment they are gone; that of all versions and deletes has one end for
 * each, which says that nobody asked for it, also after a split and a kill.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Container } from "@azure/cosmos";
import { ChangeFeedPolicy, ChangeFeedRetentionTimeSpan, CosmosClient } from "@azure/cosmos";
import { afterEach, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { Site } from "../crash/site.ts";
import { split } from "../sdk/inside.ts";
import type { Change, Commit } from "./feedCheck.ts";
import { FeedReader } from "./feedReader.ts";
import type { FeedMode } from "./memoryFeed.ts";
import { patientOptions } from "./patience.ts";

const COUNT = 12;
/** Longer than what has expired may still lie about. */
const SETTLED_MS = 3_000;
/** Longer than a busy machine takes to sweep and to read. */
const PATIENCE_MS = 30_000;

let data: string | undefined;
let site: Site | undefined;
let client: CosmosClient | undefined;

afterEach(async () => {
  client?.dispose();
  await site?.close();
  if (data !== undefined) await rm(data, { recursive: true, force: true });
});

/** Every item is alone in its logical partition, so that the order of its changes is known. */
const ID = "item";
const KINDS = ["expires", "lasts", "is kept", "comes again"] as const;
type Kind = (typeof KINDS)[number];

interface Life {
  readonly kind: Kind;
  readonly key: string;
  readonly changes: Change[];
}

/** Who says how long items live; ttls are left out where it is the container. */
interface Rule {
  readonly whose: string;
  readonly defaultTtl: number;
  readonly short: { readonly ttl?: number };
  readonly forEver: { readonly ttl?: number };
}

const RULES: readonly Rule[] = [
  { whose: "the item", defaultTtl: -1, short: { ttl: 1 }, forEver: {} },
  { whose: "the container", defaultTtl: 1, short: {}, forEver: { ttl: -1 } },
];

let markers = 0;

/** Those who wait in vain are shown by what is expected in the end. */
async function eventually(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isSo() && performance.now() < deadline) await delay(50);
}

async function write(
  container: Container,
  { key, changes }: Life,
  own: { readonly ttl?: number },
): Promise<void> {
  const marker = ++markers;
  const { etag, statusCode } = await container.items.upsert({ id: ID, pk: key, n: marker, ...own });
  const operation = statusCode === 201 ? "create" : "replace";
  changes.push({ id: ID, marker, operation, etag });
}

function end({ changes }: Life): void {
  const gone = { marker: undefined, operation: "delete", etag: undefined } as const;
  changes.push({ id: ID, ...gone, isExpiry: true });
}

/** Who writes over an item that expired may end it in the same commit. */
function commitsOf({ changes }: Life, isTogether: boolean): readonly Commit[] {
  const commits: Commit[] = [];
  for (const change of changes) {
    const before = commits.at(-1);
    if (isTogether && before?.changes[0]?.isExpiry === true) {
      commits[commits.length - 1] = { ...before, changes: [...before.changes, change] };
    } else commits.push({ changes: [change], lsn: undefined, isCertain: true });
  }
  return commits;
}

function judge(lives: readonly Life[], reader: FeedReader, isFresh = false): readonly string[] {
  return lives.flatMap((life) => {
    const verdicts = [true, false].map((isTogether) => {
      const commits = commitsOf(life, isTogether);
      return reader.mode === "full"
        ? reader.record.judgeFull(life.key, commits).problems
        : reader.record.judgeLatest(life.key, commits, isFresh);
    });
    const [one, other] = verdicts as [readonly string[], readonly string[]];
    return one.length === 0 ? [] : other.map((problem) => `${life.key}: ${problem}`);
  });
}

async function openContainer(at: Site, defaultTtl: number): Promise<Container> {
  const { endpoint, key } = at;
  client = new CosmosClient({ endpoint, key, ...patientOptions() });
  const { database } = await client.databases.create({ id: "feed" });
  const { container } = await database.containers.create({
    id: "expiry",
    partitionKey: { paths: ["/pk"] },
    defaultTtl,
    changeFeedPolicy: new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(60)),
  });
  return container;
}

test.each(RULES)(
  "an item that expires by a ttl of $whose ends once",
  async (rule) => {
    data = await mkdtemp(join(tmpdir(), "orrery-expiry-"));
    const at = await Site.open(data, ["--no-rate-limit"]);
    site = at;
    const container = await openContainer(at, rule.defaultTtl);
    const random = seededRandom(7);
    const open = (mode: FeedMode): FeedReader => {
      const setting = { mode, containers: [container], pageCount: 20, resumeShare: 0.1 };
      return new FeedReader({ site: at, random, ...setting });
    };
    const [full, latest] = [open("full"), open("latest")];
    for (const reader of [full, latest]) await reader.begin();
    let isOver = false;
    const reading = Promise.all([full, latest].map((reader) => reader.run(() => isOver)));

    const lives = KINDS.flatMap((kind) =>
      Array.from({ length: COUNT }, (_, index) => ({ kind, key: `${kind} ${index}`, changes: [] })),
    );
    const of = (...kinds: Kind[]): readonly Life[] =>
      lives.filter(({ kind }) => kinds.includes(kind));
    const writeAll = (kind: Kind, own: { readonly ttl?: number }) =>
      Promise.all(of(kind).map((life) => write(container, life, own)));
    await writeAll("lasts", { ttl: 1_000 });
    await writeAll("is kept", { ttl: 100 });
    await writeAll("is kept", rule.forEver);
    await writeAll("comes again", rule.short);
    await writeAll("expires", rule.short);
    await split(at, container);
    await at.kill();

    const mortals = of("expires", "comes again");
    for (const { key } of mortals) {
      const read = () => container.item(ID, key).read();
      while ((await at.persist(read)).statusCode !== 404) await delay(50);
    }
    for (const life of mortals) end(life);
    await writeAll("comes again", rule.forEver);
    const atOnce = open("latest");
    await atOnce.run(() => true);
    const isSeen = (): boolean => [full, latest].every((one) => judge(lives, one).length === 0);
    await eventually(isSeen);
    await at.kill();
    // What is told twice has to be given the time for it.
    await delay(SETTLED_MS);
    await eventually(isSeen);
    isOver = true;
    await reading;
    const late = open("latest");
    await late.run(() => true);

    expect(judge(lives, full)).toEqual([]);
    expect(judge(lives, latest)).toEqual([]);
    expect(judge(lives, atOnce, true)).toEqual([]);
    expect(judge(lives, late, true)).toEqual([]);
    const operations = of("comes again").map(({ changes }) => changes.at(-1)!.operation);
    expect(new Set(operations)).toEqual(new Set(["create"]));
  },
  120_000,
);
