/**
 * What each kind of credential may do. One table says it for every kind of path, so that a new
 * kind does not compile before somebody has decided who may do what there.
 *
 * - A read-write account key may do anything.
 * - A read-only account key may read anything but permissions, whose answers carry tokens.
 * - A bearer token of an identity provider is about data: it reads what clients need to know of
 *   databases and containers, and reads and writes items, unless its role only reads.
 * - A resource token allows what one permission does: something of one container, for reading or
 *   for all, and perhaps under one partition key only.
 *
 * Invariants
 * - What is not in the table is refused.
 * - A refusal says what would be needed, and never whether there is anything at the path.
 *
 * Not here: whether a credential is genuine (`credentials.ts`), and where a path leads in the
 * account: the caller states that as a `PathStanding`.
 */
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { parseKeyHeader, sameKey } from "../../partition/partitionKeyOf.ts";
import { isQuestion, purposeOf } from "../request/purpose.ts";
import type { OwnedPlace, ResourcePath } from "../request/resourcePath.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf, isTrue } from "../wire/wire.ts";

/** What a genuine credential stands for. */
export type Grant =
  | { readonly kind: "accountKey"; readonly isReadOnly: boolean }
  | { readonly kind: "bearer"; readonly isReadOnly: boolean }
  | { readonly kind: "resourceToken"; readonly permission: Permission };

export interface Permission {
  readonly etag: string;
  readonly mode: "none" | "read" | "all";
  /**
   * A text that stands for what the permission is about: it differs once the link leads elsewhere.
   */
  readonly target: string;
  readonly containerRid: string;
  /** One item or script of the container; absent when it is about all of it. */
  readonly child: PermittedChild | undefined;
  /**
   * The key, or prefix of hierarchical keys, that it is confined to; absent when it holds for all.
   */
  readonly key: PartitionKey | undefined;
}

export interface PermittedChild {
  readonly kind: "item" | "script";
  /** An item's id or rid, a script's rid. */
  readonly name: string;
}

export interface AskedFor {
  readonly method: string;
  readonly path: ResourcePath;
  readonly headers: WireHeaders;
}

/** How the path of a request relates to what a permission is about. */
export interface PathStanding {
  readonly isSameContainer: boolean;
  /** About the very item or script that the permission is about. */
  readonly isSameChild: boolean;
}

type Act = "read" | "write" | "execute";

/** What a resource token has to be about. */
type Reach =
  /** Anything at all. */
  | "anything"
  /** The container, or something in it: clients have to know what they deal with. */
  | "member"
  /** The container or the item itself; under a key, if the permission has one. */
  | "underKey"
  /** All of the container, or the script itself. */
  | "whole";

interface Rule {
  /** Whether a POST to such a path may be a question. */
  readonly isFeed: boolean;
  readonly readOnlyKey: readonly Act[];
  readonly bearer: readonly Act[];
  readonly bearerReader: readonly Act[];
  /** No resource token allows an act that is not named here. */
  readonly token: Readonly<Partial<Record<Act, Reach>>>;
}

const NOTHING: readonly Act[] = [];
const READ: readonly Act[] = ["read"];
const READ_WRITE: readonly Act[] = ["read", "write"];

/** The rule for what clients may know with any credential that is about the whole account. */
const KNOWN: Rule = {
  isFeed: false,
  readOnlyKey: READ,
  bearer: READ,
  bearerReader: READ,
  token: {},
};
const KNOWN_FEED: Rule = { ...KNOWN, isFeed: true };
const KNOWN_OF_CONTAINER: Rule = { ...KNOWN, token: { read: "member" } };
const OF_ITEMS: Rule = {
  isFeed: false,
  readOnlyKey: READ,
  bearer: READ_WRITE,
  bearerReader: READ,
  token: { read: "underKey", write: "underKey" },
};
/** The rule for what only account keys may do. */
const MANAGED: Rule = {
  isFeed: false,
  readOnlyKey: READ,
  bearer: NOTHING,
  bearerReader: NOTHING,
  token: {},
};
/** The rule for what belongs to a container, but to no logical partition of it. */
const OF_SCRIPTS: Rule = { ...MANAGED, token: { read: "whole", write: "whole" } };
const OF_CONFLICTS: Rule = { ...OF_SCRIPTS, bearer: READ_WRITE };

