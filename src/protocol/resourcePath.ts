/**
 * What a request target names: which resource or feed, under which database and container, and
 * the text its signature must cover.
 *
 * A path is a chain of type words and ids, `/dbs/{d}/colls/{c}/docs/{id}`. It ends with an id when
 * it names a resource and with a type word when it names a feed. An id may be a name or a rid;
 * the path does not tell, so nothing here decides it.
 *
 * Invariants
 * - Ids are percent-decoded exactly once, and a link is built from decoded ids, case preserved.
 * - A parsed path is one where the service has a resource type; anything else is `undefined`.
 *
 * Not here: which verbs a path allows, and whether the resource exists.
 */

/** What a client signs besides the verb and the date. */
export interface Signing {
  /** The last type word of the path; empty for the account. */
  readonly resourceType: string;
  /** Links a client may have signed: the name form, then the rid form when there may be one. */
  readonly resourceLinks: readonly string[];
}

export interface DatabasePlace {
  readonly database: string;
}

export interface ContainerPlace extends DatabasePlace {
  readonly container: string;
}

export type ResourcePath = Signing & { readonly segments: readonly string[] } & (
    | { readonly kind: "account" | "databases" | "offers" }
    | ({ readonly kind: "database" | "containers" } & DatabasePlace)
    | ({
        readonly kind: "container" | "items" | "ranges" | "partitionKeyDelete";
      } & ContainerPlace)
    | ({ readonly kind: "item"; readonly id: string } & ContainerPlace)
    | { readonly kind: "offer"; readonly id: string }
    /** Users, permissions, scripts, conflicts, keys: `segments` tells which. */
    | { readonly kind: "other" }
  );

/** The type words, each with those that may follow its ids. The account has the empty word. */
const CHILD_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ["", ["dbs", "offers"]],
  ["dbs", ["colls", "users", "clientencryptionkeys"]],
  ["colls", ["docs", "pkranges", "sprocs", "triggers", "udfs", "conflicts"]],
  ["docs", ["attachments"]],
  // The JavaScript SDK reads a conflict at `…/conflicts/{id}/conflicts`.
  ["conflicts", ["conflicts"]],
  ["users", ["permissions"]],
]);

/** `undefined` when the target is no path of the service, or is not properly encoded. */
export function parseResourcePath(rawUrl: string): ResourcePath | undefined {
  return parsePlainItemPath(rawUrl) ?? parseAnyPath(rawUrl);
}

/**
 * The two paths that nearly all traffic goes to, in the spelling nearly all of it has. Answers
 * exactly as `parseAnyPath` would, or `undefined` when the path needs a closer look.
 */
function parsePlainItemPath(rawUrl: string): ResourcePath | undefined {
  if (!rawUrl.startsWith("/dbs/") || rawUrl.includes("%")) return undefined;
  const databaseEnd = rawUrl.indexOf("/", 5);
  if (databaseEnd <= 5 || !rawUrl.startsWith("/colls/", databaseEnd)) return undefined;
  const containerStart = databaseEnd + 7;
  const containerEnd = rawUrl.indexOf("/", containerStart);
  if (containerEnd <= containerStart || !rawUrl.startsWith("/docs", containerEnd)) return undefined;

  const database = rawUrl.slice(5, databaseEnd);
  const container = rawUrl.slice(containerStart, containerEnd);
  const docsEnd = containerEnd + 5;
  if (rawUrl.length === docsEnd) {
    const segments = ["dbs", database, "colls", container, "docs"];
    const resourceLinks = linksOf(rawUrl.slice(1, containerEnd), container);
    return { kind: "items", segments, resourceType: "docs", resourceLinks, database, container };
  }
  const idStart = docsEnd + 1;
  const isPlain =
    rawUrl.startsWith("/", docsEnd) &&
    rawUrl.length > idStart &&
    !rawUrl.includes("/", idStart) &&
    !rawUrl.includes("?");
  if (!isPlain) return undefined;
  const id = rawUrl.slice(idStart);
  const segments = ["dbs", database, "colls", container, "docs", id];
  const resourceLinks = linksOf(rawUrl.slice(1), id);
  return { kind: "item", segments, resourceType: "docs", resourceLinks, database, container, id };
}

