/** From advice to a copy job and to what is predicted of it. */
import { describe, expect, it, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Advice } from "../advise/advice.ts";
import { runLab } from "../lab.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { chosenKey, expressionOf } from "./chosenKey.ts";
import { copyCommandLine } from "./commandLine.ts";
import { copyQuestionOf, keyPathsOf, type MigrationSource } from "./copyQuestion.ts";
import { predictionOf } from "./predict.ts";

const TEXT = `
name: shop
item: {bytes: 300}
properties:
  /user: {distinct: 500}
  /at: {time: second}
  /status: {distinct: 4, changes: true}
growth: {itemsPerDay: 20000, retentionDays: 90}
horizonMonths: 3
operations:
  - {id: place, kind: create, rate: 2}
  - {id: see, kind: pointRead, rate: 10}
  - id: mine
    kind: query
    rate: 100
    sql: "SELECT * FROM c WHERE c.user = @u AND c.status = @s ORDER BY c.at DESC"
candidates:
  - {id: user, key: /user}
  - {id: made, key: "concat(/user, '-', month(/at))"}
`;

const POLICY = {
  indexingMode: "consistent",
  automatic: true,
  includedPaths: [{ path: "/*" }],
  excludedPaths: [{ path: '/"_etag"/?' }],
} as const;

const SOURCE: MigrationSource = {
  name: { database: "shop", container: "orders" },
  paths: ["/status"],
  indexingPolicy: POLICY,
  isServerless: false,
  itemCount: 10_000,
  itemBytes: 5_000_000,
};

