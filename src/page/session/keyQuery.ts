/** The query for the items of a partition key, or of a prefix of it, as somebody would write it. */
import type { NamedContainer } from "../../model/copyJob.ts";
import { type PagePlace, placeAt } from "./place.ts";

export const KEYWORDS: readonly string[] = (
  "SELECT DISTINCT TOP VALUE AS FROM IN JOIN WHERE GROUP BY ORDER ASC DESC OFFSET LIMIT AND OR " +
  "NOT BETWEEN LIKE ESCAPE EXISTS ARRAY NULL TRUE FALSE UNDEFINED RANK UDF"
).split(" ");

/** `values` are those of the first of `paths`; a missing one is an empty object, as on the wire. */
export function keyQuery(paths: readonly string[], values: readonly unknown[]): string {
  const conditions = values.map((value, at) => {
    const place = placeText(paths[at]!);
    return typeof value === "object" && value !== null
      ? `NOT IS_DEFINED(${place})`
      : `${place} = ${JSON.stringify(value)}`;
  });
  return `SELECT * FROM c WHERE ${conditions.join(" AND ")}`;
}

interface KeyedContainer extends NamedContainer {
  readonly partitionKeyPaths: readonly string[];
}

/** The Explorer with that query. */
export function itemsOfKey(about: KeyedContainer, values: readonly unknown[]): PagePlace {
  return placeAt("explorer", about, { q: keyQuery(about.partitionKeyPaths, values) });
}

function placeText(path: string): string {
  const names = path.slice(1).split("/");
  const steps = names.map((name) => (isPlain(name) ? `.${name}` : `[${JSON.stringify(name)}]`));
  return `c${steps.join("")}`;
}

function isPlain(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.includes(name.toUpperCase());
}
