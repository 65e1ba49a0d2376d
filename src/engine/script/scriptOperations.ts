/**
 * The operations that a running script asks for, applied to its transaction. Every operation has an
 * answer: one that cannot be done gets a refusal, which is passed to the script's callback.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Clock, Random, Timer } from "../../base/world.ts";
import { setMember } from "../../json/member.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { INDEXING_DIRECTIVES } from "../../model/indexingDirective.ts";
import type { Limits } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest, TOO_LARGE_MESSAGE } from "../../model/refusal.ts";
import { parseQueryBody } from "../../model/request/queryText.ts";
import type { BatchRequest } from "../../model/request/writeRequest.ts";
import type {
  ScriptHost,
  ScriptOperation,
  ScriptOptions,
  ScriptReply,
} from "../../script/scriptRunner.ts";
import { parseBody } from "../item/itemBody.ts";
import type { Container } from "../partition/container.ts";
import { routeBatchOperation } from "../partition/itemRouting.ts";
import type { ScriptItem, ScriptTransaction } from "./scriptTransaction.ts";

/** Status and message of a refusal, as clients know them. */
export interface Worded {
  readonly status: number;
  readonly message: string;
}

interface OperationsSetting {
  readonly transaction: ScriptTransaction;
  readonly container: Container;
  readonly key: PartitionKey;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  /** Request units after which no more operations are accepted. */
  readonly ruMax: number | undefined;
  wordsOf(refusal: Refusal): Worded;
}

const TURN_MS = 4;

type Done = Omit<Extract<ScriptReply, { readonly kind: "done" }>, "kind" | "isGoingOn" | "charge">;

export function operationsOn(setting: OperationsSetting): ScriptHost {
  const { transaction, ruMax, wordsOf, clock, timer } = setting;
  let turnedAt = clock.now();
  let countedTo = 0;
  let sum = 0;
  const spent = (): number => {
    for (; countedTo < transaction.charges.length; countedTo++) {
      sum += transaction.charges[countedTo]!;
    }
    return sum;
  };
  return {
    async perform(operation) {
      // A script may ask for hundreds of operations at once, so other requests get a turn in
      // between.
      if (clock.now() - turnedAt > TURN_MS) {
        await timer.soon();
        turnedAt = clock.now();
      }
      const before = spent();
      const done = await perform(setting, operation);
      const after = spent();
      const isGoingOn = ruMax === undefined || after < ruMax;
      const charge = hundredths(after - before);
      return done.ok
        ? { kind: "done", ...done.value, charge, isGoingOn }
        : { kind: "refused", ...wordsOf(done.error), charge, isGoingOn };
    },
  };
}

/** Rounds to hundredths, because the difference of two sums of charges has rounding errors. */
const hundredths = (charge: number): number => Math.round(charge * 100) / 100;

async function perform(
  setting: OperationsSetting,
  operation: ScriptOperation,
): Promise<Result<Done, Refusal>> {
  const link = placeIn(setting.container, operation.link);
  if (link === undefined) return no(OTHER_CONTAINER);
  const isAboutItem = !ABOUT_CONTAINER.has(operation.kind);
  if (isAboutItem && link.item === undefined) {
    return no(badRequest(`The link '${operation.link}' does not name an item.`));
  }
  const id = link.item === undefined ? "" : await setting.transaction.idOf(link.item);
  switch (operation.kind) {
    case "query":
      return query(setting, operation, operation.text, operation.parameters);
    case "readFeed":
      return query(setting, operation, "SELECT * FROM c", []);
    case "keepPlace":
      return keepPlace(setting, operation);
    case "findPlace":
      return findPlace(setting, operation);
    case "read": {
      const read = await setting.transaction.read(id, textOf(operation.options, "ifNoneMatch"));
      return read.ok ? ok(doneWith(read.value)) : read;
    }
    case "delete":
      return write(setting, operation.options, { kind: "delete", id });
    case "create":
    case "upsert": {
      const resource = resourceOf(setting, operation);
      if (!resource.ok) return resource;
      return write(setting, operation.options, { kind: operation.kind, resource: resource.value });
    }
    case "replace":
    case "patch": {
      const resource = parse(setting, operation.resource);
      if (!resource.ok) return resource;
      const { kind, options } = operation;
      return write(setting, options, { kind, id, resource: resource.value });
    }
  }
}

const ABOUT_CONTAINER: ReadonlySet<ScriptOperation["kind"]> = new Set([
  "create",
  "upsert",
  "query",
  "readFeed",
  "keepPlace",
  "findPlace",
]);

type Place = ScriptOperation & { readonly kind: "keepPlace" | "findPlace" };

function keepPlace(setting: OperationsSetting, { about, resource }: Place): Result<Done, Refusal> {
  const place = parse(setting, resource);
  if (!place.ok) return place;
  if (!isObject(place.value)) return no(badRequest("A place must be an object."));
  const continuation = setting.transaction.placesOf(about).sign(place.value);
  return ok({ resource: undefined, continuation });
}

function findPlace(setting: OperationsSetting, { about, resource }: Place): Result<Done, Refusal> {
  const text = parse(setting, resource);
  if (!text.ok) return text;
  const cursor = setting.transaction.placesOf(about).read(String(text.value));
  return cursor.ok ? ok({ resource: JSON.stringify(cursor.value.fields) }) : cursor;
}