function workloadOf(text: string = TEXT): Workload {
  const read = readWorkload(text, "yaml", "shop");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

function adviceOn(workload: Workload, current?: string, chosen?: string): Advice {
  return runLab({
    workload,
    profile: undefined,
    candidates: [],
    onlyNamed: true,
    current,
    chosen,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
  });
}

const workload = workloadOf();
const advice = adviceOn(workload);

function wishFor(named?: string, change: Partial<MigrationSource> = {}) {
  const chosen = chosenKey(advice, named, "/status");
  if (!chosen.ok) throw new Error(chosen.error);
  const source = { ...SOURCE, ...change };
  const switchBy = "names" as const;
  const limits = SERVICE_LIMITS;
  return { advice, chosen: chosen.value, workload, limits, source, target: undefined, switchBy };
}

describe("the key", () => {
  it("is the best of the verdict, or the one that was named in any spelling", () => {
    const expressionChosen = (named?: string) => {
      const chosen = chosenKey(advice, named, "/status");
      return chosen.ok ? chosen.value.expression : chosen.error;
    };
    expect(expressionChosen()).toBe(advice.best?.expression);
    expect(expressionChosen("made")).toBe("concat(/user, '-', month(/at))");
    expect(expressionChosen("concat( /user,'-',month(/at) )")).toBe(
      "concat(/user, '-', month(/at))",
    );
  });

  test.each<[string, Advice, string | undefined, string, string]>([
    ["the container has it", advice, "user", "/user", "has the key /user already"],
    ["nobody has looked at it", advice, "/other", "/status", "none of the keys"],
    [
      "no key can carry the workload",
      { ...advice, best: undefined, summary: ["None of the keys can."] },
      undefined,
      "/status",
      "no verdict that could be carried out. None of the keys can.",
    ],
    [
      "the verdict is to stay",
      { ...advice, alternatives: [{ kind: "no-change", sentence: "Better stay." }] },
      undefined,
      "/status",
      "keep the key. Better stay.",
    ],
  ])("is refused where %s", (_name, given, named, inUse, sentence) => {
    const chosen = chosenKey(given, named, inUse);
    expect(chosen.ok ? "" : chosen.error).toContain(sentence);
  });

  it("can be taken against the verdict to stay, if it is named", () => {
    const stay: Advice = { ...advice, alternatives: [{ kind: "no-change", sentence: "Stay." }] };
    expect(chosenKey(stay, "user", "/status").ok).toBe(true);
  });

  it("of a container is an expression", () => {
    expect(expressionOf(["/a"])).toBe("/a");
    expect(expressionOf(["/a", "/b/c"])).toBe("[/a, /b/c]");
    expect(expressionOf(["a b"])).toBeUndefined();
  });
});

describe("the job", () => {
  it("has key, index and throughput as the report advises", () => {
    const question = copyQuestionOf(wishFor("user"));
    expect(question).toMatchObject({
      source: SOURCE.name,
      target: { database: "shop", container: "orders-by-user" },
      key: ["/user"],
      mode: "online",
      switchBy: "names",
    });
    expect(question.keyProperties).toBeUndefined();
    // The lab proposes this index in a sentence, and this is the same as data.
    const sentence = advice.alternatives.find(({ kind }) => kind === "index")?.sentence;
    expect(sentence).toContain("/user ASC, /status ASC, /at DESC");
    expect(question.definition?.["indexingPolicy"]).toEqual({
      ...POLICY,
      compositeIndexes: [
        [
          { path: "/user", order: "ascending" },
          { path: "/status", order: "ascending" },
          { path: "/at", order: "descending" },
        ],
      ],
    });
    const { neededRate } = wishFor("user").chosen.simulation.load;
    const { throughput } = question;
    if (throughput === undefined || throughput.kind === "shared") throw new Error("has a rate");
    expect(throughput.ratePerSecond).toBeGreaterThanOrEqual(neededRate!);
    expect(throughput.ratePerSecond % (throughput.kind === "manual" ? 100 : 1000)).toBe(0);
  });

  it("has the policy of the source where nothing else is advised", () => {
    const none = { ...wishFor("user"), advice: { ...advice, alternatives: [] } };
    expect(copyQuestionOf(none).definition).toBeUndefined();
  });

  it("has the policy that the workload declares, for which it was priced", () => {
    const indexing = { ...POLICY, excludedPaths: [{ path: "/text/?" }] };
    const none = { ...advice, alternatives: [] };
    const wish = { ...wishFor("user"), advice: none, workload: { ...workload, indexing } };
    expect(copyQuestionOf(wish).definition).toEqual({ indexingPolicy: indexing });
  });

  it("does not propose an index that the source has", () => {
    const first = copyQuestionOf(wishFor("user")).definition?.["indexingPolicy"];
    const again = wishFor("user", { indexingPolicy: first as never });
    expect(copyQuestionOf(again).definition).toBeUndefined();
  });

  it("writes made-up levels where no item has anything", () => {
    const question = copyQuestionOf(wishFor("made"));
    expect(question.keyProperties).toEqual(["/partitionKey"]);
    expect(keyPathsOf(question)).toEqual(["/partitionKey"]);
    const taken = copyQuestionOf(wishFor("made", { paths: ["/partitionKey"] }));
    expect(taken.keyProperties).toEqual(["/partitionKey_2"]);
  });

  it("asks for the mode that the workload declares, and for none without rates", () => {
    const declared = { mode: "manual", ratePerSecond: 400 } as const;
    const manual = { ...wishFor("user"), workload: { ...workload, throughput: declared } };
    expect(copyQuestionOf(manual).throughput?.kind).toBe("manual");
    expect(copyQuestionOf(wishFor("user", { isServerless: true })).throughput).toBeUndefined();
  });

  it("is a command line that a shell does not take apart", () => {
    const question = copyQuestionOf(wishFor("made"));
    const terms = { policyFile: "my shop.indexing.json", endpoint: "http://127.0.0.1:9" };
    const line = copyCommandLine({ ...question, throughput: undefined }, terms);
    expect(line).toBe(
      "orrery copy shop/orders shop/orders-by-concat-user-month-at " +
        "--key 'concat(/user, '\\''-'\\'', month(/at))' --key-property /partitionKey " +
        "--index-policy 'my shop.indexing.json' --online --swap --endpoint http://127.0.0.1:9",
    );
  });
});

describe("the prediction", () => {
  const predicted = (change: Partial<MigrationSource> = {}) => {
    const { chosen, source, limits, ...wish } = wishFor("user", change);
    const question = copyQuestionOf({ ...wish, chosen, source, limits });
    const now = Date.UTC(2026, 0, 15);
    const given = { chosen, question, source, workload, profile: undefined, limits, now, seed: 1 };
    return predictionOf(given);
  };

  it("is for the items that are there, and beside it the report's for the end", () => {
    const { now, atEnd, items } = predicted();
    expect(items).toEqual({ count: 10_000, bytes: 5_000_000 });
    // 10,000 items of some 600 bytes over 500 users, and 1.8 million at the end.
    expect(now.largestLogicalBytes.value).toBeLessThan(100_000);
    expect(atEnd.largestLogicalBytes.value).toBeGreaterThan(1_000_000);
    expect(now.logicalPartitions.value).toBeCloseTo(500, 3);
    expect(atEnd.peakRuPerSecond).toBe(wishFor("user").chosen.simulation.load.peakRate);
  });

  it("adds up: RU/s are those of its operations", () => {
    const { now } = predicted();
    const sum = now.operations.reduce((all, one) => all + one.ratePerSecond * one.ruEach, 0);
    expect(now.ruPerSecond / sum).toBeCloseTo(1, 6);
    expect(now.hottestPartition.ruPerSecond).toBeLessThanOrEqual(now.ruPerSecond);
    expect(now.requestsPerSecond).toBeGreaterThanOrEqual(112);
  });

  it("of an empty container is for the items that the workload declares", () => {
    const { now, items } = predicted({ itemCount: 0, itemBytes: 0 });
    expect(items.count).toBe(0);
    expect(now.largestLogicalBytes.value).toBeGreaterThan(1_000_000);
  });
});
