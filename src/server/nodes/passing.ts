/**
 * Requests of clients of a node that does not work: sent to the one that does, or waiting for a
 * while until there is one. A request is sent a second time only where the first time certainly
 * did nothing, or where it only reads.
 */
import type { Clock } from "../../base/world.ts";
import { refusalAnswer, transportAnswer } from "../../protocol/answer/answers.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";
import type { Outbox } from "../http/outbox.ts";
import { discardBody } from "../http/requestBody.ts";
import type { Errand } from "./errand.ts";
import type { Forwarder, NodeTarget } from "./forwarder.ts";
import type { Whereabouts } from "./whereabouts.ts";

interface PassingSetting {
  readonly whereabouts: Whereabouts;
  readonly forwarder: Forwarder;
  readonly outbox: Outbox;
  readonly clock: Pick<Clock, "now">;
  /** This node by its own port: what has been read of a body cannot be read again. */
  ownTarget(): NodeTarget;
  /** It may be this node's turn: the one that worked does not answer. */
  onFailure(): void;
}

/** How long a request waits for a node that works: longer than it takes others to take over. */
const WAIT_MS = 12_000;
const AGAIN_MS = 100;

export class Passing {
  readonly #setting: PassingSetting;

  constructor(setting: PassingSetting) {
    this.#setting = setting;
  }

  async pass(errand: Errand): Promise<void> {
    const { whereabouts, clock } = this.#setting;
    const { request, response, activityId, body } = errand;
    const giveUpAt = clock.now() + WAIT_MS;
    while (!response.destroyed) {
      const { place } = whereabouts;
      if (place.kind === "self" && body.isUntouched) {
        if (await this.#maySpeak(place.store)) {
          place.work.serve(request, response, activityId);
          return;
        }
      } else if (place.kind !== "nobody") {
        const target = place.kind === "other" ? place.target : this.#setting.ownTarget();
        if (await this.#isDoneAt(target, errand)) return;
      }
      if (clock.now() >= giveUpAt || !body.canRepeat) {
        const refusal = { kind: "unavailable", message: this.#noneWorks() } as const;
        this.#answer(errand, refusalAnswer(refusal, activityId));
        return;
      }
      await whereabouts.changeWithin(AGAIN_MS);
    }
  }

  /** The node that works, as soon as there is one; rejects when there is none for too long. */
  async target(): Promise<NodeTarget> {
    const { whereabouts, clock, ownTarget } = this.#setting;
    const giveUpAt = clock.now() + WAIT_MS;
    for (;;) {
      const { place } = whereabouts;
      if (place.kind === "other") return place.target;
      if (place.kind === "self") return ownTarget();
      if (clock.now() >= giveUpAt) throw new Error(this.#noneWorks());
      await whereabouts.changeWithin(AGAIN_MS);
    }
  }

  /** False where it may be tried again. */
  async #isDoneAt(target: NodeTarget, errand: Errand): Promise<boolean> {
    const { whereabouts, forwarder, onFailure } = this.#setting;
    const end = await forwarder.attempt(errand, target);
    whereabouts.isReached = end === "answered" || end === "refused";
    if (end === "answered") return true;
    onFailure();
    if (end !== "lost" || errand.onlyReads) return false;
    this.#answer(errand, transportAnswer(UNKNOWN_OUTCOME, errand.activityId));
    return true;
  }

  #answer({ request, response }: Errand, answered: WireAnswer): void {
    discardBody(request);
    this.#setting.outbox.send(response, answered);
  }

  /** What it cannot make sure of because the database is gone, it says by itself. */
  async #maySpeak(store: { readonly isHeld: boolean; regain(): Promise<void> }): Promise<boolean> {
    try {
      if (!store.isHeld) await store.regain();
      return true;
    } catch {
      return this.#setting.whereabouts.place.kind === "self";
    }
  }

  #noneWorks(): string {
    const { trouble = "the one that did has just ended" } = this.#setting.whereabouts;
    return `No node works on the database now: ${trouble}. Send the request again.`;
  }
}

/** The service's own words for a request whose outcome nobody knows have this status. */
const UNKNOWN_OUTCOME = {
  status: 408,
  code: "RequestTimeout",
  message:
    "The node that did this has ended before it answered. Whether it was done is not known: " +
    "look, or send it again.",
} as const;
