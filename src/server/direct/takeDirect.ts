/** Serves connections of clients in direct mode, as the door hands them over. */
import type { Timer } from "../../base/world.ts";
import type { TakeBinary } from "../door/door.ts";
import { DirectConnection } from "./directConnection.ts";
import { STRANGER_IDLE_MS, TRUSTED_IDLE_MS } from "./directPatience.ts";
import type { FrameAnswererSetting } from "./frameAnswerer.ts";
import { FrameAnswerer } from "./frameAnswerer.ts";

interface TakeDirectSetting extends FrameAnswererSetting {
  readonly timer: Timer;
  readonly serverVersion: string;
}

export function takeDirect(setting: TakeDirectSetting): TakeBinary {
  const { timer, serverVersion, account } = setting;
  const common = {
    answerer: new FrameAnswerer(setting),
    timer,
    serverVersion,
    bodyBytesMax: account.limits.requestBytesMax,
    idleSeconds: TRUSTED_IDLE_MS / 1000,
    unauthenticatedSeconds: STRANGER_IDLE_MS / 1000,
  };
  return (socket) => new DirectConnection(socket, common);
}
