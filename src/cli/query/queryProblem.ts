/**
 * What a server said when it did not answer a query: its own words, and under the text of the query
 * where it found fault with it.
 */
import type { JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Answer } from "../connect/connection.ts";

export function problemText({ status, body }: Answer, query: string): string {
  const message = messageIn(body);
  const problems = problemsIn(message);
  if (problems.length === 0) return message === "" ? `The server said ${status}.` : message;
  return problems.map((problem) => problemLines(problem, query)).join("\n");
}

interface Problem {
  readonly message: string;
  readonly code: string | undefined;
  /** UTF-16 offsets into the query; the end is exclusive. */
  readonly location: { readonly start: number; readonly end: number } | undefined;
}

/** The message of an error body, without the id of the activity behind it. */
function messageIn(body: string): string {
  const error = parsed(body);
  const message = isObject(error) ? property(error, "message") : undefined;
  const text = typeof message === "string" ? message : body;
  return text
    .replace(/\r?\nActivityId: [\s\S]*$/, "")
    .replace(/^Message: /, "")
    .trim();
}

/** `{"errors":[{code, message, location}]}` or `{"Errors":["…"]}`; none in any other text. */
function problemsIn(message: string): readonly Problem[] {
  const parts = parsed(message);
  if (!isObject(parts)) return [];
  const list = property(parts, "errors") ?? property(parts, "Errors");
  return Array.isArray(list) ? (list as readonly JsonValue[]).map(problemOf) : [];
}

function problemOf(entry: JsonValue): Problem {
  if (!isObject(entry)) return { message: String(entry), code: undefined, location: undefined };
  const [code, message] = [property(entry, "code"), property(entry, "message")];
  return {
    message: typeof message === "string" ? message : JSON.stringify(entry),
    code: typeof code === "string" || typeof code === "number" ? String(code) : undefined,
    location: locationIn(property(entry, "location")),
  };
}

function locationIn(value: JsonValue | undefined): Problem["location"] {
  if (value === undefined || !isObject(value)) return undefined;
  const [start, end] = [property(value, "start"), property(value, "end")];
  return typeof start === "number" && typeof end === "number" ? { start, end } : undefined;
}

function problemLines({ message, code, location }: Problem, query: string): string {
  const said = code === undefined ? message : `${message} (${code})`;
  return location === undefined ? said : `${said}\n${pointedAt(query, location)}`;
}

/** The line of the query that it is about, and carets under the place. */
function pointedAt(
  query: string,
  { start, end }: { readonly start: number; readonly end: number },
): string {
  const at = Math.min(Math.max(0, start), query.length);
  const lineStart = query.lastIndexOf("\n", at - 1) + 1;
  const newline = query.indexOf("\n", at);
  const lineEnd = newline === -1 ? query.length : newline;
  const before = query.slice(lineStart, at).replace(/[^\t]/g, " ");
  const carets = "^".repeat(Math.max(1, Math.min(end, lineEnd) - at));
  return `  ${query.slice(lineStart, lineEnd).replace(/\r$/, "")}\n  ${before}${carets}`;
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