const OTHER_CONTAINER: Refusal = {
  kind: "forbidden",
  message: "A script can only work on items of the container that it was started in.",
};

async function write(
  { transaction, container, key, limits }: OperationsSetting,
  options: ScriptOptions,
  request: BatchRequest,
): Promise<Result<Done, Refusal>> {
  const ifMatch = textOf(options, "etag") ?? textOf(options, "ifMatch");
  const action = textOf(options, "indexAction") ?? "default";
  if (!INDEXING_DIRECTIVES.has(action)) return no(OTHER_ACTION);
  const terms = { ifMatch, indexing: INDEXING_DIRECTIVES.get(action) };
  const routed = routeBatchOperation(container, { ...request, ...terms, key }, limits);
  if (!routed.ok) return routed.error.kind === "keyMismatch" ? no(OTHER_KEY) : routed;
  const command = routed.value;
  if (command.kind === "read") return no(badRequest("A read is no write."));
  const written = await transaction.write(command);
  return written.ok ? ok(doneWith(written.value)) : written;
}

const OTHER_ACTION: Refusal = badRequest(
  "The option indexAction must be 'default', 'include' or 'exclude'.",
);

const OTHER_KEY: Refusal = badRequest(
  "Requests originating from scripts cannot reference partition keys other than the one for " +
    "which client request was submitted.",
);

async function query(
  { transaction }: OperationsSetting,
  { options }: ScriptOperation,
  text: string,
  parameters: readonly { readonly name: string; readonly value?: JsonValue }[],
): Promise<Result<Done, Refusal>> {
  const list = parameters.map(({ name, value }) =>
    value === undefined ? { name } : { name, value },
  );
  const body = parseQueryBody({ query: text, parameters: list });
  if (!body.ok) return body;
  const size = property(options, "pageSize");
  const isSize = typeof size === "number" && Number.isInteger(size) && size > 0;
  if (size !== undefined && size !== -1 && !isSize) {
    return no(badRequest("The option pageSize must be a whole number above zero, or -1."));
  }
  const answer = await transaction.query({
    ...body.value,
    continuation: textOf(options, "continuation"),
    countMax: isSize ? Math.min(size, PAGE_COUNT_MAX) : PAGE_COUNT,
  });
  if (!answer.ok) return answer;
  const { rows, continuation } = answer.value;
  return ok({ resource: `[${rows.map((row) => row.toString()).join(",")}]`, continuation });
}

/** Rows of a page when the script asks for no number, and the most it may ask for. */
const PAGE_COUNT = 100;
const PAGE_COUNT_MAX = 10_000;

/** Parses an item and gives it an id if it has none, unless the script has switched that off. */
function resourceOf(
  setting: OperationsSetting,
  { options, resource }: ScriptOperation & { readonly resource: string },
): Result<JsonValue, Refusal> {
  const parsed = parse(setting, resource);
  if (!parsed.ok || !isObject(parsed.value)) return parsed;
  const isLeftAlone = property(options, "disableAutomaticIdGeneration") === true;
  if (isLeftAlone || property(parsed.value, "id") !== undefined) return parsed;
  const object: Record<string, JsonValue> = { id: newId(setting.random) };
  for (const [name, value] of Object.entries(parsed.value)) setMember(object, name, value);
  return ok(object as JsonObject);
}

function newId(random: Random): string {
  const hex = Buffer.from(random.bytes(16)).toString("hex");
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join("-");
}

function parse({ limits }: OperationsSetting, text: string): Result<JsonValue, Refusal> {
  const bytes = Buffer.from(text);
  if (bytes.length > limits.requestBytesMax) {
    return no({ kind: "tooLarge", message: TOO_LARGE_MESSAGE });
  }
  return parseBody(bytes, limits, PATCH_DEPTH);
}

/**
 * Levels by which the values of a patch may nest deeper; an item that is too deep is refused later.
 */
const PATCH_DEPTH = 3;

function doneWith({ body, etag }: ScriptItem): Done {
  return { resource: body?.toString(), etag };
}

function textOf(options: ScriptOptions, name: string): string | undefined {
  const value = property(options, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Finds the container or item that a link names, by names or by rids, with or without slashes
 * around it. Returns `undefined` when the link leads out of this container.
 */
function placeIn(
  container: Container,
  link: string,
): { readonly item: string | undefined } | undefined {
  const segments = link.split("/").filter((segment) => segment !== "");
  const [dbs, database, colls, name, docs, ...rest] = segments;
  if (dbs !== "dbs" || colls !== "colls") return undefined;
  const isOurs =
    (database === container.databaseRid && name === container.rid) ||
    (isName(database, container.databaseId) && isName(name, container.definition.id));
  if (!isOurs || (docs !== undefined && docs !== "docs")) return undefined;
  if (rest.length === 0) return { item: undefined };
  return { item: rest.join("/") };
}

/** True when `text` is the name, either as it is or encoded as in a URL. */
function isName(text: string | undefined, name: string): boolean {
  if (text === undefined || text === name) return text === name;
  try {
    return decodeURIComponent(text) === name;
  } catch {
    return false;
  }
}
