/**
 * Full-text conditions and ranks over a list of items: rules in small, then the same answers with
 * an index and without one, in one piece and page by page, from us and from a client that does the
 * sums itself.
 */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { clientPlanOf } from "../clientPlan/clientPlan.ts";
import type { QueryInfo } from "../clientPlan/queryInfo.ts";
import { parseQuery } from "../language/parser.ts";
import { cutAt, ListContainer } from "./listSource.fake.ts";

const TEXTS: readonly JsonValue[] = [
  "A red bicycle, red all over",
  "The bicycle has two wheels and a bell",
  "Mountain bicycle for hard roads",
  "Wheels, red wheels",
  "Nothing of the kind",
  7,
  "A road bike",
];
const INDEXED = { fullTextIndexes: [{ path: "/text" }, { path: "/title" }] };
const SMALL = new ListContainer(
  TEXTS.map((text, id) => ({ id: `${id}`, text, place: [id, 0] })),
  { policy: INDEXED },
);

async function idsOf(query: string, container = SMALL): Promise<string> {
  return (await container.rows(query)).map((row) => (row as JsonObject)["id"]).join(" ");
}

describe("conditions", () => {
  const rules: readonly (readonly [rule: string, condition: string, ids: string])[] = [
    ["a word", "FullTextContains(c.text, 'Bicycles')", "0 1 2"],
    ["a phrase", "FullTextContains(c.text, 'red wheels')", "3"],
    ["all of them", "FullTextContainsAll(c.text, 'red', 'wheel')", "3"],
    ["any of them", "FullText_Contains_Any(c.text, 'mountain', 'road')", "2 6"],
    ["misspelled", "FullTextContains(c.text, {term: 'bicyle', distance: 1})", "0 1 2"],
    ["a stop word is nowhere", "FullTextContains(c.text, 'the')", ""],
    [
      "what is no text has no words, and lacks none",
      "NOT FullTextContains(c.text, 'red')",
      "1 2 4 6",
    ],
    ["a number is no term", "FullTextContains(c.text, 7)", ""],
    ["three letters are too many", "FullTextContains(c.text, {term: 'x', distance: 3})", ""],
    ["also where nothing is", "FullTextContains(c.none, 'red')", ""],
    ["beside others", "FullTextContains(c.text, 'red') AND c.id > '1'", "3"],
  ];
  test.each(rules)("%s: %s", async (_, condition, ids) => {
    expect(await idsOf(`SELECT c.id FROM c WHERE ${condition}`)).toBe(ids);
  });

  test("a word is found by the index, and counted by it", async () => {
    const query = "SELECT VALUE COUNT(1) FROM c WHERE FullTextContains(c.text, 'red')";
    const [page] = await SMALL.pages(query);
    expect(page!.rows).toEqual([2]);
    expect(page!.work.itemCount).toBe(0);
    const [found] = await SMALL.pages("SELECT * FROM c WHERE FullTextContains(c.text, 'red')");
    expect(found!.work.itemCount).toBe(2);
  });

  test("another language finds nothing by an index of this one", async () => {
    const items = [{ id: "1", text: "die Häuser" }];
    const german = { fullTextIndexes: [{ path: "/text", language: "de-DE" as const }] };
    const condition = "WHERE FullTextContains(c.text, 'Haus')";
    expect(await idsOf(`SELECT c.id FROM c ${condition}`, new ListContainer(items))).toBe("");
    const spoken = new ListContainer(items, { policy: german });
    expect(await idsOf(`SELECT c.id FROM c ${condition}`, spoken)).toBe("1");
    const named = await spoken.rows("SELECT c.id FROM c WHERE FullTextContains(c[@name], 'Haus')", {
      parameters: { "@name": "text" },
    });
    expect(named).toHaveLength(1);
  });
});

