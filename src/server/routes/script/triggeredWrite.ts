/** A write with the triggers that are to run before and after it. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { TriggeredAnswer } from "../../../engine/script/scripting.ts";
import type { Trigger } from "../../../engine/script/trigger.ts";
import { property } from "../../../json/value.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { badRequest } from "../../../model/refusal.ts";
import type { WriteRequest } from "../../../model/request/writeRequest.ts";
import type { AskedWrite } from "../../../protocol/request/itemRequest.ts";
import type { AskedTriggers } from "../../../protocol/request/scriptTerms.ts";
import { surroundingsOf } from "./scriptSurroundings.ts";

export interface TriggeredRequest extends Pick<AskedWrite, "caller" | "consistency"> {
  readonly request: WriteRequest;
  readonly triggers: AskedTriggers;
  /** Has the client closed its connection? */
  readonly isGone: () => boolean;
}

export async function writeWithTriggers(
  account: Account,
  container: Container,
  { request, triggers, caller, consistency, isGone }: TriggeredRequest,
  program: () => string,
): Promise<Result<TriggeredAnswer, Refusal>> {
  const before = triggerNamed(account, container, triggers.before);
  if (!before.ok) return before;
  const after = triggerNamed(account, container, triggers.after);
  if (!after.ok) return after;
  const write = {
    request,
    before: before.value,
    after: after.value,
    caller,
    consistency,
    isLogging: triggers.isLogging,
    surroundings: surroundingsOf(account, container, triggers),
    isGone,
  };
  return account.writeWithTriggers(container, write, program);
}

function triggerNamed(
  account: Account,
  container: Container,
  name: string | undefined,
): Result<Trigger | undefined, Refusal> {
  if (name === undefined) return ok(undefined);
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
