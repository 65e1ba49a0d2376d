/**
 * Operations and resource types by their numbers, and what a request with them would be over HTTP.
 */
import type { PostPurpose } from "../request/purpose.ts";
import type { TokenForm } from "./frame.ts";
import { REQUEST_TOKEN } from "./requestTokens.ts";

export interface DirectOperation {
  readonly code: number;
  readonly verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  /** Goes to the feed of such resources, and not to one of them. */
  readonly isOfFeed: boolean;
  /** The request asks for a page or a resource, and so depends on what its sender has. */
  readonly isRead: boolean;
}

type OperationName =
  | PostPurpose
  | "patch"
  | "read"
  | "readFeed"
  | "delete"
  | "replace"
  | "execute"
  | "sqlQuery"
  | "head"
  | "headFeed";

function of(
  code: number,
  verb: DirectOperation["verb"],
  isOfFeed = false,
  isRead = false,
): DirectOperation {
  return { code, verb, isOfFeed, isRead };
}

export const OPERATION: Readonly<Record<OperationName, DirectOperation>> = {
  create: of(0x01, "POST", true),
  patch: of(0x02, "PATCH"),
  read: of(0x03, "GET", false, true),
  readFeed: of(0x04, "GET", true, true),
  delete: of(0x05, "DELETE"),
  replace: of(0x06, "PUT"),
  execute: of(0x08, "POST"),
  sqlQuery: of(0x09, "POST", true),
  query: of(0x0f, "POST", true),
  head: of(0x11, "HEAD", false, true),
  headFeed: of(0x12, "HEAD", true, true),
  upsert: of(0x13, "POST", true),
  batch: of(0x25, "POST", true),
  queryPlan: of(0x42, "POST", true),
};

const OPERATION_NAMES: ReadonlyMap<number, OperationName> = new Map(
  Object.entries(OPERATION).map(([name, { code }]) => [code, name as OperationName]),
);

export function operationOf(code: number): OperationName | undefined {
  return OPERATION_NAMES.get(code);
}

/** A type of resources, and where in a path it stands. */
export interface ResourceType {
  readonly code: number;
  readonly word: string;
  readonly name: TokenForm;
  /** The type that owns it; absent for databases. */
  readonly owner?: ResourceType;
}

const DATABASES: ResourceType = { code: 0x01, word: "dbs", name: REQUEST_TOKEN.databaseName };
const CONTAINERS: ResourceType = {
  code: 0x02,
  word: "colls",
  name: REQUEST_TOKEN.containerName,
  owner: DATABASES,
};
const USERS: ResourceType = {
  code: 0x05,
  word: "users",
  name: REQUEST_TOKEN.userName,
  owner: DATABASES,
};

function inContainer(code: number, word: string, name: TokenForm): ResourceType {
  return { code, word, name, owner: CONTAINERS };
}

const RESOURCE_TYPES: readonly ResourceType[] = [
  DATABASES,
  CONTAINERS,
  USERS,
  { code: 0x06, word: "permissions", name: REQUEST_TOKEN.permissionName, owner: USERS },
  inContainer(0x03, "docs", REQUEST_TOKEN.documentName),
  inContainer(0x07, "sprocs", REQUEST_TOKEN.procedureName),
  inContainer(0x08, "conflicts", REQUEST_TOKEN.conflictName),
  inContainer(0x09, "triggers", REQUEST_TOKEN.triggerName),
  inContainer(0x0a, "udfs", REQUEST_TOKEN.functionName),
];

const BY_CODE: ReadonlyMap<number, ResourceType> = new Map(
  RESOURCE_TYPES.map((type) => [type.code, type]),
);
const BY_WORD: ReadonlyMap<string, ResourceType> = new Map(
  RESOURCE_TYPES.map((type) => [type.word, type]),
);

export function resourceTypeOf(code: number): ResourceType | undefined {
  return BY_CODE.get(code);
}

export function resourceTypeOfWord(word: string): ResourceType | undefined {
  return BY_WORD.get(word);
}

/** The types of a path, from the outermost on. */
export function chainOf(type: ResourceType): readonly ResourceType[] {
  return type.owner === undefined ? [type] : [...chainOf(type.owner), type];
}
