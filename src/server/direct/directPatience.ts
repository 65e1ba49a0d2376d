/**
 * How long a connection in direct mode may be at what it is doing. Both ways are looked at for
 * themselves, because requests share it: what comes, and what is taken of answers.
 *
 * A client that has proved who it is may be idle for long: it keeps connections in reserve, and
 * takes one that the server ends for the sign that the server is ill. Only where connections are
 * scarce, or the server closes, it has to make room.
 */
import type { Millis } from "../../base/units.ts";
import type { ConnectionSight, ConnectionStage, StageDeadlines } from "../connections/patience.ts";
import { Patience } from "../connections/patience.ts";

interface DirectSight {
  /** It has not said who speaks. */
  readonly isNew: boolean;
  readonly isTrusted: boolean;
  readonly isEnding: boolean;
  readonly isWithinFrame: boolean;
  readonly isWithinBody: boolean;
  readonly isServing: boolean;
  readonly frameCount: number;
  readonly comeBytes: number;
  readonly takenBytes: number;
  readonly pendingBytes: number;
}

/** A client closes connections that it does not use within an hour by itself. */
export const TRUSTED_IDLE_MS: number = 4 * 3600 * 1000;
/** Connections that are opened in reserve carry no request at first. */
export const STRANGER_IDLE_MS: number = 600 * 1000;

export class DirectPatience {
  readonly #coming = new Patience();
  readonly #taking = new Patience();

  verdict(
    sight: DirectSight,
    now: Millis,
    deadlines: StageDeadlines,
    isScarce: boolean,
  ): "wait" | "end" | "destroy" {
    const { pendingBytes, frameCount } = sight;
    const taking: ConnectionSight = {
      stage: pendingBytes > 0 ? "answer" : "idle",
      visit: 0,
      bytes: sight.takenBytes,
      pendingBytes,
    };
    if (this.#taking.isOver(taking, now, neverIdle(deadlines))) return "destroy";
    const stage = stageOf(sight);
    const coming: ConnectionSight = {
      stage,
      visit: frameCount,
      bytes: sight.comeBytes,
      pendingBytes,
    };
    if (!this.#coming.isOver(coming, now, isScarce ? deadlines : idleLong(deadlines, sight)))
      return "wait";
    return stage === "ending" ? "destroy" : "end";
  }
}

function stageOf(sight: DirectSight): ConnectionStage {
  if (sight.isEnding) return "ending";
  if (sight.isWithinBody && sight.isWithinFrame) return "body";
  if (sight.isWithinFrame || sight.isNew) return "head";
  return sight.isServing ? "work" : "idle";
}

/** The deadlines of a moment with the patience that idle connections have in direct mode. */
function idleLong(deadlines: StageDeadlines, { isTrusted }: DirectSight): StageDeadlines {
  return { ...deadlines, idleMs: isTrusted ? TRUSTED_IDLE_MS : STRANGER_IDLE_MS };
}

function neverIdle(deadlines: StageDeadlines): StageDeadlines {
  return { ...deadlines, idleMs: Number.POSITIVE_INFINITY };
}
