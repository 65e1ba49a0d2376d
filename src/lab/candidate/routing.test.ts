/** Which keys typical operations ask under typical candidates, as a table. */
import { describe, expect, test } from "vitest";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import { declaredFacts } from "../data/declaredFacts.ts";
import {
  sampleOperation,
  sampleProperty,
  sampleQuery,
  sampleWorkload,
} from "../data/sampleWorkload.fake.ts";
import { operationModels } from "../simulate/operationModel.ts";
import type { Routing } from "../simulate/simulation.ts";
import type { Operation } from "../workload/workload.ts";
import type { Candidate } from "./candidate.ts";
import { keyShapeOf } from "./keyShape.ts";
import { routingOf } from "./routing.ts";
import { brokenTransactions } from "./transactions.ts";

const PROPERTIES = [
  sampleProperty("/device", { distinct: 1000 }),
  sampleProperty("/site", { distinct: 10 }),
  sampleProperty("/ts", { time: "second" }),
  sampleProperty("/day", { time: "day" }),
];

function candidate(key: string): Candidate {
  const levels = parseKeyLevels(key);
  if (!levels.ok) throw new Error(levels.error.message);
  return { id: key, levels: levels.value, origin: "named", stated: undefined };
}

function routing(key: string, operation: Operation): Routing {
  const workload = sampleWorkload({ properties: PROPERTIES, operations: [operation] });
  const facts = declaredFacts(workload);
  const [model] = operationModels(workload, facts);
  const shape = keyShapeOf(candidate(key), facts);
  return routingOf(shape, operation, model!.access, model!.spanDays);
}

/** In words, for the table: "key", "keys 3", "prefix 1", "everywhere". */
function said(found: Routing): string {
  if (found.kind === "keys") return `keys ${Number(found.count.toFixed(2))}`;
  if (found.kind === "prefix") {
    const times = found.count === 1 ? "" : ` x ${Number(found.count.toFixed(2))}`;
    return `prefix ${found.levelCount}${times}`;
  }
  return found.kind;
}

const ago = (days: number) =>
  new Map([
    ["@from", { like: undefined, distribution: undefined, agoDays: days, values: undefined }],
  ]);

const BY_DEVICE = sampleQuery("q", "SELECT * FROM c WHERE c.device = @d");
const BY_THREE = sampleQuery("q", "SELECT * FROM c WHERE c.device IN ('a', 'b', 'c')");
const BY_ID = sampleQuery("q", "SELECT * FROM c WHERE c.id = @id");
const BY_SITE = sampleQuery("q", "SELECT * FROM c WHERE c.site = @s");
const BY_BOTH = sampleQuery("q", "SELECT * FROM c WHERE c.site = @s AND c.device = @d");
const WEEK = "SELECT * FROM c WHERE c.device = @d AND c.ts >= @from";
const LAST_WEEK = sampleQuery("q", WEEK, { parameters: ago(7) });
const LAST_MONTH = sampleQuery("q", WEEK, { parameters: ago(30) });
const NEWEST = sampleQuery("q", "SELECT TOP 5 * FROM c WHERE c.device = @d ORDER BY c.ts DESC");
const NEWEST_TS = sampleQuery("q", "SELECT TOP 5 * FROM c WHERE c.device = @d ORDER BY c._ts DESC");
const NEWEST_WEEK = sampleQuery(
  "q",
  "SELECT TOP 5 * FROM c WHERE c.device = @d AND c.ts >= @from ORDER BY c.ts DESC",
  { parameters: ago(7) },
);
const OLDEST = sampleQuery("q", "SELECT TOP 5 * FROM c WHERE c.device = @d ORDER BY c.ts");
const BEST = sampleQuery("q", "SELECT TOP 5 * FROM c WHERE c.device = @d ORDER BY c.score DESC");
const DUE = sampleQuery("q", "SELECT * FROM c WHERE c.device = @d AND c.due >= @from", {
  parameters: ago(7),
});
const EVERY = sampleQuery("q", "SELECT VALUE COUNT(1) FROM c");
const CREATE = sampleOperation("w", "create");
const PATCH = sampleOperation("w", "patch");
const READ = sampleOperation("r", "pointRead");
const READ_BY_DEVICE = sampleOperation("r", "pointRead", { knows: ["/device"] });
const READ_BY_ID = sampleOperation("r", "pointRead", { knows: [] });