function parseAnyPath(rawUrl: string): ResourcePath | undefined {
  if (!rawUrl.startsWith("/")) return undefined;
  const segments = decodedSegmentsOf(rawUrl);
  if (segments === undefined) return undefined;
  if (isPartitionKeyDelete(segments)) return partitionKeyDeleteOf(segments);
  return hasKnownTypes(segments) ? pathOf(segments) : undefined;
}

function decodedSegmentsOf(rawUrl: string): string[] | undefined {
  const queryStart = rawUrl.indexOf("?");
  const pathEnd = queryStart < 0 ? rawUrl.length : queryStart;
  let pathStart = 0;
  while (rawUrl[pathStart] === "/") pathStart++;
  const segments = rawUrl.slice(pathStart, pathEnd).split("/");
  if (queryStart >= 0 && isItemPath(segments)) {
    // SDKs do not encode a `?` in an item id, and send no query string of their own.
    segments[5] += trimTrailingSlashes(rawUrl.slice(queryStart));
  }
  while (segments.at(-1) === "") segments.pop();
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined; // An escape that is no UTF-8.
  }
}

function trimTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end--;
  return text.slice(0, end);
}

function hasKnownTypes(segments: readonly string[]): boolean {
  let parentType = "";
  for (const [index, segment] of segments.entries()) {
    if (segment === "") return false;
    if (index % 2 === 1) continue;
    if (CHILD_TYPES.get(parentType)?.includes(segment) !== true) return false;
    parentType = segment;
  }
  return true;
}

function pathOf(segments: readonly string[]): ResourcePath {
  const [rootType, database = "", parentType, container = "", childType, id = ""] = segments;
  const common = { segments, ...signingOf(segments) };
  const isOffer = rootType === "offers";
  const isContainer = parentType === "colls";
  switch (segments.length) {
    case 0:
      return { kind: "account", ...common };
    case 1:
      return { kind: isOffer ? "offers" : "databases", ...common };
    case 2:
      if (isOffer) return { kind: "offer", ...common, id: database };
      return { kind: "database", ...common, database };
    case 3:
      if (isContainer) return { kind: "containers", ...common, database };
      break;
    case 4:
      if (isContainer) return { kind: "container", ...common, database, container };
      break;
    case 5:
      if (childType === "docs") return { kind: "items", ...common, database, container };
      if (childType === "pkranges") return { kind: "ranges", ...common, database, container };
      break;
    case 6:
      if (childType === "docs") return { kind: "item", ...common, database, container, id };
      break;
  }
  return { kind: "other", ...common };
}

function signingOf(segments: readonly string[]): Signing {
  const isFeed = segments.length % 2 === 1;
  const named = isFeed ? segments.slice(0, -1) : segments;
  const link = named.join("/");
  const id = named.at(-1) ?? "";
  const resourceType = segments.at(isFeed ? -1 : -2) ?? "";
  // The SDK that reads a conflict at this path also signs it with a type of another family.
  if (isFeed && segments[6] === "conflicts")
    return { resourceType: "users", resourceLinks: [link] };
  if (resourceType === "offers" && !isFeed) {
    return { resourceType, resourceLinks: [link, id.toLowerCase()] };
  }
  return { resourceType, resourceLinks: linksOf(link, id) };
}

/** Clients that address by rid sign the bare rid, in lower case. */
function linksOf(link: string, id: string): readonly string[] {
  // Every rid but an offer's is a base64 text with padding; few names end like one.
  const mayBeRid = id.length % 4 === 0 && id.endsWith("=");
  return mayBeRid ? [link, id.toLowerCase()] : [link];
}

const isItemPath = (segments: readonly string[]): boolean =>
  segments.length === 6 &&
  segments[0] === "dbs" &&
  segments[2] === "colls" &&
  segments[4] === "docs";

const isPartitionKeyDelete = (segments: readonly string[]): boolean =>
  segments.length === 6 && segments[4] === "operations" && segments[5] === "partitionkeydelete";

/** Signed as an operation on the container. */
function partitionKeyDeleteOf(segments: readonly string[]): ResourcePath | undefined {
  const owner = segments.slice(0, 4);
  if (!hasKnownTypes(owner)) return undefined;
  const path = pathOf(owner);
  return path.kind === "container" ? { ...path, kind: "partitionKeyDelete", segments } : undefined;
}