describe("ranks", () => {
  const rules: readonly (readonly [rule: string, query: string, ids: string])[] = [
    [
      "the best first, those without a hit behind, those without a text last",
      "SELECT c.id FROM c ORDER BY RANK FullTextScore(c.text, 'red')",
      "0 3 1 2 4 6 5",
    ],
    [
      "a short text before a long one",
      "SELECT TOP 2 c.id FROM c ORDER BY RANK FullTextScore(c.text, 'bicycle', 'road')",
      "2 6",
    ],
    [
      "with a filter, and some left out",
      "SELECT c.id FROM c WHERE c.id < '4' ORDER BY RANK FullTextScore(c.text, ['red']) OFFSET 1 LIMIT 2",
      "3 1",
    ],
    [
      "ranks of two scores",
      "SELECT TOP 3 c.id FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'red'), FullTextScore(c.text, 'bicycle'))",
      "0 1 2",
    ],
    [
      "a distance among them",
      "SELECT TOP 2 c.id FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'wheels'), VectorDistance(c.place, [2, 0], true, {distanceFunction: 'euclidean'}), [1, 2])",
      "2 3",
    ],
    [
      "the worst first",
      "SELECT TOP 1 c.id FROM c WHERE c.id IN ('0', '3') ORDER BY RANK RRF(FullTextScore(c.text, 'red'), FullTextScore(c.text, 'zebra'), [-1, 1])",
      "3",
    ],
  ];
  test.each(rules)("%s: %s", async (_, query, ids) => expect(await idsOf(query)).toBe(ids));

  const refused: readonly (readonly [query: string, told: RegExp])[] = [
    ["SELECT * FROM c ORDER BY RANK FullTextScore(c.text, @p)", /string/],
    [
      "SELECT * FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'a'), FullTextScore(c.text, 'b'), @p)",
      /2 numbers/,
    ],
  ];
  test.each(refused)("%s is refused", async (query, told) => {
    await expect(SMALL.rows(query, { parameters: { "@p": 1 } })).rejects.toThrow(told);
  });

  test("what has no hit is not looked at as long as enough have one", async () => {
    const items = Array.from({ length: 200 }, (_, id) => ({
      id: `${id}`,
      text: id % 40 === 3 ? "a zebra" : "a horse of another colour",
    }));
    const container = new ListContainer(items, { policy: INDEXED });
    const query = (count: number): string =>
      `SELECT TOP ${count} * FROM c ORDER BY RANK FullTextScore(c.text, 'zebra')`;
    const [few] = await container.pages(query(4));
    expect(few!.work.itemCount).toBe(5);
    const [many] = await container.pages(query(6));
    expect(many!.work.itemCount).toBe(200);
  });
});

type Below = (end: number) => number;

const WORDS = ["red", "reds", "wheel", "the", "bell", "roads", "of", "bikes", "bile"];

function randomItems(below: Below): JsonObject[] {
  const some = (): string =>
    Array.from({ length: below(9) }, () => WORDS[below(WORDS.length)]!).join(" ");
  return Array.from({ length: 4 + below(16) }, (_, id) => ({
    id: `${id}`,
    _rid: `rid${id}`,
    ...(below(8) > 0 && { text: below(8) > 0 ? some() : id }),
    ...(below(3) > 0 && { title: some() }),
    n: below(4),
  }));
}

class Asking {
  readonly #below: Below;

  constructor(below: Below) {
    this.#below = below;
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!;
  }

  #term(): string {
    const words = Array.from({ length: 1 + this.#below(3) }, () => this.#one(WORDS));
    const kind = this.#below(6);
    if (kind === 0) return `{term: '${this.#one(WORDS)}', distance: ${1 + this.#below(2)}}`;
    return `'${(kind < 4 ? words.slice(0, 1) : words).join(" ")}'`;
  }

  condition(): string {
    const path = this.#one(["c.text", "c.title"]);
    switch (this.#below(6)) {
      case 0:
        return `FullTextContainsAll(${path}, ${this.#term()}, ${this.#term()})`;
      case 1:
        return `FullTextContainsAny(${path}, ${this.#term()}, ${this.#term()})`;
      case 2:
        return `(${this.condition()} OR ${this.condition()})`;
      case 3:
        return `(${this.condition()} AND c.n < 3)`;
      case 4:
        return `NOT ${this.condition()}`;
      default:
        return `FullTextContains(${path}, ${this.#term()})`;
    }
  }

  rank(): string {
    const score = (): string =>
      `FullTextScore(${this.#one(["c.text", "c.title"])}, ${this.#term()}, ${this.#term()})`;
    const weights = this.#one(["", ", [2, 0.5]", ", [-1, 1]"]);
    return this.#below(3) === 0 ? score() : `RRF(${score()}, ${score()}${weights})`;
  }
}

describe("the same answers", () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])("seed %i", async (seed) => {
    const random = seededRandom(seed);
    const below: Below = (end) => Math.floor(random.next() * end);
    const asking = new Asking(below);
    const items = randomItems(below);
    const indexed = new ListContainer(items, { policy: INDEXED });
    const plain = new ListContainer(items);
    const ranges = cutAt("40", "A0");
    for (let round = 0; round < 3; round++) {
      const condition = asking.condition();
      const found = `SELECT c.id FROM c WHERE ${condition}`;
      const all = await plain.rows(found, { ranges });
      expect([found, await indexed.rows(found, { ranges })]).toEqual([found, all]);
      expect([found, await indexed.rows(found, { ranges, isScoped: true })]).toEqual([found, all]);
      const rank = asking.rank();
      const where = below(2) === 0 ? "" : ` WHERE ${condition}`;
      const counts = below(2) === 0 ? "" : ` OFFSET ${below(3)} LIMIT 6`;
      const ranked = `SELECT c.id FROM c${where} ORDER BY RANK ${rank}${counts}`;
      const rows = await plain.rows(ranked, { ranges });
      expect([ranked, await indexed.rows(ranked, { ranges })]).toEqual([ranked, rows]);
      expect([ranked, await indexed.rows(ranked, { ranges, countMax: 2 })]).toEqual([ranked, rows]);
      for (const isSkipping of [true, false]) {
        const query = `SELECT c.id FROM c${where} ORDER BY RANK ${rank}`;
        const sums = await clientSums(indexed, query, isSkipping);
        const order = (await plain.rows(query)).map((row) => sums.get((row as JsonObject)["id"]));
        const best = order.toSorted((a, b) => b! - a!);
        for (const [at, sum] of order.entries())
          expect([query, sum]).toEqual([query, expect.closeTo(best[at]!, 9)]);
      }
    }
  });
});