describe("which keys an operation asks", () => {
  test.each<[string, string, Operation, string]>([
    ["/device", "equality", BY_DEVICE, "key"],
    ["/device", "a list", BY_THREE, "keys 3"],
    ["/device", "another property", BY_SITE, "everywhere"],
    ["/device", "no filter", EVERY, "everywhere"],
    ["/device", "create", CREATE, "key"],
    ["/device", "update", PATCH, "key"],
    ["/device", "point read", READ, "key"],
    ["/device", "point read that knows", READ_BY_DEVICE, "key"],
    ["/device", "point read that knows the id", READ_BY_ID, "everywhere"],
    ["/id", "point read that knows the id", READ_BY_ID, "key"],
    ["/id", "equality", BY_DEVICE, "everywhere"],
    ["[/site, /device]", "first level", BY_SITE, "prefix 1"],
    ["[/site, /device]", "both levels", BY_BOTH, "key"],
    ["[/site, /device]", "second level only", BY_DEVICE, "everywhere"],
    ["[/site, /device, /id]", "two of three", BY_BOTH, "prefix 2"],
    ["[/device, month(/ts)]", "first level, a range", LAST_WEEK, "keys 1.23"],
    ["[/device, month(/ts)]", "first level", BY_DEVICE, "prefix 1"],
    ["[month(/ts), /site]", "a range", LAST_WEEK, "prefix 1 x 1.23"],
    ["concat(/device, '-', month(/ts))", "7 days", LAST_WEEK, "keys 1.23"],
    ["concat(/device, '-', month(/ts))", "30 days", LAST_MONTH, "keys 1.99"],
    ["concat(/device, '-', day(/ts))", "7 days", LAST_WEEK, "keys 8"],
    ["concat(/device, '-', hour(/ts))", "7 days", LAST_WEEK, "keys 169"],
    ["concat(/device, '-', day(/day))", "7 days of another time of writing", LAST_WEEK, "keys 8"],
    ["concat(/device, '-', month(/ts))", "no range", BY_DEVICE, "everywhere"],
    ["concat(/device, '-', month(/ts))", "a range of another time", DUE, "everywhere"],
    ["concat(/device, '-', month(/ts))", "newest first", NEWEST, "keys 1.1"],
    ["concat(/device, '-', month(/ts))", "newest first by _ts", NEWEST_TS, "keys 1.1"],
    ["concat(/device, '-', month(/ts))", "oldest first", OLDEST, "everywhere"],
    ["concat(/device, '-', month(/ts))", "best first", BEST, "everywhere"],
    ["concat(/device, '-', month(/ts))", "create", CREATE, "key"],
    ["/ts", "newest of seconds", NEWEST, "everywhere"],
    ["suffix(/device, hash(/id), 10)", "equality", BY_DEVICE, "keys 10"],
    ["suffix(/device, hash(/id), 10)", "by id alone", BY_ID, "everywhere"],
    ["suffix(/device, hash(/id), 10)", "point read that knows", READ_BY_DEVICE, "key"],
    ["suffix(/site, hash(/device), 10)", "the hashed value alone", BY_DEVICE, "everywhere"],
    ["suffix(/site, hash(/device), 10)", "both", BY_BOTH, "key"],
    ["suffix(/device, random(), 10)", "equality", BY_DEVICE, "keys 10"],
    ["suffix(/device, random(), 10)", "point read that knows", READ_BY_DEVICE, "keys 10"],
    ["suffix(/device, random(), 10)", "create", CREATE, "key"],
    ["suffix(/device, random(), 10)", "update", PATCH, "keys 10"],
    ["suffix(day(/ts), hash(/device), 4)", "7 days of one", LAST_WEEK, "keys 8"],
    ["hash(/device) % 20", "equality", BY_DEVICE, "key"],
    ["hash(/device) % 20", "a list", BY_THREE, "keys 2.85"],
    ["hash(/id) % 20", "nothing", EVERY, "keys 20"],
    ["random(8)", "nothing", EVERY, "keys 8"],
    ["choose(/device, ['a'], day(/ts), month(/ts))", "7 days, whoever it is", LAST_WEEK, "keys 8"],
    ["choose(/site, ['a'], day(/ts), month(/ts))", "7 days of either", LAST_WEEK, "keys 9.23"],
    ["concat(/device, year(/ts), month(/ts), day(/ts))", "7 days", LAST_WEEK, "keys 8"],
    ["[/device, month(/ts), day(/ts)]", "7 days", LAST_WEEK, "keys 8"],
    ["hash(day(/ts)) % 4", "7 days", LAST_WEEK, "keys 3.6"],
    ["concat(/device, '-', month(/ts))", "newest of a week", NEWEST_WEEK, "keys 1.1"],
    ["concat(/device, '-', quarter(/ts))", "newest of a week", NEWEST_WEEK, "keys 1.08"],
    ["coalesce(/device, concat('none-', /id))", "equality", BY_DEVICE, "key"],
    ["coalesce(/device, concat('none-', /id))", "another property", BY_SITE, "everywhere"],
    ["coalesce(hash(/id) % 4, concat('n', hash(/site) % 2))", "nothing", EVERY, "keys 6"],
    ["lower(/device)", "equality", BY_DEVICE, "key"],
  ])("%s: %s", (key, _, operation, expected) => {
    expect(said(routing(key, operation))).toBe(expected);
  });

  test("what is stated of a candidate counts", () => {
    const workload = sampleWorkload({ properties: PROPERTIES, operations: [BY_DEVICE, BY_SITE] });
    const facts = declaredFacts(workload);
    const [byDevice, bySite] = operationModels(workload, facts);
    const stated = {
      distinctKeys: undefined,
      largestKeyStorageShare: undefined,
      hottestKeyWriteShare: undefined,
      hottestKeyReadShare: undefined,
      pins: ["q"],
      boundedFanout: undefined,
      isMutable: undefined,
      breaksTransactions: undefined,
    };
    const pinned = keyShapeOf({ ...candidate("/nothing"), stated }, facts);
    expect(routingOf(pinned, BY_DEVICE, byDevice!.access, undefined)).toEqual({ kind: "key" });
    const bounded = keyShapeOf(
      {
        ...candidate("/nothing"),
        stated: { ...stated, pins: undefined, boundedFanout: new Map([["q", 7]]) },
      },
      facts,
    );
    expect(said(routingOf(bounded, BY_SITE, bySite!.access, undefined))).toBe("keys 7");
  });
});

describe("transactions", () => {
  const scoped = (scope: readonly string[], kind: "create" | "patch" = "patch"): Operation =>
    sampleOperation("t", kind, { transactionScope: scope });

  test.each<[string, Operation, boolean]>([
    ["/device", scoped(["/device"]), false],
    ["/device", scoped(["/site"]), true],
    ["/site", scoped(["/site", "/device"]), false],
    ["[/site, /device]", scoped(["/site"]), true],
    ["/id", scoped(["/device"]), true],
    ["concat(/device, '-', month(/ts))", scoped(["/device"]), true],
    ["concat(/device, '-', month(/ts))", scoped(["/device"], "create"), false],
    ["suffix(/device, hash(/id), 5)", scoped(["/device"]), true],
    ["suffix(/device, random(), 5)", scoped(["/device"], "create"), true],
    ["hash(/device) % 5", scoped(["/device"]), false],
  ])("%s with %j: broken %s", (key, operation, isBroken) => {
    const workload = sampleWorkload({ properties: PROPERTIES, operations: [operation] });
    const shape = keyShapeOf(candidate(key), declaredFacts(workload));
    expect(brokenTransactions(shape, workload)).toEqual(isBroken ? ["t"] : []);
  });
});
