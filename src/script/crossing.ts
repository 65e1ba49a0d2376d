/**
 * Texts that cross the border of the sandbox during a run, and their parsing.
 *
 * Always: a parsed text is a value of the stated type or undefined, however the script has tampered
 * with the code that made the text. The depth of a text is checked before it is parsed.
 */
import { depthExceeds } from "../json/depth.ts";
import type { JsonValue } from "../json/value.ts";
import type { RealmTrouble } from "./sandbox.ts";
import type { ScriptOperation, ScriptReply } from "./scriptRunner.ts";

/** Options and parameters nest no deeper than items; a list and an operation are around them. */
const DEPTH_MAX = 256;

type Members = Readonly<Record<string, unknown>>;

export function parseOperations(text: unknown): readonly ScriptOperation[] | undefined {
  const list = parsed(text);
  return Array.isArray(list) && list.every(isOperation) ? list : undefined;
}

/** Returns the text of a reply; the text of an item is put into it unchanged. */
export function replyText(reply: ScriptReply): string {
  if (reply.kind === "refused" || reply.resource === undefined) return JSON.stringify(reply);
  const { resource, ...facts } = reply;
  return `{"resource":${resource},${JSON.stringify(facts).slice(1)}`;
}

/** Parses what the script threw: its message, and the error number that the script gave it. */
export function parseFailure(text: unknown): RealmTrouble | undefined {
  return failureOf(parsed(text));
}

export function failureOf(told: unknown): RealmTrouble | undefined {
  if (!isMembers(told)) return undefined;
  const { message, number } = told;
  if (typeof message !== "string") return undefined;
  return { kind: "threw", message, number: isErrorNumber(number) ? number : undefined };
}

/** True for an error number that clients can read from a header as a 32-bit integer. */
function isErrorNumber(number: unknown): number is number {
  return typeof number === "number" && Number.isInteger(number) && number >= 0 && number < 2 ** 31;
}

interface Bodies {
  readonly responseBody: string | undefined;
  readonly requestBody: string | undefined;
}

export function parseBodies(text: unknown): Bodies | undefined {
  const bodies = parsed(text);
  if (!isMembers(bodies)) return undefined;
  const { responseBody, requestBody } = bodies;
  return isTextOrAbsent(responseBody) && isTextOrAbsent(requestBody)
    ? { responseBody, requestBody }
    : undefined;
}

export function parseLog(text: unknown): string {
  const log = parsed(text);
  return typeof log === "string" ? log : "";
}

function isOperation(value: unknown): value is ScriptOperation {
  if (!isMembers(value)) return false;
  if (typeof value["link"] !== "string" || !isMembers(value["options"])) return false;
  switch (value["kind"]) {
    case "create":
    case "upsert":
    case "replace":
    case "patch":
      return typeof value["resource"] === "string";
    case "keepPlace":
    case "findPlace":
      return typeof value["resource"] === "string" && typeof value["about"] === "string";
    case "read":
    case "delete":
    case "readFeed":
      return true;
    case "query":
      return (
        typeof value["text"] === "string" &&
        Array.isArray(value["parameters"]) &&
        value["parameters"].every((entry) => isMembers(entry) && typeof entry["name"] === "string")
      );
    default:
      return false;
  }
}

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: unknown): JsonValue | undefined {
  if (typeof text !== "string" || depthExceeds(Buffer.from(text), DEPTH_MAX)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
