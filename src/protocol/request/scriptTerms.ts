/** What requests say of the scripts that run with them: triggers, and stored procedures. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { HEADER, SERVICE_HEADER_START } from "../wire/headerNames.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf, isTrue } from "../wire/wire.ts";

export interface ScriptTerms {
  /** Does the client want to see what the script writes to its console? */
  readonly isLogging: boolean;
  /** What a script can learn of its request: headers of the service's own kind, by name. */
  readonly requestValues: Readonly<Record<string, string>>;
}

/** The triggers that are to run with a write, by name. */
export interface AskedTriggers extends ScriptTerms {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function scriptTermsOf(headers: WireHeaders): ScriptTerms {
  return {
    isLogging: isTrue(headers, HEADER.scriptLogging),
    requestValues: requestValuesOf(headers),
  };
}

export function namesTriggers(headers: WireHeaders): boolean {
  return isNamed(headers, HEADER.preTrigger) || isNamed(headers, HEADER.postTrigger);
}

/** `undefined` when the request names no trigger, as nearly all do. */
export function parseTriggers(headers: WireHeaders): Result<AskedTriggers | undefined, Refusal> {
  if (!namesTriggers(headers)) return NO_TRIGGERS;
  const before = namesIn(headers, HEADER.preTrigger);
  const after = namesIn(headers, HEADER.postTrigger);
  if (before.length > 1 || after.length > 1) {
    return no(badRequest("At most one pre-trigger and one post-trigger can run with a write."));
  }
  return ok({ before: before[0], after: after[0], ...scriptTermsOf(headers) });
}

const NO_TRIGGERS: Result<undefined, Refusal> = ok(undefined);

function isNamed(headers: WireHeaders, name: string): boolean {
  const text = headerOf(headers, name);
  return text !== undefined && text !== "";
}

function namesIn(headers: WireHeaders, header: string): readonly string[] {
  const names = (headerOf(headers, header) ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

/** The headers that scripts may see. Nothing by which a client proves who it is is among them. */
function requestValuesOf(headers: WireHeaders): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const isShown = name.startsWith(SERVICE_HEADER_START) && !name.includes("authorization");
    if (isShown && typeof value === "string") values[name] = value;
  }
  return values;
}