/** What a client makes of its plan: the sum of each row, or its score when there is only one. */
async function clientSums(
  container: ListContainer,
  text: string,
  isSkipping: boolean,
): Promise<ReadonlyMap<JsonValue | undefined, number>> {
  const query = parseQuery(text);
  if (!query.ok) throw new Error(text);
  const features = ["HybridSearch", "WeightedRankFusion"];
  if (isSkipping) features.push("HybridSearchSkipOrderByRewrite");
  const planned = clientPlanOf(query.value, {
    partitionKey: { paths: ["/id"], kind: "Hash", version: 2 },
    parameters: new Map(),
    supportedFeatures: new Set(features),
  });
  if (!planned.ok) throw new Error("there is no plan");
  const hybrid = planned.value["hybridSearchQueryInfo"] as {
    readonly globalStatisticsQuery: string;
    readonly componentQueryInfos: readonly QueryInfo[];
    readonly componentWeights: readonly number[];
  };
  const [known] = (await container.rows(
    hybrid.globalStatisticsQuery,
  )) as unknown as readonly Statistics[];
  const found = new Map<JsonValue | undefined, readonly number[]>();
  for (const { rewrittenQuery } of hybrid.componentQueryInfos) {
    for (const row of await container.rows(filledIn(rewrittenQuery, known!))) {
      const { payload, componentScores } = unwrapped(row as JsonObject);
      found.set(payload["id"], componentScores);
    }
  }
  const rows = [...found];
  if (hybrid.componentQueryInfos.length === 1) {
    return new Map(rows.map(([id, [score]]) => [id, score!]));
  }
  return new Map(
    rows.map(([id, scores]) => [
      id,
      scores.reduce((sum, score, at) => {
        const isDown = hybrid.componentQueryInfos[at]!.orderBy[0] !== "Ascending";
        const better = new Set(
          rows
            .map(([, other]) => other[at]!)
            .filter((other) => other !== score && other > score === isDown),
        );
        return sum + (hybrid.componentWeights[at] ?? 1) / (61 + better.size);
      }, 0),
    ]),
  );
}

interface Statistics {
  readonly documentCount: number;
  readonly fullTextStatistics: readonly {
    readonly totalWordCount: number;
    readonly hitCounts: readonly number[];
  }[];
}

function filledIn(text: string, { documentCount, fullTextStatistics }: Statistics): string {
  const name = "documentdb-formattablehybridsearchquery";
  return fullTextStatistics.reduce(
    (query, { totalWordCount, hitCounts }, at) =>
      query
        .replaceAll(`{${name}-totalwordcount-${at}}`, `${totalWordCount}`)
        .replaceAll(`{${name}-hitcountsarray-${at}}`, JSON.stringify(hitCounts)),
    text
      .replaceAll(`{${name}-totaldocumentcount}`, `${documentCount}`)
      .replaceAll("{documentdb-formattableorderbyquery-filter}", "true"),
  );
}

function unwrapped(row: JsonObject): {
  readonly payload: JsonObject;
  readonly componentScores: readonly number[];
} {
  const outer = row["componentScores"] === undefined ? row["payload"] : row;
  return outer as unknown as ReturnType<typeof unwrapped>;
}
