/**
 * What a query costs, from its text: it is parsed, bound and planned as the server would, and the
 * plan tells what has to be done for what is found.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Run } from "../../query/evaluate/run.ts";
import { problemOf } from "../../query/evaluate/run.ts";
import type { Plan } from "../../query/plan/plan.ts";
import { ruOfPage } from "../../throughput/charge.ts";
import { exampleRowOf } from "./exampleRow.ts";
import { storedBytesOf } from "./itemPrice.ts";
import type { FoundItems, PriceSetting, QueryPrice } from "./price.ts";
import { planOfText, runOf, sentenceOf } from "./queryPlan.ts";
import { queryShapeOf } from "./queryShape.ts";
import { sumOf, type VisitSetting } from "./visits.ts";
import { visitsOf } from "./ways.ts";

/**
 * The price of a query, or what is wrong with it. Parameters without a value are taken to be texts,
 * all different: that tells how many questions the index is asked, which is all that matters, but
 * for lists. TOP, OFFSET and LIMIT need their values.
 */
export function queryPriceOf(
  sql: string,
  parameters: ReadonlyMap<string, JsonValue>,
  setting: PriceSetting,
): Result<QueryPrice, string> {
  const planned = planOfText(sql, setting.policy);
  if (!planned.ok) return planned;
  const { plan, parameterNames } = planned.value;
  const run = runOf(filledIn(parameters, parameterNames));
  try {
    return ok(priceOf(plan, run, setting));
  } catch (error) {
    return no(sentenceOf(problemOf(error)));
  }
}

/** Without a text: whole items, found by the values of these paths ("/a/b"). */
export function filterPriceOf(paths: readonly string[], setting: PriceSetting): QueryPrice {
  const conditions = paths.map((path, index) => `${expressionOf(path)} = @v${index}`);
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  const price = queryPriceOf(`SELECT * FROM c${where}`, new Map(), setting);
  if (!price.ok) throw new Error(`equality on paths is always a query: ${price.error}`);
  return price.value;
}

function expressionOf(path: string): string {
  const names = path.split("/").slice(1);
  return `c${names.map((name) => `[${JSON.stringify(name)}]`).join("")}`;
}

function priceOf(plan: Plan, run: Run, setting: PriceSetting): QueryPrice {
  const shape = queryShapeOf(plan, run);
  const settings = new Map<number, VisitSetting>();
  const settingFor = (itemBytes: number): VisitSetting => {
    const known = settings.get(itemBytes);
    if (known !== undefined) return known;
    const row = exampleRowOf(plan, run, { ...setting, itemBytes });
    const made = { shape, row, itemBytes: storedBytesOf(itemBytes) };
    settings.set(itemBytes, made);
    return made;
  };
  const ruOfVisits = (found: readonly FoundItems[]): readonly number[] =>
    visitsOf(settingFor(found[0]?.itemBytes ?? setting.itemBytes), found).map((paid) =>
      sumOf(paid, ({ work, times }) => times * ruOfPage({ visits: [work] }, setting.consistency)),
    );
  const [visitRu] = ruOfVisits([{ matchCount: 0, rowCount: 0, heldItems: 0 }]);
  return {
    visitRu: visitRu!,
    foundRu: (found) => ruOfVisits([found])[0]! - visitRu!,
    ruOfVisits,
    triedPaths: shape.triedPaths,
    orderedPath: shape.orderedPath,
    isAnswered: shape.access.isAnswered,
  };
}

function filledIn(
  parameters: ReadonlyMap<string, JsonValue>,
  names: readonly string[],
): ReadonlyMap<string, JsonValue> {
  const missing = names.filter((name) => !parameters.has(name));
  return new Map([...parameters, ...missing.map((name) => [name, `a value of ${name}`] as const)]);
}
