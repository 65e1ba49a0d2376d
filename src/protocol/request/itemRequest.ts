/**
 * Requests about one item, decoded: `…/docs/{id}`, and what writes a new one with `POST …/docs`.
 *
 * A refusal in `asked` is about the request alone. It is told after the container was found, and
 * before anything else is looked up for the request.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Caller } from "../../model/caller.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { ReadTerms } from "../../model/request/readTerms.ts";
import type { WriteRequest, WriteTerms } from "../../model/request/writeRequest.ts";
import { mayBeToken } from "../wire/authorizationHeader.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { SentSession } from "../wire/sessionToken.ts";
import { sentSession } from "../wire/sessionToken.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf, isTrue } from "../wire/wire.ts";
import { parseCaller } from "./caller.ts";
import { parseConsistency } from "./consistency.ts";
import { directiveOf } from "./indexingDirective.ts";
import { intendedRidOf, parseKey } from "./requestHeaders.ts";
import type { ContainerPlace } from "./resourcePath.ts";
import type { AskedTriggers } from "./scriptTerms.ts";
import { parseTriggers } from "./scriptTerms.ts";
import type { SentKey } from "./sentKey.ts";
import { lacksKeyByAge } from "./sentKey.ts";
import type { AccountTerms, RequestHead, SentRequest } from "./sentRequest.ts";
import { verbRefusal } from "./sentRequest.ts";

export interface ItemRequest extends RequestHead {
  readonly kind: "item";
  /** The `id` may be the rid of an item as well. */
  readonly path: ContainerPlace & { readonly id: string };
  readonly intendedRid: string | undefined;
  readonly asked: Result<AskedRead | AskedWrite, Refusal>;
}

export interface AskedRead extends SentKey {
  readonly kind: "read";
  readonly terms: ReadTerms;
  readonly session: SentSession;
  readonly shown: ShownItem;
  /** There is no cache in front of this server, and the client wants to go past it. */
  readonly isPastCache: boolean;
}

export interface AskedWrite {
  readonly kind: "write";
  /** Its `id` is the last part of the path, and its `key` is what was sent. */
  readonly write: WriteRequest;
  /** The sender names no key because it is from before there were any. */
  readonly isOfOldProgram: boolean;
  readonly caller: Caller;
  readonly consistency: Consistency;
  readonly shown: ShownItem;
  readonly triggers: AskedTriggers | undefined;
}

/** What a client wants to see of the item in the answer. */
export interface ShownItem {
  /** The client does not want to get back what it has written itself. */
  readonly isMinimal: boolean;
  /** Without the links that clients make up for themselves. */
  readonly isWithoutLinks: boolean;
}

export function decodeItemRequest(
  { method, headers, body }: SentRequest,
  path: ItemRequest["path"],
  account: AccountTerms,
): ItemRequest {
  return {
    kind: "item",
    verb: method,
    path,
    body,
    intendedRid: intendedRidOf(headers),
    asked: askedOf(method, path.id, headers, body, account),
  };
}

function askedOf(
  method: string,
  id: string,
  headers: WireHeaders,
  body: Buffer,
  account: AccountTerms,
): ItemRequest["asked"] {
  const consistency = parseConsistency(headers, account.consistency);
  if (!consistency.ok) return consistency;
  const sent = parseKey(headers);
  if (!sent.ok) return sent;
  const key = sent.value;
  if (method === "GET") return decodeRead(headers, key, consistency.value);
  const terms = writeTermsOf(headers);
  if (!terms.ok) return terms;
  const write = writeOf(method, { id, key, ...terms.value }, headers, body);
  if (write === undefined) return no(verbRefusal(method, "item"));
  return decodeWrite(headers, write, lacksKeyByAge(headers, key), consistency.value);
}

/** This runs for every point read, so it makes as few objects as it can. */
function decodeRead(
  headers: WireHeaders,
  key: PartitionKey | undefined,
  consistency: Consistency,
): Result<AskedRead, Refusal> {
  const caller = parseCaller(headers);
  if (!caller.ok) return caller;
  const ifNoneMatch = headerOf(headers, "if-none-match");
  return ok({
    kind: "read",
    key,
    isOfOldProgram: lacksKeyByAge(headers, key),
    terms: { ifNoneMatch, caller: caller.value, consistency },
    session: sentSession(headers),
    shown: isTrue(headers, HEADER.excludeSystemProperties) ? WITHOUT_LINKS : WHOLE,
    isPastCache: isTrue(headers, HEADER.bypassCache),
  });
}

function writeOf(
  method: string,
  common: WriteTerms & Pick<WriteRequest & { readonly id: string }, "id" | "key">,
  headers: WireHeaders,
  body: Buffer,
): WriteRequest | undefined {
  switch (method) {
    case "PUT": {
      // A token may be about this one item, and no other.
      const isNameFixed = mayBeToken(headerOf(headers, "authorization"));
      return { kind: "replace", body, isNameFixed, ...common };
    }
    case "PATCH":
      return { kind: "patch", body, ...common };
    case "DELETE":
      return { kind: "delete", ...common };
    default:
      return undefined;
  }
}

/**
 * Decodes what all writes have. A new item is written under the path of all items, others under
 * their own.
 */
export function decodeWrite(
  headers: WireHeaders,
  write: WriteRequest,
  isOfOldProgram: boolean,
  consistency: Consistency,
): Result<AskedWrite, Refusal> {
  const triggers = parseTriggers(headers);
  if (!triggers.ok) return triggers;
  const caller = parseCaller(headers);
  if (!caller.ok) return caller;
  return ok({
    kind: "write",
    write,
    isOfOldProgram,
    caller: caller.value,
    consistency,
    shown: shownOf(headers),
    triggers: triggers.value,
  });
}

export function writeTermsOf(headers: WireHeaders): Result<WriteTerms, Refusal> {
  const directive = directiveOf(headers);
  if (!directive.ok) return directive;
  return ok({
    ifMatch: headerOf(headers, "if-match"),
    ifNoneMatch: headerOf(headers, "if-none-match"),
    indexing: directive.value,
  });
}

export function isReturnMinimal(headers: WireHeaders): boolean {
  return headerOf(headers, "prefer")?.toLowerCase().includes("return=minimal") ?? false;
}

const WHOLE: ShownItem = { isMinimal: false, isWithoutLinks: false };
const WITHOUT_LINKS: ShownItem = { isMinimal: false, isWithoutLinks: true };

function shownOf(headers: WireHeaders): ShownItem {
  const shown = isTrue(headers, HEADER.excludeSystemProperties) ? WITHOUT_LINKS : WHOLE;
  return isReturnMinimal(headers) ? { ...shown, isMinimal: true } : shown;
}