type PlainKind = Exclude<ResourcePath["kind"], "resource" | "resources">;

const RULES: Readonly<Record<PlainKind, Rule>> = {
  account: { ...KNOWN, token: { read: "anything" } },
  addresses: { ...KNOWN, token: { read: "anything" } },
  rangeAddresses: KNOWN_OF_CONTAINER,
  databases: KNOWN_FEED,
  database: KNOWN,
  containers: KNOWN_FEED,
  container: KNOWN_OF_CONTAINER,
  ranges: KNOWN_OF_CONTAINER,
  items: { ...OF_ITEMS, isFeed: true },
  item: OF_ITEMS,
  partitionKeyDelete: {
    isFeed: false,
    readOnlyKey: NOTHING,
    bearer: ["write"],
    bearerReader: NOTHING,
    token: { write: "underKey" },
  },
  conflicts: { ...OF_CONFLICTS, isFeed: true },
  conflict: OF_CONFLICTS,
  offers: { ...MANAGED, isFeed: true },
  offer: MANAGED,
  other: MANAGED,
};

/** The rules for users, permissions, keys and scripts; a feed has the rule of its members. */
const RESOURCE_RULES: Readonly<Record<OwnedPlace["resource"], Rule>> = {
  user: MANAGED,
  permission: { ...MANAGED, readOnlyKey: NOTHING },
  clientEncryptionKey: KNOWN,
  storedProcedure: {
    ...OF_SCRIPTS,
    bearer: ["execute"],
    token: { ...OF_SCRIPTS.token, execute: "underKey" },
  },
  trigger: OF_SCRIPTS,
  userDefinedFunction: OF_SCRIPTS,
};

function ruleOf(path: ResourcePath): Rule {
  if (path.kind === "resource") return RESOURCE_RULES[path.resource];
  if (path.kind === "resources") return { ...RESOURCE_RULES[path.resource], isFeed: true };
  return RULES[path.kind];
}

/** `undefined` when the credential allows the request. The standing matters to tokens only. */
export function refusalFor(
  grant: Grant,
  asked: AskedFor,
  standing: PathStanding,
): Refusal | undefined {
  if (grant.kind === "accountKey" && !grant.isReadOnly) return undefined;
  const rule = ruleOf(asked.path);
  const act = actOf(asked, rule);
  switch (grant.kind) {
    case "accountKey":
      return rule.readOnlyKey.includes(act) ? undefined : refusalForReadOnlyKey(asked);
    case "bearer":
      return refusalForBearer(grant.isReadOnly, rule, act);
    case "resourceToken":
      return refusalForToken(grant.permission, { asked, reach: rule.token[act], act }, standing);
  }
}

/** Headers say what a POST to a feed is about; to anything else they could say what they like. */
function actOf({ method, path, headers }: AskedFor, { isFeed }: Rule): Act {
  if (method === "GET" || method === "HEAD") return "read";
  if (method !== "POST") return "write";
  if (path.kind === "resource" && path.resource === "storedProcedure") return "execute";
  return isFeed && isQuestion(purposeOf(headers)) ? "read" : "write";
}

function refusalForReadOnlyKey({ path }: AskedFor): Refusal {
  const isPermission = "resource" in path && path.resource === "permission";
  return forbidden(
    isPermission
      ? "The read-only key does not allow this operation: permissions carry tokens. Use a " +
          "read-write account key."
      : "The read-only key does not allow this operation. Use a read-write account key.",
  );
}

