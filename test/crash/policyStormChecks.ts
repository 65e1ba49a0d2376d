/**
 * What must be true of a container whose policy changes: of its terms, and of what queries find by
 * them. The judge of a query is a function over all items, written down beside it.
 */
import type { Account } from "../../src/engine/account.ts";
import { objectOf } from "../../src/engine/item/itemBody.ts";
import { epkOfKey } from "../../src/engine/item/itemKey.ts";
import { heldTermsOf, itemTermsOf } from "../../src/engine/item/itemTerms.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import { isIndexedUnderAll } from "../../src/index/compiledPolicy.ts";
import { pathHashOf } from "../../src/index/hash.ts";
import { termOf } from "../../src/index/term.ts";
import type { JsonObject, JsonValue } from "../../src/json/value.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";

const ALL_PATHS = { path: "/*" };
const COMPOSITE = [{ path: "/s" }, { path: "/n", order: "descending" }];
const SPATIAL = [{ path: "/loc/*", types: ["Point", "Polygon"] }];

export const POLICIES: readonly JsonObject[] = [
  {},
  { includedPaths: [], excludedPaths: [ALL_PATHS] },
  { includedPaths: [{ path: "/n/?" }], excludedPaths: [ALL_PATHS] },
  { includedPaths: [{ path: "/tags/[]/?" }, { path: "/s/?" }], excludedPaths: [ALL_PATHS] },
  { includedPaths: [ALL_PATHS], excludedPaths: [{ path: "/n/?" }, { path: "/tags/*" }] },
  { compositeIndexes: [COMPOSITE] },
  { spatialIndexes: SPATIAL },
  { includedPaths: [], excludedPaths: [ALL_PATHS], compositeIndexes: [COMPOSITE] },
  { compositeIndexes: [COMPOSITE], spatialIndexes: SPATIAL },
  { indexingMode: "none", automatic: false },
];

interface Question {
  readonly text: string;
  answer(items: readonly JsonObject[]): readonly JsonValue[];
  /** Rows come in this order; otherwise in any. */
  readonly isOrdered?: true;
  /** Refused unless the policy in force has this. */
  readonly needs?: "n" | "composite";
}

const idOf = (item: JsonObject): JsonValue => item["id"]!;
const numberOf = (item: JsonObject): number | undefined => item["n"] as number | undefined;
const tagsOf = (item: JsonObject): readonly JsonValue[] => item["tags"] as readonly JsonValue[];

const QUESTIONS: readonly Question[] = [
  {
    text: "SELECT VALUE c.id FROM c WHERE c.n = 3",
    answer: (items) => items.filter((item) => numberOf(item) === 3).map(idOf),
  },
  {
    text: "SELECT VALUE c.id FROM c WHERE c.n > 5 AND STARTSWITH(c.s, 'text 1')",
    answer: (items) =>
      items
        .filter((item) => (numberOf(item) ?? 0) > 5 && String(item["s"]).startsWith("text 1"))
        .map(idOf),
  },
  {
    text: "SELECT VALUE c.id FROM c WHERE NOT IS_DEFINED(c.n)",
    answer: (items) => items.filter((item) => numberOf(item) === undefined).map(idOf),
  },
  {
    text: "SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(c.tags, 't2')",
    answer: (items) => items.filter((item) => tagsOf(item).includes("t2")).map(idOf),
  },
  {
    text: "SELECT VALUE c.n FROM c WHERE IS_DEFINED(c.n) ORDER BY c.n DESC",
    answer: (items) => numbersOf(items).toSorted((a, b) => b - a),
    isOrdered: true,
    needs: "n",
  },
  {
    text: "SELECT VALUE [c.s, c.n] FROM c WHERE IS_DEFINED(c.n) ORDER BY c.s, c.n DESC",
    answer: (items) =>
      items
        .filter((item) => numberOf(item) !== undefined)
        .map((item) => [item["s"]!, item["n"]!] as const)
        .toSorted(([s, n], [t, m]) => (s < t ? -1 : s > t ? 1 : Number(m) - Number(n))),
    isOrdered: true,
    needs: "composite",
  },
  {
    text: "SELECT DISTINCT VALUE c.n FROM c",
    answer: (items) => [...new Set(numbersOf(items))],
  },
  {
    text: "SELECT VALUE COUNT(1) FROM c WHERE c.n < 4",
    answer: (items) => [numbersOf(items).filter((n) => n < 4).length],
  },
  {
    text: "SELECT VALUE MAX(c.n) FROM c WHERE c.n >= 2",
    answer: (items) => {
      const found = numbersOf(items).filter((n) => n >= 2);
      return found.length === 0 ? [] : [Math.max(...found)];
    },
  },
  {
    text:
      "SELECT VALUE c.id FROM c WHERE ST_DISTANCE(c.loc, " +
      "{'type': 'Point', 'coordinates': [10, 3]}) < 1000",
    answer: (items) =>
      items
        .filter(
          ({ loc }) => (loc as JsonObject | undefined)?.["coordinates"]?.toString() === "10,3",
        )
        .map(idOf),
  },
];

