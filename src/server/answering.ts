/**
 * From a request that may come in to its answer, whichever road it came by: decoded, answered,
 * timed, and noted by whoever records. A fault of the disk may pass; anything else that is thrown
 * is our own mistake, and becomes an answer and a line of the log.
 */
import type { MaybePromise } from "../base/result.ts";
import type { Clock } from "../base/world.ts";
import type { Account } from "../engine/account.ts";
import { storeRefusal } from "../engine/partition/storeRefusal.ts";
import { defectAnswer, refusalAnswer } from "../protocol/answer/answers.ts";
import { decodeRequest } from "../protocol/request/decodeRequest.ts";
import type { SentRequest } from "../protocol/request/sentRequest.ts";
import { HEADER } from "../protocol/wire/headerNames.ts";
import type { WireAnswer } from "../protocol/wire/wire.ts";
import type { Recordings } from "./admin/recordings.ts";
import { answer } from "./routes/gateway.ts";
import type { RequestContext } from "./routes/requestContext.ts";
import type { Log } from "./surroundings/log.ts";

/** The right to tell what one knows, where another server may take it over. */
export interface TenureHold {
  readonly isHeld: boolean;
  /** Makes sure of it; rejects with a fault of the store when it is lost. */
  regain(): Promise<void>;
}

interface AnsweringSetting {
  readonly account: Account;
  readonly clock: Pick<Clock, "now">;
  /** The recordings, which take requests down while somebody wants that. */
  readonly recordings?: Recordings | undefined;
  readonly tenure?: TenureHold | undefined;
}

export function answerSent(
  { account, clock, recordings, tenure }: AnsweringSetting,
  context: RequestContext,
  sent: SentRequest,
): MaybePromise<WireAnswer> {
  const beganAt = clock.now();
  const request = decodeRequest(sent, account);
  const done = (value: WireAnswer): WireAnswer => {
    value.headers.push(HEADER.requestDuration, (clock.now() - beganAt).toFixed(3));
    if (recordings?.active !== undefined) recordings.note(request, value);
    return value;
  };
  const answered = answer(account, context, request);
  if (tenure === undefined) {
    return answered instanceof Promise ? answered.then(done) : done(answered);
  }
  // What was found in memory may have been changed by somebody else while this process stood still.
  const sure = (value: WireAnswer): MaybePromise<WireAnswer> =>
    tenure.isHeld ? done(value) : tenure.regain().then(() => done(value));
  return answered instanceof Promise ? answered.then(sure) : sure(answered);
}

/** What a client is told after something was thrown. */
export function answerToThrown(log: Log, activityId: string, thrown: unknown): WireAnswer {
  const refusal = storeRefusal(thrown);
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  const reason = refusal === undefined ? stack : (thrown as Error).message;
  log("requestFailed", { activityId, reason });
  return refusal === undefined ? defectAnswer(activityId) : refusalAnswer(refusal, activityId);
}