function refusalForBearer(isReadOnly: boolean, rule: Rule, act: Act): Refusal | undefined {
  const allowed = isReadOnly ? rule.bearerReader : rule.bearer;
  if (allowed.includes(act)) return undefined;
  if (rule.bearer.includes(act)) {
    return forbidden("The role in the bearer token only reads. This needs one that writes data.");
  }
  const message =
    "A bearer token is about data: items, queries, feeds and running procedures. Databases, " +
    "containers, throughput, scripts, users and permissions are managed with an account key.";
  return { kind: "bearerBeyondData", message };
}

function refusalForToken(
  permission: Permission,
  { asked, reach, act }: { asked: AskedFor; reach: Reach | undefined; act: Act },
  { isSameContainer, isSameChild }: PathStanding,
): Refusal | undefined {
  if (permission.mode === "none") return insufficient("its permission allows nothing");
  if (reach === "anything") return undefined;
  if (reach === undefined) return insufficient("this needs an account key");
  if (!isSameContainer) return insufficient("its permission is about something else");
  if (reach === "member") return statisticsRefusal(permission, asked);
  if (act !== "read" && permission.mode !== "all") {
    return insufficient("its permission is for reading; this needs one of mode All");
  }
  if (permission.child !== undefined) {
    if (!isSameChild) return insufficient("its permission is about a part of the container only");
    if (act === "execute")
      return insufficient("running a procedure needs mode All on its container");
    // What a trigger changes besides, nobody knows before it has run.
    if (TRIGGERS.some((name) => (headerOf(asked.headers, name) ?? "") !== ""))
      return insufficient("a write with triggers needs a permission on the container");
  }
  if (permission.key === undefined) return undefined;
  if (reach === "underKey") return keyRefusal(permission.key, asked);
  return permission.child === undefined
    ? insufficient("its permission is about one partition key, and this is about all of them")
    : undefined;
}

/** Statistics name the largest keys, which the holder of a token for a part is not to learn. */
function statisticsRefusal({ child, key }: Permission, { headers }: AskedFor): Refusal | undefined {
  const isAboutAll = child === undefined && key === undefined;
  if (isAboutAll || !isTrue(headers, HEADER.populateStatistics)) {
    return undefined;
  }
  return insufficient("statistics name partition keys, and its permission is not about all");
}

/**
 * Whether a request keeps to a key. It is answered for the key in its header and for no other,
 * unless it is one of those with which another header, or each operation in it, has the last word.
 */
function keyRefusal(permitted: PartitionKey, { path, headers }: AskedFor): Refusal | undefined {
  if (path.kind === "items") {
    const purpose = purposeOf(headers);
    // Of a plan nobody learns anything about items.
    if (purpose === "queryPlan") return undefined;
    if (purpose === "batch" && !isTrue(headers, HEADER.isBatchAtomic)) {
      return insufficient(
        "its permission is about one partition key, and bulk operations have keys of their own; " +
          "send them one by one, or as a transactional batch",
      );
    }
    const hasBounds = [HEADER.startEpk, HEADER.endEpk].some((name) => name in headers);
    if (hasBounds) {
      return insufficient("its permission is about one partition key, not about a range of them");
    }
  }
  const sent = parseKeyHeader(headerOf(headers, HEADER.partitionKey) ?? "");
  if (sent.ok && isWithin(permitted, sent.value)) return undefined;
  return insufficient(
    `its permission is about one partition key, which the header ${HEADER.partitionKey} has ` +
      "to name",
  );
}

/** An empty key is a key of its own, that of items without any; not a prefix of all others. */
function isWithin(permitted: PartitionKey, sent: PartitionKey): boolean {
  if (permitted.length === 0) return sent.length === 0;
  return sameKey(permitted, sent.slice(0, permitted.length));
}

const TRIGGERS: readonly string[] = [HEADER.preTrigger, HEADER.postTrigger];

const forbidden = (message: string): Refusal => ({ kind: "forbidden", message });

function insufficient(reason: string): Refusal {
  return forbidden(`The resource token does not allow this operation: ${reason}.`);
}
