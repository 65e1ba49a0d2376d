/**
 * Requests of clients that still go by the container which had the name before: by its key, its
 * ranges, and the continuations that it gave. They are understood while the old container is kept
 * up to date; see `engine/copy/formerTerms.ts`.
 *
 * An item is always read where it is now. A page of items is read in one of the two containers, so
 * that all pages of one question are about the same order of things.
 */
import type { Result } from "../../../base/result.ts";
import { ok } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import type { ItemOutcome } from "../../../engine/item/itemCommand.ts";
import type { Container, FormerKey } from "../../../engine/partition/container.ts";
import type { PartitionKey } from "../../../model/partitionKey.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { badRequest } from "../../../model/refusal.ts";
import type { AskedScope } from "../../../model/request/itemScope.ts";
import type { ReadTerms } from "../../../model/request/readTerms.ts";
import { sameKey } from "../../../partition/partitionKeyOf.ts";
import { rangeOfId } from "../../../partition/partitionMap.ts";
import type { SentSession } from "../../../protocol/wire/sessionToken.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { refuse } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import { sessionProblem } from "../session.ts";

/** A read of one item, by the key that was sent. */
interface SentRead {
  readonly key: PartitionKey | undefined;
  readonly id: string;
  readonly session: SentSession;
  readonly terms: ReadTerms;
}

/** Reads an item by its key of now or, if there is none, by the one that it had before. */
export async function readInEitherTerms(
  account: Account,
  context: RequestContext,
  container: Container,
  read: SentRead,
): Promise<Result<ItemOutcome, Refusal>> {
  const { former } = container;
  const { key, id } = read;
  const own = await readAt(account, container, read);
  if (former === undefined || key === undefined || !isAbsent(own)) return own;
  const now = await former.keyNowOf(key, id);
  if (now === undefined || sameKey(now, key)) return own;
  former.note(context.program());
  return readAt(account, container, { ...read, key: now });
}

async function readAt(
  account: Account,
  container: Container,
  { key, id, session, terms }: SentRead,
): Promise<Result<ItemOutcome, Refusal>> {
  const routed = account.route(container, key);
  if (!routed.ok) return routed;
  const { partition, epk } = routed.value;
  const problem = sessionProblem(session, partition);
  if (problem !== undefined) return { ok: false, error: problem };
  return ok(await partition.read(epk, id, terms));
}

/** True where there is nothing under the key, or nothing can be. */
function isAbsent(read: Result<ItemOutcome, Refusal>): boolean {
  if (!read.ok) return read.error.kind !== "sessionNotAvailable";
  return read.value.kind === "refused" && read.value.refusal.kind === "notFound";
}

/** What decides where a page of items is read. */
interface SentPage {
  readonly scope: AskedScope;
  /** True if a refusal may mean that the other container was asked: it goes on from a page. */
  readonly mayBeOfOther: boolean;
}

/**
 * Answers with a page of the container that the request is about: by its range id, by its key, or
 * by whose continuation it has. What names none of these is about the container of now.
 */
export async function answerInEitherTerms(
  context: RequestContext,
  container: Container,
  former: FormerKey,
  { scope, mayBeOfOther }: SentPage,
  answer: (container: Container, scope: AskedScope) => Promise<WireAnswer>,
): Promise<WireAnswer> {
  const askNow = (): Promise<WireAnswer> => answer(container, known(scope, container, former.old));
  const askOld = async (): Promise<WireAnswer> => {
    if (!(await former.caughtUp())) return refuse(context, BEHIND);
    return answer(former.old, known(scope, former.old, container));
  };
  const isOld = await isOfOld(container, former, scope);
  const first = await (isOld ? askOld() : askNow());
  if (isOld) former.note(context.program());
  if (first.status !== BAD_REQUEST || !mayBeOfOther) return first;
  const second = await (isOld ? askNow() : askOld());
  if (second.status >= BAD_REQUEST) return first;
  if (!isOld) former.note(context.program());
  return second;
}

const BAD_REQUEST = 400;

const BEHIND: Refusal = {
  kind: "unavailable",
  message:
    "The request goes by the partition key that the container had before it was copied, and the " +
    "old container, which would answer it, is not kept up to date at present. Resume the copy " +
    "job, or make a new client, which goes by the key of now.",
};

async function isOfOld(
  container: Container,
  former: FormerKey,
  scope: AskedScope,
): Promise<boolean> {
  const key = "key" in scope ? scope.key : undefined;
  if (key !== undefined) return former.isOldKey(key);
  return "rangeId" in scope && isOldRange(container, scope.rangeId);
}

/** True of the id of a range that the old container has or had, and this one never. */
export function isOldRange({ map, former }: Container, rangeId: string | undefined): boolean {
  if (former === undefined || rangeId === undefined) return false;
  if (rangeOfId(map, rangeId) !== undefined) return false;
  return rangeOfId(former.old.map, rangeId) !== undefined;
}

/** The scope, with what its range id stands for if only the other container knows that. */
function known(scope: AskedScope, { map }: Container, other: Container): AskedScope {
  if (scope.kind !== "rangeId" && scope.kind !== "keyInRange") return scope;
  if (rangeOfId(map, scope.rangeId) !== undefined) return scope;
  return { ...scope, range: rangeOfId(other.map, scope.rangeId) };
}

/** The container in whose terms a plan is asked for; a key is all that tells. */
export async function containerPlannedFor(
  container: Container,
  key: PartitionKey | undefined,
): Promise<Container> {
  const { former } = container;
  if (former === undefined || key === undefined) return container;
  return (await former.isOldKey(key)) ? former.old : container;
}

/** Why nothing can be done under a key as a whole, if it is one of before. */
export async function oldKeyProblem(
  context: RequestContext,
  { former }: Container,
  key: PartitionKey | undefined,
): Promise<Refusal | undefined> {
  if (former === undefined || key === undefined || !(await former.isOldKey(key))) return undefined;
  former.note(context.program());
  return OLD_KEY;
}

const OLD_KEY: Refusal = badRequest(
  "The container has another partition key since it was copied, and the request names a key of " +
    "the former one. What was one logical partition then may be several now, so nothing was " +
    "done. Name a key of now.",
);
