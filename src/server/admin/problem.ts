/** How the admin API says no: a status, and a body of code and message. */
import type { Refusal } from "../../model/refusal.ts";
import type { AdminError } from "../../protocol/admin.ts";
import { RETRY_LATER } from "../../protocol/answer/answers.ts";
import { refusalMessage, WIRE_STATUS } from "../../protocol/answer/refusal.ts";
import { withoutPaths } from "../../protocol/answer/withoutPaths.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";

export interface AdminProblem {
  readonly status: number;
  readonly error: AdminError;
  /** Names and values in turn. */
  readonly headers?: readonly string[] | undefined;
}

const CODES = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  500: "InternalServerError",
  503: "ServiceUnavailable",
} as const;

export function problem(
  status: keyof typeof CODES,
  message: string,
  headers?: readonly string[],
): AdminProblem {
  return { status, error: { code: CODES[status], message }, headers };
}

/** What the engine refused about a container. */
export function refusedBy(refusal: Refusal, database: string, container: string): AdminProblem {
  const { status, code } = WIRE_STATUS[refusal.kind];
  const isAbsent = refusal.kind === "notFound" || refusal.kind === "ownerNotFound";
  const message = isAbsent
    ? `There is no container '${container}' in a database '${database}'.`
    : refusalMessage(refusal);
  return { status, error: { code, message } };
}

/**
 * Whatever the admin API sends: never kept by anybody, never read by another site's page, never
 * taken for anything but what it is called.
 */
export function adminAnswer(
  status: number,
  contentType: string,
  body: string,
  headers: readonly string[] = [],
): WireAnswer {
  return {
    status,
    headers: [
      "content-type",
      contentType,
      "cache-control",
      "no-store",
      "x-content-type-options",
      "nosniff",
      "cross-origin-resource-policy",
      "same-origin",
      ...headers,
    ],
    body: Buffer.from(body),
  };
}

export function jsonAnswer(
  status: number,
  value: object,
  headers: readonly string[] = [],
): WireAnswer {
  return adminAnswer(status, "application/json", `${JSON.stringify(value)}\n`, headers);
}

/** What went wrong inside is told without the names of files: they are in the log. */
export function problemAnswer({ status, error, headers = [] }: AdminProblem): WireAnswer {
  if (status < 500) return jsonAnswer(status, error, headers);
  const told = { ...error, message: withoutPaths(error.message) };
  return jsonAnswer(status, told, status === 503 ? [...headers, ...RETRY_LATER] : headers);
}
