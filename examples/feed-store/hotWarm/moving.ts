/**
 * Lets a server of Orrery move articles from the hot container to the warm one as they age, through
 * its admin API; `orrery lifecycle start` does the same from a shell. The service has nothing of
 * the kind: there somebody has to write a mover that keeps what `docs/use/router.md` asks of one.
 */
import { orreryWatermark, type RouteWatermark } from "orrery/router";
import type { HotAndWarm } from "../setUp.ts";
import { SHARING } from "./hotAndWarm.ts";

/** The server, and the key of its account. */
export interface MovingServer {
  readonly endpoint: string;
  readonly key: string;
}

export interface Moving {
  /** For the router: how far everything is moved. */
  readonly watermark: RouteWatermark;
  /** Articles that were moved since the beginning. */
  movedCount(): Promise<number>;
  /** Resolves when everything that is old now is moved; tells meanwhile how many are. */
  caughtUp(onLook?: (movedCount: number) => void): Promise<void>;
  /** Lets nothing be moved any more. */
  stop(): Promise<void>;
}

/** What the status of a lifecycle has, as far as it is looked at here. */
interface Status {
  readonly id: string;
  readonly state: string;
  readonly reason?: string;
  readonly totals: { readonly moved: number };
  readonly dueCount: number;
  readonly lagCount: number;
  readonly lastRound?: object;
}

const LOOK_MS = 200;
const STANDING: readonly string[] = ["paused", "blocked", "stopped", "failed"];

export async function startMoving(
  server: MovingServer,
  { current, historical }: HotAndWarm,
  wait: (ms: number) => Promise<unknown>,
): Promise<Moving> {
  const placeOf = ({ database, id }: HotAndWarm["current"]) => {
    return { database: database.id, container: id };
  };
  const [hot, warm] = [placeOf(current), placeOf(historical)];
  const { id } = await ask(server, "lifecycles", { hot, warm, ...SHARING });
  const look = (): Promise<Status> => ask(server, `lifecycles/${id}`);
  return {
    watermark: orreryWatermark({ ...server, hot, warm }),
    movedCount: async () => (await look()).totals.moved,
    async caughtUp(onLook) {
      for (;;) {
        const { state, reason = "", totals, lastRound, dueCount, lagCount } = await look();
        onLook?.(totals.moved);
        if (STANDING.includes(state)) throw new Error(`Articles are not moved. ${reason}`);
        if (lastRound !== undefined && dueCount === 0 && lagCount === 0) return;
        await wait(LOOK_MS);
      }
    },
    async stop() {
      await ask(server, `lifecycles/${id}/stop`, {});
    },
  };
}

async function ask({ endpoint, key }: MovingServer, path: string, body?: object): Promise<Status> {
  const answer = await fetch(new URL(`/_orrery/v1/${path}`, endpoint), {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const told = (await answer.json().catch(() => undefined)) as
    | { readonly lifecycle?: Status; readonly message?: string }
    | undefined;
  if (told?.lifecycle !== undefined) return told.lifecycle;
  throw new Error(
    `The server at ${endpoint} does not move articles (${answer.status}): ` +
      (told?.message ?? "it seems to be none of Orrery."),
  );
}
