/**
 * A container of one logical partition in memory, for tests of scripts: the operations of a script
 * are applied to a list of items and recorded.
 */
import type { JsonObject, JsonValue } from "../json/value.ts";
import type {
  ScriptHost,
  ScriptOperation,
  ScriptOutcome,
  ScriptReply,
  ScriptRun,
  ScriptRunner,
} from "./scriptRunner.ts";

export const CONTAINER: { readonly selfLink: string; readonly altLink: string } = {
  selfLink: "dbs/AAAAAA==/colls/AAAAAAAAAAA=/",
  altLink: "dbs/shop/colls/orders",
};

export interface FakeHost extends ScriptHost {
  readonly items: JsonObject[];
  readonly performed: ScriptOperation[];
}

/**
 * From reply number `operationCountMax` on, counted from one, the host accepts no more operations.
 */
export function fakeHost(items: readonly JsonObject[] = [], operationCountMax = 1e9): FakeHost {
  const stored = [...items];
  const performed: ScriptOperation[] = [];
  const perform = (operation: ScriptOperation): Promise<ScriptReply> => {
    performed.push(operation);
    const isGoingOn = performed.length < operationCountMax;
    return Promise.resolve({ ...replyTo(stored, operation), isGoingOn } as ScriptReply);
  };
  return { items: stored, performed, perform };
}

type Reply =
  | { kind: "refused"; charge: 0 | 1; status: number; message: string }
  | {
      kind: "done";
      charge: 0 | 1;
      resource: string | undefined;
      continuation?: string;
      etag?: string;
    };

function replyTo(items: JsonObject[], operation: ScriptOperation): Reply {
  switch (operation.kind) {
    case "create":
    case "upsert":
      return written(items, operation);
    case "replace":
    case "patch":
    case "read":
    case "delete":
      return changed(items, operation);
    case "readFeed":
      return pageOf(items, operation.options);
    case "keepPlace": {
      const continuation = `${operation.about}@${operation.resource}`;
      return { kind: "done", charge: 0, resource: undefined, continuation };
    }
    case "findPlace":
      return placeOf(operation.about, JSON.parse(operation.resource) as string);
    case "query":
      if (operation.text.includes("BROKEN")) return refused(400, "a syntax error");
      return pageOf(queried(items, operation.parameters), operation.options);
  }
}

function written(items: JsonObject[], operation: ScriptOperation & { resource?: string }): Reply {
  const item = JSON.parse(operation.resource ?? "null") as JsonObject;
  const place = items.findIndex((each) => each["id"] === item["id"]);
  if (place >= 0 && operation.kind === "create") return refused(409, "the id is taken");
  if (place >= 0) items[place] = item;
  else items.push(item);
  return done(item);
}

function changed(items: JsonObject[], operation: ScriptOperation & { resource?: string }): Reply {
  const id = operation.link.split("/docs/")[1]?.replace(/\/$/, "");
  const place = items.findIndex((each) => each["id"] === id);
  const before = items[place];
  if (before === undefined) return refused(404, "there is no such item");
  if (operation.kind === "read") {
    const isKnown = operation.options["ifNoneMatch"] === "same";
    return { kind: "done", charge: 1, resource: isKnown ? undefined : JSON.stringify(before) };
  }
  if (operation.kind === "delete") {
    items.splice(place, 1);
    return { kind: "done", charge: 1, resource: undefined };
  }
  const given = JSON.parse(operation.resource ?? "null") as JsonObject;
  const after = operation.kind === "patch" ? { ...before, patched: given } : given;
  items[place] = after;
  return done(after);
}

/**
 * Returns a page. Its continuation names the last item of the page, as those of the engine name
 * places.
 */
function pageOf(items: readonly JsonObject[], options: JsonObject): Reply {
  const after = options["continuation"];
  const start = items.findIndex((item) => typeof after === "string" && String(item["id"]) > after);
  const rest = after === undefined ? items : start < 0 ? [] : items.slice(start);
  const page = rest.slice(0, Number(options["pageSize"]));
  const last = page.at(-1);
  const reply: Reply = { kind: "done", charge: 1, resource: JSON.stringify(page) };
  if (rest.length > page.length && last !== undefined) reply.continuation = String(last["id"]);
  return reply;
}

/**
 * Returns the place in a continuation, in which the place is kept unsigned behind what it is about.
 */
function placeOf(about: string, continuation: string): Reply {
  const [before, resource] = continuation.split("@", 2);
  if (before !== about) return { ...refused(400, "the continuation is not one of these steps") };
  return { kind: "done", charge: 0, resource };
}

/**
 * Answers a query in which every parameter is a property that must be equal; nothing else is
 * supported.
 */
function queried(
  items: readonly JsonObject[],
  parameters: readonly { readonly name: string; readonly value?: JsonValue }[],
): JsonObject[] {
  return items.filter((item) =>
    parameters.every(({ name, value }) => item[name.slice(1)] === value),
  );
}

function done(item: JsonObject): Reply {
  return { kind: "done", charge: 1, resource: JSON.stringify(item), etag: `"${item["id"]}"` };
}

function refused(status: number, message: string): Reply {
  return { kind: "refused", charge: 1, status, message };
}

let borrowerCount = 0;

/** Runs a script for a borrower that has no other script running. */
export async function runOn(
  runner: ScriptRunner,
  script: ScriptRun,
  host: ScriptHost,
): Promise<ScriptOutcome> {
  const borrower = { owner: `owner ${++borrowerCount}`, script: script.name };
  const outcome = await runner.lend(borrower, (run) => run(script, host));
  return outcome ?? { kind: "stopped", message: "nothing is lent any more", log: "", cpuMs: 0 };
}
