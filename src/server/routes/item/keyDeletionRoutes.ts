/** `POST …/operations/partitionkeydelete`: all items of one logical partition go. */
import type { Account } from "../../../engine/account.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { PartitionKey } from "../../../model/partitionKey.ts";
import { metadataAnswer } from "../../../protocol/answer/answers.ts";
import type { KeyDeletionRequest } from "../../../protocol/request/metadataRequest.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { chargeOf } from "../../../throughput/charge.ts";
import { refuse, refuseVerb } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import type { Intent } from "../session.ts";
import { staleProblem } from "../session.ts";
import { oldKeyProblem } from "./formerTerms.ts";

export async function answerKeyDeletion(
  account: Account,
  context: RequestContext,
  request: KeyDeletionRequest,
): Promise<WireAnswer> {
  const { verb, path, key } = request;
  if (verb !== "POST") return refuseVerb(context, request);
  const container = account.catalog.container(path.database, path.container);
  if (container === undefined) return refuse(context, { kind: "ownerNotFound" });
  const stale = staleProblem(request, container);
  if (stale !== undefined) return refuse(context, stale);
  if (!key.ok) return refuse(context, key.error);
  return deleteIn(account, context, container, { key: key.value, intent: request });
}

async function deleteIn(
  account: Account,
  context: RequestContext,
  container: Container,
  { key, intent }: { readonly key: PartitionKey | undefined; readonly intent: Intent },
): Promise<WireAnswer> {
  const former = await oldKeyProblem(context, container, key, intent);
  if (former !== undefined) return refuse(context, former);
  const routed = account.route(container, key);
  if (!routed.ok) return refuse(context, routed.error);
  // If it is refused, what is gone is gone; whoever asks again deletes the rest.
  const deleted = await account.deleteKey(container, routed.value);
  if (!deleted.ok) {
    const movedTo = container.movedToBy(deleted.error);
    return movedTo === undefined
      ? refuse(context, deleted.error)
      : deleteIn(account, context, movedTo, { key, intent });
  }
  const charge = chargeOf({ kind: "metadata" });
  return metadataAnswer(200, context.activityId, charge, { owner: container });
}
