/**
 * One request of a client in direct mode, from its frame to the frame of its answer. It is admitted
 * by the same gatekeeper and answered by the same code as one that came over HTTP; what is done
 * here besides is to look whether the client has asked the right replica.
 *
 * Always: a request gets one answer, whatever is thrown on the way. Not here: sockets.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Clock } from "../../base/world.ts";
import type { Account } from "../../engine/account.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest, TOO_LARGE_MESSAGE } from "../../model/refusal.ts";
import { refusalAnswer } from "../../protocol/answer/answers.ts";
import { programOf } from "../../protocol/request/program.ts";
import type { ReplicaState } from "../../protocol/rntbd/answerFrame.ts";
import { encodeAnswerFrame } from "../../protocol/rntbd/answerFrame.ts";
import type { ComeFrame } from "../../protocol/rntbd/frameReader.ts";
import type { ReplicaPlace } from "../../protocol/rntbd/replicaPath.ts";
import { parseReplicaPath } from "../../protocol/rntbd/replicaPath.ts";
import type { ConnectionFacts, DirectRequest } from "../../protocol/rntbd/requestFrame.ts";
import { decodeRequestFrame } from "../../protocol/rntbd/requestFrame.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";
import type { Gatekeeper } from "../access/gatekeeper.ts";
import { refuse } from "../routes/refusing.ts";
import type { RequestContext } from "../routes/requestContext.ts";
import { placed } from "./placement.ts";

export interface FrameAnswererSetting {
  readonly account: Account;
  readonly gatekeeper: Gatekeeper;
  answer(context: RequestContext, sent: DirectRequest): MaybePromise<WireAnswer>;
  answerToThrown(activityId: string, thrown: unknown): WireAnswer;
  readonly clock: Pick<Clock, "now">;
  /** Is told of every answer, of what it is one to, and of when that came. */
  onAnswer(asked: AskedDirectly, answer: WireAnswer, since: number): void;
}

/** What a request was about; empty where that could not be read. */
interface AskedDirectly {
  method?: string;
  url?: string;
}

/** A request that has come by a connection, and what is known of that. */
interface DirectExchange {
  readonly frame: ComeFrame;
  readonly requestId: number;
  readonly facts: ConnectionFacts;
  readonly since: number;
  /** Filled in when it has been read. */
  readonly asked: AskedDirectly;
  isGone(): boolean;
  /** A request with a good credential has come. */
  onAdmitted(): void;
}

type ToAnswer = Pick<DirectExchange, "frame" | "requestId"> & Partial<DirectExchange>;

const NOWHERE: ReplicaState = { rangeId: undefined, lsn: 0 };

export class FrameAnswerer {
  readonly #setting: FrameAnswererSetting;

  constructor(setting: FrameAnswererSetting) {
    this.#setting = setting;
  }

  get now(): number {
    return this.#setting.clock.now();
  }

  /** The frame of the answer. */
  serve(exchange: DirectExchange): MaybePromise<Buffer> {
    const { activityId } = exchange.frame;
    const fail = (thrown: unknown): Buffer =>
      this.#encode(exchange, this.#setting.answerToThrown(activityId, thrown), NOWHERE);
    try {
      const served = this.#serve(exchange);
      return served instanceof Promise ? served.catch(fail) : served;
    } catch (thrown) {
      return fail(thrown);
    }
  }

  /** The frame that refuses a request without looking at what it asks. */
  refuse(exchange: ToAnswer, refusal: Refusal): Buffer {
    return this.#encode(exchange, refusalAnswer(refusal, exchange.frame.activityId), NOWHERE);
  }

  #serve(exchange: DirectExchange): MaybePromise<Buffer> {
    const { frame, facts } = exchange;
    if (frame.isTooLarge) {
      return this.refuse(exchange, { kind: "tooLarge", message: TOO_LARGE_MESSAGE });
    }
    const decoded = decodeRequestFrame(frame, facts);
    if (!decoded.ok) return this.refuse(exchange, decoded.error);
    const sent = decoded.value;
    exchange.asked.method = sent.method;
    exchange.asked.url = `/${sent.path.segments.map(encodeURIComponent).join("/")}`;
    const refusal = this.#setting.gatekeeper.refusalOf(sent);
    const goOn = (late: Refusal | undefined): MaybePromise<Buffer> =>
      late === undefined ? this.#answer(exchange, sent) : this.refuse(exchange, late);
    return refusal instanceof Promise ? refusal.then(goOn) : goOn(refusal);
  }

  #answer(exchange: DirectExchange, sent: DirectRequest): MaybePromise<Buffer> {
    exchange.onAdmitted();
    const { account } = this.#setting;
    const context = this.#contextOf(exchange, sent);
    const place = parseReplicaPath(sent.replicaPath);
    if (!place.ok) return this.#encode(exchange, refuse(context, badRequest(place.error)), NOWHERE);
    const found = placed(account, sent, place.value);
    const encode = (answered: WireAnswer): Buffer =>
      this.#encode(exchange, answered, stateOf(account, place.value));
    if (!found.ok) return encode(refuse(context, found.error));
    const isHead = sent.method === "HEAD";
    const request = isHead ? { ...found.value, method: "GET" } : found.value;
    const answered = this.#setting.answer(context, request);
    // Who asks for nothing but the head wants to know how far the replica is.
    const encodeHead = (value: WireAnswer): Buffer =>
      encode(isHead && value.status === 200 ? { ...value, body: undefined } : value);
    return answered instanceof Promise ? answered.then(encodeHead) : encodeHead(answered);
  }

  #contextOf({ frame, isGone }: DirectExchange, sent: DirectRequest): RequestContext {
    return {
      activityId: frame.activityId,
      program: () => programOf(sent.headers),
      isGone,
      endpoint: "",
      replicaHost: undefined,
      tokens: this.#setting.gatekeeper.tokenMint,
    };
  }

  #encode(
    { frame, requestId, asked = {}, since = this.#setting.clock.now() }: ToAnswer,
    answered: WireAnswer,
    replica: ReplicaState,
  ): Buffer {
    this.#setting.onAnswer(asked, answered, since);
    return encodeAnswerFrame(answered, { requestId, activityId: frame.activityId, replica });
  }
}

/** How far the replica has got that was asked, for answers that say nothing of it themselves. */
function stateOf({ catalog }: Account, place: ReplicaPlace): ReplicaState {
  if (place.kind === "master") return NOWHERE;
  const partition = catalog.containerByRid(place.containerRid)?.partitions.get(place.rangeId);
  return partition === undefined ? NOWHERE : { rangeId: partition.entry.id, lsn: partition.lsn };
}
