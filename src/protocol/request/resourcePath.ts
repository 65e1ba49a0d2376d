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
interface Signing {
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

interface UserPlace extends DatabasePlace {
  readonly user: string;
}

/** Where resources are that are neither containers nor items: their kind, and their owner. */
export type OwnedPlace =
  | ({ readonly resource: "user" | "clientEncryptionKey" } & DatabasePlace)
  | ({ readonly resource: "permission" } & UserPlace)
  | ({
      readonly resource: "storedProcedure" | "trigger" | "userDefinedFunction";
    } & ContainerPlace);

export type ResourcePath = Signing & {
  readonly segments: readonly string[];
} & (
    | { readonly kind: "account" }
    /** The addresses of replicas, for clients in direct mode: of what belongs to no container. */
    | { readonly kind: "addresses" }
    /** The addresses of the replicas of a container; without range ids, of all its ranges. */
    | ({
        readonly kind: "rangeAddresses";
        readonly rangeIds: readonly string[] | undefined;
      } & ContainerPlace)
    | { readonly kind: "databases" | "offers" }
    | ({ readonly kind: "database" | "containers" } & DatabasePlace)
    | ({
        readonly kind: "container" | "ranges" | "conflicts" | "partitionKeyDelete";
      } & ContainerPlace)
    | ({ readonly kind: "items" } & ContainerPlace)
    | ({ readonly kind: "item"; readonly id: string } & ContainerPlace)
    | ({ readonly kind: "conflict"; readonly id: string } & ContainerPlace)
    | { readonly kind: "offer"; readonly id: string }
    | ({ readonly kind: "resources" } & OwnedPlace)
    | ({ readonly kind: "resource"; readonly id: string } & OwnedPlace)
    /** Attachments, and physical partitions one by one: nobody serves them. */
    | { readonly kind: "other" }
  );

/** The type words, each with those that may follow its ids. The account has the empty word. */
export const CHILD_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
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
 * The words and ids of a link as it is in bodies: `dbs/{d}/colls/{c}`, with or without slashes at
 * its ends, its ids as they are. `undefined` when the service has nothing at such a place.
 */
export function linkSegments(link: string): readonly string[] | undefined {
  const segments = link.replace(/^\/+|\/+$/g, "").split("/");
  return hasKnownTypes(segments) ? segments : undefined;
}

/** The path of words and ids as they are; `undefined` when the service has nothing there. */
export function resourcePathOf(segments: readonly string[]): ResourcePath | undefined {
  return hasKnownTypes(segments) ? pathOf(segments) : undefined;
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
  if (segments.length === 1 && segments[0] === "addresses") return addressesOf(rawUrl);
  if (isPartitionKeyDelete(segments)) return partitionKeyDeleteOf(segments);
  return resourcePathOf(segments);
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
      if (childType === "conflicts") return { kind: "conflicts", ...common, database, container };
      break;
    case 6:
      if (childType === "docs") return { kind: "item", ...common, database, container, id };
  }
  if (childType === "conflicts") return { kind: "conflict", ...common, database, container, id };
  return ownedPathOf(segments, common) ?? { kind: "other", ...common };
}

/** Users and keys of a database, permissions of a user, scripts of a container. */
function ownedPathOf(
  segments: readonly string[],
  common: Signing & { readonly segments: readonly string[] },
): ResourcePath | undefined {
  const isFeed = segments.length % 2 === 1;
  const place = ownedPlaceOf(isFeed ? segments : segments.slice(0, -1));
  if (place === undefined) return undefined;
  if (isFeed) return { kind: "resources", ...common, ...place };
  return { kind: "resource", ...common, ...place, id: segments.at(-1)! };
}

function ownedPlaceOf(feed: readonly string[]): OwnedPlace | undefined {
  const [, database = "", , owner = ""] = feed;
  switch (feed.at(-1)) {
    case "users":
      return { resource: "user", database };
    case "clientencryptionkeys":
      return { resource: "clientEncryptionKey", database };
    case "permissions":
      return { resource: "permission", database, user: owner };
    case "sprocs":
      return { resource: "storedProcedure", database, container: owner };
    case "triggers":
      return { resource: "trigger", database, container: owner };
    case "udfs":
      return { resource: "userDefinedFunction", database, container: owner };
    default:
      return undefined;
  }
}

/** Signed as the feed whose physical partitions are looked for. */
function addressesOf(rawUrl: string): ResourcePath {
  const query = new URLSearchParams(rawUrl.slice(rawUrl.indexOf("?") + 1));
  const resolved = linkSegments(query.get("$resolveFor") ?? "") ?? [];
  const common = { segments: ["addresses"], ...signingOf(resolved) };
  const [, database, inside, container] = resolved;
  if (database === undefined || container === undefined || inside !== "colls") {
    return { kind: "addresses", ...common };
  }
  const listed = query.get("$partitionKeyRangeIds") ?? "";
  const rangeIds = listed === "" ? undefined : listed.split(",");
  return { kind: "rangeAddresses", ...common, database, container, rangeIds };
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
  // Their rids are told from names by nothing: three and twelve bytes need no padding.
  if (!isFeed && (resourceType === "offers" || resourceType === "clientencryptionkeys")) {
    return { resourceType, resourceLinks: [link, id.toLowerCase()] };
  }
  return { resourceType, resourceLinks: linksOf(link, id) };
}

/** Clients that address by rid sign the bare rid, in lower case. */
function linksOf(link: string, id: string): readonly string[] {
  // All other rids are base64 texts with padding; few names end like one.
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
