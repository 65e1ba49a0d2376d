/**
 * The indexing policy of a container changes again and again while clients write and ask: every
 * answer is what a look at every item gives, an ORDER BY is refused or answered as the policy in
 * force has it from the very next request on, and in the end the index is that of the items.
 *
 * A real server in a process of its own, on disk, ended and killed in the middle of it. 400 items
 * and one round of policies; with ORRERY_REINDEX_ROUNDS more rounds, 5,000 items, and one physical
 * partition beside five.
 */
import type {
  CompositePath,
  Container,
  Database,
  IndexingPolicy,
  SpatialIndex,
} from "@azure/cosmos";
import { CosmosClient, SpatialType } from "@azure/cosmos";
import { afterEach, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { JsonObject, JsonValue } from "../../src/json/value.ts";
import { parseQuery } from "../../src/query/language/parser.ts";
import type { Server } from "../crash/serverProcess.ts";
import { startServer } from "../crash/serverProcess.ts";
import type { TemporaryDirectory } from "../sdk/stage.ts";
import { temporaryDirectory } from "../sdk/stage.ts";
import { ask, RATES } from "./arena.ts";
import { Draw } from "./generateItems.ts";
import { differenceOf } from "./judge.ts";
import type { NaiveOutcome } from "./naive.ts";
import { naiveRows } from "./naive.ts";
import { indexProblems } from "./reindexChecks.ts";

const ROUND_COUNT = Number(process.env["ORRERY_REINDEX_ROUNDS"] ?? 1);
const ITEM_COUNT = ROUND_COUNT > 1 ? 5_000 : 400;
/** Different values at `n`: writers add none that is not there. */
const NUMBER_COUNT = 200;
const WRITER_COUNT = 3;
const WRITER_PAUSE_MS = 5;
const PATIENCE_MS = 600_000;

const ALL = { path: "/*" };
const COMPOSITE: CompositePath[] = [
  { path: "/s", order: "ascending" },
  { path: "/n", order: "descending" },
];
/** Types of the client before 4.10 want a box, which this kind of container has no use for. */
const SPATIAL = [{ path: "/loc/?", types: [SpatialType.Point] }] as SpatialIndex[];

/** What happens when the policy has changed. */
type Next =
  /** It is waited for, and everything is compared. */
  | "finish"
  /** The next change comes in the middle. */
  | "go on"
  | "end the server"
  | "kill the server";

interface Step {
  readonly policy: IndexingPolicy;
  readonly next: Next;
}

const STEPS: readonly Step[] = [
  { policy: { includedPaths: [], excludedPaths: [ALL] }, next: "finish" },
  { policy: { includedPaths: [ALL] }, next: "go on" },
  { policy: { includedPaths: [{ path: "/n/?" }], excludedPaths: [ALL] }, next: "kill the server" },
  { policy: { includedPaths: [ALL], compositeIndexes: [COMPOSITE] }, next: "finish" },
  { policy: { includedPaths: [ALL], spatialIndexes: SPATIAL }, next: "end the server" },
  { policy: { indexingMode: "none", automatic: false }, next: "go on" },
  {
    policy: {
      includedPaths: [{ path: "/tags/[]/?" }],
      excludedPaths: [ALL],
      compositeIndexes: [COMPOSITE],
    },
    next: "finish",
  },
  { policy: { indexingMode: "none", automatic: false }, next: "kill the server" },
  {
    policy: { includedPaths: [ALL], compositeIndexes: [COMPOSITE], spatialIndexes: SPATIAL },
    next: "finish",
  },
];

/** Rows begin with the id of their item, or are the same with and without what writers write. */
const QUESTIONS: readonly string[] = [
  "SELECT VALUE [c.id] FROM c WHERE c.n = 17",
  "SELECT VALUE [c.id] FROM c WHERE c.n >= 150 AND c.n < 170",
  "SELECT VALUE [c.id] FROM c WHERE c.s = 'text 7' AND c.n > 20",
  "SELECT VALUE [c.id] FROM c WHERE NOT IS_DEFINED(c.n)",
  "SELECT VALUE [c.id] FROM c WHERE STARTSWITH(c.s, 'text 1') AND c.o.p = true",
  "SELECT VALUE [c.id] FROM c WHERE ARRAY_CONTAINS(c.tags, 't3')",
  "SELECT VALUE [c.id, t] FROM c JOIN t IN c.tags WHERE t = 't5' AND c.k = 2",
  "SELECT DISTINCT VALUE c.n FROM c",
  "SELECT DISTINCT VALUE c.k FROM c WHERE c.k < 10 AND c.n > 100",
  "SELECT VALUE COUNT(1) FROM c WHERE c.k < 5",
  "SELECT VALUE COUNT(1) FROM c WHERE c.k < 10 AND c.n > 50",
  "SELECT c.k, COUNT(1) AS n FROM c WHERE c.k < 10 GROUP BY c.k",
  "SELECT VALUE MIN(c.n) FROM c",
  "SELECT MAX(c.n) AS high, MIN(c.n) AS low FROM c WHERE c.k < 10 AND c.n < 77",
  "SELECT VALUE [c.id] FROM c WHERE ST_DISTANCE(c.loc, {'type': 'Point', 'coordinates': [5, 5]}) < 150000",
  "SELECT VALUE [c.id] FROM c WHERE ST_WITHIN(c.loc, {'type': 'Polygon', 'coordinates': [[[2,2],[6,2],[6,6],[2,6],[2,2]]]})",
];
const BY_N = [
  "SELECT VALUE [c.id, c.n] FROM c WHERE c.k = 3 ORDER BY c.n DESC",
  "SELECT VALUE [c.id, c.n] FROM c ORDER BY c.n",
];
const BY_S_AND_N = [
  "SELECT VALUE [c.id, c.s, c.n] FROM c WHERE c.k < 4 ORDER BY c.s ASC, c.n DESC",
  "SELECT VALUE [c.id, c.s, c.n] FROM c ORDER BY c.s DESC, c.n ASC",
];

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

test.each(ROUND_COUNT > 1 ? [1, 5] : [5])(
  "policies change, in %d physical partitions",
  async (partitionCount) => {
    stage = await Stage.open(partitionCount);
    for (let round = 0; round < ROUND_COUNT; round++) {
      for (const step of STEPS) await stage.play(step);
    }
    expect(stage.writeCount).toBeGreaterThan(STEPS.length);
    expect(stage.askedInTheMiddleCount).toBeGreaterThan(0);
    expect(await stage.closeAndCheck()).toEqual([]);
  },
  PATIENCE_MS,
);

class Stage {
  readonly #directory: TemporaryDirectory = temporaryDirectory();
  readonly #draw = new Draw(seededRandom(7));
  readonly #untouched: readonly JsonObject[];
  /** The rows of questions about those. */
  readonly #expected = new Map<string, Expected>();
  /** What writers were told, by id. */
  readonly #written = new Map<string, JsonObject>();
  #server!: Server;
  #client!: CosmosClient;
  #container!: Container;
  writeCount = 0;
  askedInTheMiddleCount = 0;

  private constructor() {
    this.#untouched = Array.from({ length: ITEM_COUNT }, (_, index) =>
      this.#item(`u${index}`, index % 10, index % NUMBER_COUNT),
    );
  }

  static async open(partitionCount: number): Promise<Stage> {
    const opened = new Stage();
    await opened.#start();
    const { database } = await opened.#client.databases.create({ id: "d" });
    await opened.#fill(database, partitionCount);
    return opened;
  }

  async #start(): Promise<void> {
    this.#server = await startServer(this.#directory.path);
    const { endpoint, key } = this.#server;
    this.#client = new CosmosClient({ endpoint, key });
    this.#container = this.#client.database("d").container("c");
  }

  async #fill(database: Database, partitionCount: number): Promise<void> {
    const throughput = RATES[partitionCount]!;
    await database.containers.create({ id: "c", partitionKey: "/pk", throughput });
    const waiting = [...this.#untouched];
    const fillers = Array.from({ length: 32 }, async () => {
      for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
        await this.#container.items.create(item);
      }
    });
    await Promise.all(fillers);
  }

  async play({ policy, next }: Step): Promise<void> {
    const writing = this.#write();
    if (next === "end the server" || next === "kill the server") {
      await this.#check(QUESTIONS.slice(0, 4));
      await writing.stop();
      await this.#change(policy);
      this.#client.dispose();
      await (next === "end the server" ? this.#server.end() : this.#server.kill());
      await this.#start();
      await this.#checkOrders(policy);
      await this.#check(QUESTIONS);
      return;
    }
    await this.#change(policy);
    await this.#checkOrders(policy);
    if (next === "finish") await this.#checkUntilFinished();
    else await this.#check(QUESTIONS.slice(0, 4));
    await writing.stop();
    if (next === "finish") await this.#checkEverything();
  }

  /** Writers' items share all values with the others, but for `k`. */
  #write(): { stop(): Promise<void> } {
    let isStopped = false;
    const writers = Array.from({ length: WRITER_COUNT }, async (_, writer) => {
      while (!isStopped) {
        const id = `w${writer}-${this.#draw.below(60)}`;
        const known = this.#written.get(id);
        if (known !== undefined && this.#draw.chance(0.3)) {
          await this.#container.item(id, known["pk"] as string).delete();
          this.#written.delete(id);
        } else {
          const item = {
            ...this.#item(id, 100 + this.#draw.below(10), this.#draw.below(NUMBER_COUNT)),
            pk: `key of ${id}`,
          };
          await this.#container.items.upsert(item);
          this.#written.set(id, item);
        }
        this.writeCount++;
        await new Promise((resolve) => setTimeout(resolve, WRITER_PAUSE_MS));
      }
    });
    const written = Promise.all(writers);
    // When a check fails nobody waits for them any more.
    written.catch(() => undefined);
    return {
      async stop() {
        isStopped = true;
        await written;
      },
    };
  }

  async #change(indexingPolicy: IndexingPolicy): Promise<void> {
    const { resource } = await this.#container.read();
    await this.#container.replace({ ...resource!, indexingPolicy });
  }

  async #checkOrders(policy: IndexingPolicy): Promise<void> {
    const isAll = policy.includedPaths?.some(({ path }) => path === "/*");
    const hasN = isAll === true || policy.includedPaths?.some(({ path }) => path === "/n/?");
    const hasComposite = policy.compositeIndexes !== undefined;
    for (const [texts, isAllowed] of [
      [BY_N, hasN],
      [BY_S_AND_N, hasComposite],
    ] as const) {
      if (isAllowed === true) await this.#check(texts);
      else await this.#checkRefused(texts);
    }
  }

  async #checkRefused(texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      const answer = await ask(this.#container, text);
      expect(answer.kind, text).toBe("refused");
    }
  }

  async #checkUntilFinished(): Promise<void> {
    const seen: number[] = [];
    for (let at = 0; at < QUESTIONS.length || seen.at(-1)! < 100; at++) {
      await this.#check([QUESTIONS[at % QUESTIONS.length]!]);
      const { headers } = await this.#container.read({ populateQuotaInfo: true });
      seen.push(Number(headers["x-ms-documentdb-collection-index-transformation-progress"]));
      if (seen.at(-1)! < 100) this.askedInTheMiddleCount++;
    }
    // Items that are created meanwhile count too.
    const falls = seen.filter((progress, index) => progress < seen[index - 1]! - 5);
    expect(falls, `progress ${seen}`).toEqual([]);
  }

  /** While others write: as far as the rows are about items that nobody touches. */
  async #check(texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      const rows = (await this.#ask(text)).filter((row) => !isOfWriter(row));
      const expected = this.#expected.get(text) ?? expectedOf(text, this.#untouched);
      this.#expected.set(text, expected);
      expect(problemOf(text, expected, rows), text).toBeUndefined();
    }
  }

  /** While nobody writes. */
  async #checkEverything(): Promise<void> {
    const items = [...this.#untouched, ...this.#written.values()];
    for (const text of QUESTIONS) {
      const rows = await this.#ask(text);
      expect(problemOf(text, expectedOf(text, items), rows), text).toBeUndefined();
    }
  }

  async #ask(text: string): Promise<readonly JsonValue[]> {
    const answer = await ask(this.#container, text, {}, { maxItemCount: 1_000 });
    if (answer.kind !== "rows") throw new Error(`${text}: ${answer.message}`);
    return answer.rows;
  }

  #item(id: string, k: number, n: number): JsonObject {
    const draw = this.#draw;
    const long = draw.chance(0.01) ? " and so on".repeat(30) : "";
    return {
      id,
      pk: `key ${draw.below(400)}`,
      k,
      ...(draw.chance(0.95) && { n }),
      s: `text ${draw.below(40)}${long}`,
      tags: draw.list(4, () => `t${draw.below(20)}`),
      o: { p: draw.chance(0.5), q: [draw.below(3), { r: draw.below(5) }] },
      ...(draw.chance(0.5) && {
        loc: { type: "Point", coordinates: [draw.below(40) / 4, draw.below(40) / 4] },
      }),
    };
  }

  /** What is wrong with the index that the server leaves behind. */
  async closeAndCheck(): Promise<readonly string[]> {
    this.#client.dispose();
    expect(await this.#server.end()).toBe(0);
    return indexProblems(this.#directory.path);
  }

  async close(): Promise<void> {
    this.#client.dispose();
    await this.#server.kill();
    this.#directory[Symbol.dispose]();
  }
}

function isOfWriter(row: JsonValue): boolean {
  return Array.isArray(row) && String(row[0]).startsWith("w");
}

type Expected = Extract<NaiveOutcome, { readonly kind: "rows" }>;

function expectedOf(text: string, items: readonly JsonObject[]): Expected {
  const query = parseQuery(text);
  if (!query.ok) throw new Error(`${text} is no query`);
  const outcome = naiveRows(query.value, items);
  if (outcome.kind !== "rows") throw new Error(outcome.message);
  return outcome;
}

function problemOf(
  text: string,
  expected: Expected,
  rows: readonly JsonValue[],
): string | undefined {
  const isUnordered = !text.includes("ORDER BY");
  return differenceOf(expected, rows, { isUnordered, hasLooseArrays: false });
}
