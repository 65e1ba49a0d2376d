/**
 * Fewer different values for fewer items. As many items a value as in the real thing would leave a
 * handful of values, and their hashes would lie unevenly by chance; so no fewer are left than it
 * takes for evenness, and a property that has few keeps them all.
 */
import type { Distribution, PropertyShape } from "../workload/workload.ts";

/** Fewer are not made fewer. */
const VALUES_MIN = 400;
/** Whoever others belong to has several of them. */
const VALUES_A_PARENT = 8;
/** So many items a value at least, if there are more than that in the real thing. */
const ITEMS_A_VALUE = 10;

export function fewerValues(
  properties: ReadonlyMap<string, PropertyShape>,
  { items, itemFactor }: { readonly items: number; readonly itemFactor: number },
): {
  readonly properties: ReadonlyMap<string, PropertyShape>;
  readonly remarks: readonly string[];
} {
  const remarks: string[] = [];
  const small = [...properties].map(([path, shape]): [string, PropertyShape] => {
    if (shape.isUnique || shape.time !== undefined || shape.distinct === undefined) {
      return [path, shape];
    }
    const usual = Math.min(VALUES_MIN, Math.max(1, Math.floor(items / ITEMS_A_VALUE)));
    const floor = isParent(path, properties) ? Math.ceil(usual / VALUES_A_PARENT) : usual;
    const wanted = Math.max(floor, Math.round(shape.distinct * itemFactor));
    const distinct = Math.max(namedCount(shape), Math.min(shape.distinct, wanted));
    if (distinct === shape.distinct) return [path, shape];
    remarks.push(`${path} has ${distinct} values in place of ${shape.distinct}.`);
    const fewer = (of: Distribution): Distribution => fewerInClasses(of, shape.distinct!, distinct);
    return [
      path,
      {
        ...shape,
        distinct,
        items: fewer(shape.items),
        requests: shape.requests === undefined ? undefined : fewer(shape.requests),
        distinctWithin: fewerWithin(shape, distinct),
      },
    ];
  });
  return { properties: new Map(small), remarks };
}

function isParent(path: string, properties: ReadonlyMap<string, PropertyShape>): boolean {
  return [...properties.values()].some(({ within }) => within === path);
}

function namedCount({ items, requests }: PropertyShape): number {
  const named = [items, requests].flatMap((each) =>
    each?.kind === "shares" ? [...each.shares.keys()] : [],
  );
  return Math.max(1, new Set(named).size);
}

/** Each kind keeps its share of all, with one value at least. */
function fewerInClasses(distribution: Distribution, before: number, after: number): Distribution {
  if (distribution.kind !== "classes") return distribution;
  const all = distribution.classes.reduce((sum, { values }) => sum + values, 0);
  const total = distribution.classes.reduce((sum, { values, weight }) => sum + values * weight, 0);
  const classes = distribution.classes.map(({ values, weight }) => {
    const wasCount = Math.max(1, Math.round((before * values) / all));
    const count = Math.max(1, Math.min(wasCount, Math.round((after * values) / all)));
    return { values: count, weight: (values * weight) / total / count };
  });
  return { kind: "classes", classes };
}

function fewerWithin(
  { distinctWithin, distinct }: PropertyShape,
  fewer: number,
): PropertyShape["distinctWithin"] {
  if (distinctWithin === undefined || distinct === undefined) return distinctWithin;
  return new Map(
    [...distinctWithin].map(([value, count]) => [
      value,
      Math.max(1, Math.round((count * fewer) / distinct)),
    ]),
  );
}
