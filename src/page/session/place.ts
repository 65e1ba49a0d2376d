/**
 * Where somebody is in the page, and the address that says so. The whole state of a view is in its
 * address, so that a reload, a link and the back button show the same.
 *
 * `/_explorer/partitions/shop/orders?span=1h` is the page `partitions`, about the container
 * `shop/orders`, with one parameter. Not here: what the parameters of a page mean.
 */
import type { NamedContainer } from "../../model/copyJob.ts";
import { PAGE_ROOT } from "../../protocol/admin.ts";

export const PAGE_IDS = [
  "overview",
  "explorer",
  "partitions",
  "lab",
  "jobs",
  "alerts",
  "requests",
  "settings",
  "examples",
] as const;

export type PageId = (typeof PAGE_IDS)[number];

export interface PagePlace {
  /** `undefined` when there is no such page. */
  readonly page: PageId | undefined;
  /** What follows the page in the path, decoded. */
  readonly segments: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
}

export function placeOf(pathname: string, search: string): PagePlace {
  const [name = "", ...rest] = pathname
    .slice(PAGE_ROOT.length)
    .split("/")
    .filter((segment) => segment !== "");
  const page = name === "" ? "overview" : PAGE_IDS.find((id) => id === name);
  return {
    page,
    segments: rest.map(decoded),
    parameters: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** The overview without anything else has the shortest address. */
export function hrefOf({ page, segments, parameters }: PagePlace): string {
  const isRoot = page === undefined || (page === "overview" && segments.length === 0);
  const path = isRoot ? "" : [page, ...segments.map(encoded)].join("/");
  const search = new URLSearchParams(parameters).toString();
  return `${PAGE_ROOT}${path}${search === "" ? "" : `?${search}`}`;
}

/** A page, about a container if one is named. */
export function placeAt(
  page: PageId,
  about?: NamedContainer,
  parameters: Readonly<Record<string, string>> = {},
): PagePlace {
  const segments = about === undefined ? [] : [about.database, about.container];
  return { page, segments, parameters };
}

/** The container that a place is about. */
export function containerIn({ segments }: PagePlace): NamedContainer | undefined {
  const [database, container] = segments;
  return database === undefined || container === undefined ? undefined : { database, container };
}

/** The same place with other parameters; `undefined` takes one away. */
export function withParameters(
  place: PagePlace,
  changes: Readonly<Record<string, string | undefined>>,
): PagePlace {
  const kept = Object.entries({ ...place.parameters, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return { ...place, parameters: Object.fromEntries(kept) };
}

/** Browsers take "." and ".." out of paths, in any spelling: such names get a mark before them. */
function encoded(segment: string): string {
  return encodeURIComponent(/^~*\.{1,2}$/.test(segment) ? `~${segment}` : segment);
}

function decoded(segment: string): string {
  try {
    const text = decodeURIComponent(segment);
    return /^~+\.{1,2}$/.test(text) ? text.slice(1) : text;
  } catch {
    return segment;
  }
}
