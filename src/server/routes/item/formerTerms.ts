/**
 * Requests of clients that still go by the container which had the name before: by its key, its
 * ranges, and the continuations that it gave. They are understood while the old container is kept
 * up to date; see `engine/copy/formerTerms.ts`.
 *
 * An item is always read where it is now. A page of items is read in one of the two containers, so
 * that all pages of one question are about the same order of things.
 */
import type { MaybePromise, Result } from "../../../base/result.ts";
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
import { withSeen } from "../../../protocol/answer/answerHeaders.ts";
import type { SentSession } from "../../../protocol/wire/sessionToken.ts";
import type { WireAnswer } from "../../../protocol/wire/wire.ts";
import { refuse } from "../refusing.ts";
import type { RequestContext } from "../requestContext.ts";
import type { Intent } from "../session.ts";
import { isOldMeant, sessionProblem } from "../session.ts";

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

/**
 * An answer about items of one key, to a client that means the container of before: with the range
 * of that container which the key lies in. The Python client reads all ranges again whenever an
 * answer names one that it does not know. What such a client reads in the old container has
 * everything that was written before, so it has seen enough.
 */
export async function answerToOld(
  account: Account,
  { former }: Container,
  key: PartitionKey | undefined,
  answered: MaybePromise<WireAnswer>,
): Promise<WireAnswer> {
  const answer = await answered;
  if (former === undefined || key === undefined) return answer;
  const routed = account.route(former.old, key);
  if (!routed.ok) return answer;
  const { entry, lsn } = routed.value.partition;
  return withSeen(answer, { rangeId: entry.id, lsn });
}

/** What decides where a page of items is read. */
interface SentPage {
  readonly scope: AskedScope;
  /** True if a refusal may mean that the other container was asked: it goes on from a page. */
  readonly mayBeOfOther: boolean;
  /** True if the client says that it means the container of before. */
  readonly isOldMeant: boolean;
}

/**
 * Answers with a page of the container that the request is about: by its key, by the rid that the
 * client has in mind, by its range id, or by whose continuation it has. What names none of these is
 * about the container of now.
 */
export async function answerInEitherTerms(
  context: RequestContext,
  container: Container,
  former: FormerKey,
  page: SentPage,
  answer: (container: Container, scope: AskedScope) => Promise<WireAnswer>,
): Promise<WireAnswer> {
  const { scope, mayBeOfOther } = page;
  const askNow = (): Promise<WireAnswer> => answer(container, known(scope, container, former.old));
  const askOld = async (): Promise<WireAnswer> => {
    if (!(await former.caughtUp())) return refuse(context, BEHIND);
    return answer(former.old, known(scope, former.old, container));
  };
  const isOld = await isOfOld(container, former, page);
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

/**
 * Some clients read the ranges of a container one after the other, each from its own position or
 * from the beginning. Those that say which container they mean get all of them from that one, so
 * that no item falls between the ranges of the two.
 */
async function isOfOld(
  container: Container,
  former: FormerKey,
  { scope, isOldMeant }: SentPage,
): Promise<boolean> {
  const key = "key" in scope ? scope.key : undefined;
  if (key !== undefined) return former.isOldKey(key);
  return isOldMeant || ("rangeId" in scope && isOldRange(container, scope.rangeId));
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

/**
 * Why nothing can be done under a key as a whole, if it is one of before. Where the client says
 * that it means the container of before, so is its key, even if there is the same one now.
 */
export async function oldKeyProblem(
  context: RequestContext,
  container: Container,
  key: PartitionKey | undefined,
  intent: Intent,
): Promise<Refusal | undefined> {
  const { former } = container;
  if (former === undefined || key === undefined) return undefined;
  const isOld = isOldMeant(intent, container)
    ? !hasSameKey(container, former.old)
    : await former.isOldKey(key);
  if (!isOld) return undefined;
  former.note(context.program());
  return OLD_KEY;
}

/** True if a key stands for the same items in both containers. */
function hasSameKey({ definition }: Container, { definition: other }: Container): boolean {
  return definition.partitionKey.paths.join() === other.partitionKey.paths.join();
}

const OLD_KEY: Refusal = badRequest(
  "The container has another partition key since it was copied, and the request names a key of " +
    "the former one. What was one logical partition then may be several now, so nothing was " +
    "done. Name a key of now.",
);
