/**
 * The watermark of a lifecycle that a server of Orrery runs, from the admin API of that server.
 *
 * The account key is sent only to a server that asks for it: one on this machine does not. Whatever
 * goes wrong is thrown, and a router takes that for "unknown".
 */
import { ADMIN_API } from "../protocol/admin.ts";
import { BadRoute } from "./badRoute.ts";
import type { RouteClock } from "./routeSetting.ts";
import type { StopSignal } from "./routeTypes.ts";
import type { RouteWatermark, SettledState } from "./watermark.ts";

export interface OrreryWatermarkOptions {
  /** That of the server, such as "http://127.0.0.1:8081". */
  readonly endpoint: string;
  /** An account key; the read-only one is enough. Needed from other machines. */
  readonly key?: string;
  readonly hot: TierPlace;
  readonly warm: TierPlace;
  /**
   * For how long an answer may be used again; 0 unless told. An item that is written with an old
   * date, or edited when it is old, may be missed for so long.
   */
  readonly maxAgeMs?: number;
  /** Needed for `maxAgeMs`; `Date` will do. */
  readonly clock?: RouteClock;
  /** How long to wait for the server; 2,000 unless told. */
  readonly timeoutMs?: number;
  /** `fetch`, or one that trusts the server's certificate. */
  readonly fetch?: FetchJson;
}

export interface TierPlace {
  readonly database: string;
  readonly container: string;
}

/** What is used of `fetch`. The signal is an `AbortSignal`, whatever a project knows that as. */
export type FetchJson = (
  url: string,
  options: { readonly headers: Record<string, string>; readonly signal: never },
) => Promise<{ readonly status: number; json(): Promise<unknown> }>;

const TIMEOUT_MS_USUAL = 2000;
const UNAUTHORIZED = 401;

export function orreryWatermark(options: OrreryWatermarkOptions): RouteWatermark {
  const { maxAgeMs = 0, clock } = options;
  if (!URL.canParse(options.endpoint)) {
    throw new BadRoute(`endpoint: ${options.endpoint} is no URL such as "http://127.0.0.1:8081".`);
  }
  if (!(maxAgeMs >= 0)) throw new BadRoute(`maxAgeMs: ${maxAgeMs} is no number of milliseconds.`);
  if (maxAgeMs > 0 && clock === undefined) {
    throw new BadRoute("maxAgeMs needs a clock; `clock: Date` will do.");
  }
  const read = statusReader(options);
  let kept: { readonly askedAt: number; readonly state: Promise<SettledState> } | undefined;
  return (signal) => {
    if (clock === undefined || maxAgeMs === 0) return read(signal);
    const now = clock.now();
    if (kept !== undefined && now - kept.askedAt < maxAgeMs) return kept.state;
    // Others may wait for the same answer, so no single caller can abort it.
    const asked = { askedAt: now, state: read(undefined) };
    kept = asked;
    asked.state.catch(() => {
      if (kept === asked) kept = undefined;
    });
    return asked.state;
  };
}

function statusReader(
  options: OrreryWatermarkOptions,
): (signal: StopSignal | undefined) => Promise<SettledState> {
  const { endpoint, key, timeoutMs = TIMEOUT_MS_USUAL } = options;
  const ask = options.fetch ?? (fetch as FetchJson);
  const url = new URL(`${ADMIN_API}lifecycles`, endpoint).href;
  let isKeyWanted = false;
  return async (signal) => {
    const patience = AbortSignal.timeout(timeoutMs);
    const either =
      signal === undefined ? patience : AbortSignal.any([patience, signal as AbortSignal]);
    const send = (): ReturnType<FetchJson> => {
      const headers: Record<string, string> =
        isKeyWanted && key !== undefined ? { authorization: `Bearer ${key}` } : {};
      return ask(url, { headers, signal: either as never }).catch((error: unknown) => {
        if (signal?.aborted === true) throw error;
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(`The server at ${endpoint} could not be asked for its lifecycles: ${why}.`);
      });
    };
    let answer = await send();
    if (answer.status === UNAUTHORIZED && !isKeyWanted && key !== undefined) {
      isKeyWanted = true;
      answer = await send();
    }
    if (answer.status !== 200) {
      throw new Error(`The server at ${endpoint} said ${answer.status} about its lifecycles.`);
    }
    return stateIn(await answer.json(), options);
  };
}

interface StatusEntry extends SettledState {
  readonly hot: TierPlace;
  readonly warm: TierPlace;
  /** A lifecycle that has ended does not look after its containers any more. */
  readonly endedAt?: unknown;
}

function stateIn(body: unknown, { hot, warm, endpoint }: OrreryWatermarkOptions): SettledState {
  const { lifecycles } = (body ?? {}) as { readonly lifecycles?: unknown };
  if (!Array.isArray(lifecycles)) {
    throw new Error(`The server at ${endpoint} did not answer with a list of lifecycles.`);
  }
  const entry = (lifecycles as readonly (StatusEntry | null)[]).find(
    (each) =>
      isSamePlace(each?.hot, hot) && isSamePlace(each?.warm, warm) && each?.endedAt === undefined,
  );
  if (entry === undefined || entry === null) {
    throw new Error(
      `The server at ${endpoint} runs no lifecycle from ${placeText(hot)} to ${placeText(warm)}.`,
    );
  }
  return {
    ...numberIn(entry, "settledBefore"),
    ...numberIn(entry, "movedBefore"),
    ...numberIn(entry, "ageSeconds"),
    ...numberIn(entry, "markTtlSeconds"),
    ...textIn(entry, "ageProperty"),
    ...textIn(entry, "markProperty"),
  };
}

function isSamePlace(one: TierPlace | undefined, other: TierPlace): boolean {
  return one?.database === other.database && one.container === other.container;
}

function placeText({ database, container }: TierPlace): string {
  return `${database}/${container}`;
}

/** What is no number is not there. */
function numberIn(entry: StatusEntry, name: keyof SettledState): SettledState {
  return Number.isFinite(entry[name]) ? { [name]: entry[name] } : {};
}

function textIn(entry: StatusEntry, name: keyof SettledState): SettledState {
  return typeof entry[name] === "string" ? { [name]: entry[name] } : {};
}
