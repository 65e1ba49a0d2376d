/**
 * The order of rows as a query text has it. Of items that all have one value somewhere, the order
 * by that property and then by another one is the order by the other one alone. Where a container
 * has a composite index of both, naming both lets the server read rows in the order of that index,
 * instead of walking past all items of the physical partition that have other values.
 */
import { propertyAt } from "../keys/client/queryText.ts";
import { BadRoute } from "./badRoute.ts";
import type { RouteRequest } from "./routeRequest.ts";
import { pathOf } from "./routeRequest.ts";

/** A composite index as an indexing policy has it. */
export type RouteIndex = readonly {
  readonly path: string;
  /** `ascending` unless told. */
  readonly order?: "ascending" | "descending";
}[];

interface OrderedPath {
  readonly path: string;
  readonly isDescending: boolean;
}

/** Composite indexes that were read once: of each its paths, the last one apart. */
export interface ReadIndex {
  readonly before: readonly OrderedPath[];
  readonly last: OrderedPath;
}

export function readIndexes(given: readonly RouteIndex[] = []): readonly ReadIndex[] {
  return given.map((index) => {
    const paths = index.map(({ path, order = "ascending" }) => {
      if (order !== "ascending" && order !== "descending") {
        throw new BadRoute(
          `compositeIndexes: the order of ${path} is ${JSON.stringify(order)}; it must be ` +
            '"ascending" or "descending".',
        );
      }
      return { path: pathOf("compositeIndexes", path), isDescending: order === "descending" };
    });
    const last = paths.at(-1);
    if (last === undefined || paths.length < 2) {
      throw new BadRoute("compositeIndexes: a composite index has two paths or more.");
    }
    return { before: paths.slice(0, -1), last };
  });
}

type Ordered = Pick<RouteRequest, "by" | "isDescending" | "values">;

/** What comes after ORDER BY. */
export function orderText(request: Ordered, indexes: readonly ReadIndex[]): string {
  const { by, isDescending, values } = request;
  const isFixed = ({ path }: OrderedPath): boolean => {
    const list = values.get(path);
    return list?.length === 1 && list[0] !== undefined;
  };
  const index = indexes.find(({ before, last }) => last.path === by && before.every(isFixed));
  const paths = [...(index?.before ?? []), index?.last ?? { path: by, isDescending }];
  // An index is read from its end where all of its orders are the other way around.
  const isReversed = index !== undefined && index.last.isDescending !== isDescending;
  return paths
    .map((one) => `${propertyAt(one.path)} ${one.isDescending !== isReversed ? "DESC" : "ASC"}`)
    .join(", ");
}
