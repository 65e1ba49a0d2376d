/** Asking again for as long as the server says "later", each time when the server said. */
import { pause, retried, toldWait } from "../../base/retry.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import type { Answer } from "./connection.ts";

/** A server that keeps saying "later" is believed at last. */
const TRY_COUNT_MAX = 10;
/** For a server that does not say how much later. */
const WAIT_MS = 100;

export function whileThrottled(
  ask: () => Promise<Answer>,
  tryCountMax: number = TRY_COUNT_MAX,
): Promise<Answer> {
  return retried(ask, {
    tryCountMax,
    waitAfter: ({ status, headers }) =>
      status === 429 ? toldWait(headers[HEADER.retryAfter], WAIT_MS) : undefined,
    wait: (ms) => pause(realTimer, ms),
  });
}