function numbersOf(items: readonly JsonObject[]): readonly number[] {
  return items.map(numberOf).filter((n) => n !== undefined);
}

const ALL = { countMax: 1e7, bytesMax: 1e10 };

/** What is wrong; undefined if nothing is. Gives up when the power is gone. */
export async function policyProblems(
  account: Account,
  store: EmbeddedStore,
  container: Container,
  isOver: () => boolean,
): Promise<string | undefined> {
  const problem = termProblem(store, container);
  if (problem !== undefined) return problem;
  for (const question of QUESTIONS) {
    const wrong = await questionProblem(account, store, container, question);
    if (isOver()) return undefined;
    if (wrong !== undefined) return `${wrong} ${JSON.stringify(container.record.formerPolicies)}`;
  }
  return undefined;
}

/** Undefined if every item has the terms it must have, and none it must not. */
export function termProblem(store: EmbeddedStore, container: Container): string | undefined {
  for (const { part } of container.map.entries) {
    const held = new Map<number, Set<string>>();
    const range = { min: "", max: "\xff".repeat(16) };
    for (const { term, number } of store.scanTerms(part, { range, withItems: false, ...ALL })
      .entries) {
      const terms = held.get(number) ?? new Set();
      held.set(number, terms.add(term));
    }
    for (const { key, number, body } of store.scanItems(part, 0, ALL).items) {
      const item = objectOf(body);
      const found = held.get(number) ?? new Set();
      held.delete(number);
      const [least, most] = boundsOf(container, key, item);
      const missing = least.filter((term) => !found.has(term)).length;
      const strange = [...found].filter((term) => !most.has(term)).length;
      if (missing + strange > 0) {
        return `item ${number} of part ${part} lacks ${missing} terms and has ${strange} too many`;
      }
    }
    if (held.size > 0) return `part ${part} has terms of items that are gone`;
  }
  return undefined;
}

/** The terms that an item has for certain, and those that it may have. */
function boundsOf(
  container: Container,
  key: string,
  item: JsonObject,
): readonly [readonly string[], ReadonlySet<string>] {
  const epk = epkOfKey(key);
  if (container.formerPolicies.length === 0) {
    const { terms } = itemTermsOf(container, epk, item);
    return [terms, new Set(terms)];
  }
  const policies = [container.policy, ...container.formerPolicies];
  const certain = ["id", "n", "s"].flatMap((name) => {
    const value = item[name] as string | number | undefined;
    const isSure = value !== undefined && isIndexedUnderAll(policies, [name]);
    return isSure ? [termOf(pathHashOf([name]), value)] : [];
  });
  return [certain, new Set(heldTermsOf(container, epk, item))];
}

async function questionProblem(
  account: Account,
  store: EmbeddedStore,
  container: Container,
  { text, answer, isOrdered, needs }: Question,
): Promise<string | undefined> {
  const items = container.map.entries.flatMap(({ part }) =>
    store.scanItems(part, 0, ALL).items.map(({ body }) => objectOf(body)),
  );
  const asked = await account.queryItems(container, {
    text,
    parameters: new Map(),
    parameterNames: new Set(),
    scope: { kind: "container" },
    isFanOutAllowed: true,
    continuation: undefined,
    countMax: 10_000,
  });
  const { policy } = container;
  const isAllowed = needs === "n" ? policy.isIndexedAt(["n"]) : policy.composites.length > 0;
  if (needs !== undefined && asked.ok !== isAllowed) return `${text}: refused is ${!asked.ok}`;
  if (!asked.ok) return needs === undefined ? `${text}: ${asked.error.kind}` : undefined;
  const rows = asked.value.rows.map((row) => row.toString());
  const expected = answer(items).map((row) => JSON.stringify(row));
  const [found, right] = isOrdered ? [rows, expected] : [rows.toSorted(), expected.toSorted()];
  if (found.join("\n") === right.join("\n")) return undefined;
  return `${text}: ${found.length} rows instead of ${right.length}`;
}
