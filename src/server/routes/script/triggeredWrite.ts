/** A write whose headers name triggers that are to run with it. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { WriteRequest } from "../../../engine/partition/itemRouting.ts";
import type { TriggeredAnswer } from "../../../engine/script/scripting.ts";
import type { Trigger } from "../../../engine/script/trigger.ts";
import { property } from "../../../json/value.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { badRequest } from "../../../model/refusal.ts";
import { parseCaller } from "../../../protocol/request/callerHeaders.ts";
import { parseConsistency } from "../../../protocol/request/consistency.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireHeaders } from "../../../protocol/wire/wire.ts";
import { headerOf, isTrue } from "../../../protocol/wire/wire.ts";
import type { GatewayRequest } from "../gateway.ts";
import { surroundingsOf } from "./scriptSurroundings.ts";

const BEFORE = HEADER.preTrigger;
const AFTER = HEADER.postTrigger;

export function namesTriggers(headers: WireHeaders): boolean {
  return isNamed(headers, BEFORE) || isNamed(headers, AFTER);
}

export async function writeWithTriggers(
  account: Account,
  container: Container,
  { headers, isGone }: Pick<GatewayRequest, "headers" | "isGone">,
  request: WriteRequest,
): Promise<Result<TriggeredAnswer, Refusal>> {
  const before = triggerNamed(account, container, headers, BEFORE);
  if (!before.ok) return before;
  const after = triggerNamed(account, container, headers, AFTER);
  if (!after.ok) return after;
  const caller = parseCaller(headers);
  if (!caller.ok) return caller;
  const consistency = parseConsistency(headers, account.consistency);
  if (!consistency.ok) return consistency;
  return account.writeWithTriggers(container, {
    request,
    before: before.value,
    after: after.value,
    caller: caller.value,
    consistency: consistency.value,
    isLogging: isTrue(headers, HEADER.scriptLogging),
    surroundings: surroundingsOf(account, container, headers),
    isGone,
  });
}

function isNamed(headers: WireHeaders, name: string): boolean {
  const text = headerOf(headers, name);
  return text !== undefined && text !== "";
}

function triggerNamed(
  account: Account,
  container: Container,
  headers: WireHeaders,
  header: string,
): Result<Trigger | undefined, Refusal> {
  const names = (headerOf(headers, header) ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const [name] = names;
  if (name === undefined) return ok(undefined);
  if (names.length > 1) {
    return no(badRequest("At most one pre-trigger and one post-trigger can run with a write."));
  }
  const found = account.catalog.resources.get(container.rid, "trigger", name);
  if (found === undefined) {
    return no(badRequest(`The container has no trigger '${name}', which the request names.`));
  }
  const { id, content } = found.record;
  const text = (member: string): string => String(property(content, member) ?? "");
  return ok({
    name: id,
    body: text("body"),
    type: text("triggerType"),
    operation: text("triggerOperation"),
  });
}
