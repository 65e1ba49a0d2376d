/**
 * How a server serves clients in direct mode: with the account, gatekeeper, recordings and
 * statistics of HTTP.
 */
import { answerSent, answerToThrown } from "./answering.ts";
import { takeDirect } from "./direct/takeDirect.ts";
import type { TakeBinary } from "./door/door.ts";
import type { Operations } from "./operations.ts";
import type { ServingSetting } from "./serving.ts";
import { realClock, realTimer } from "./surroundings/realWorld.ts";
import { VERSION } from "./surroundings/version.ts";

export function directOf(
  setting: ServingSetting,
  noteAnswer: Operations["noteAnswer"],
): TakeBinary {
  const { account, gatekeeper, log } = setting;
  return takeDirect({
    account,
    gatekeeper,
    timer: realTimer,
    serverVersion: VERSION,
    answer: (context, sent) => answerSent(setting, context, sent),
    answerToThrown: (activityId, thrown) => answerToThrown(log, activityId, thrown),
    clock: realClock,
    onAnswer: noteAnswer,
  });
}
