/**
 * A bound on how often the official client may ask before it answers.
 *
 * Its iterator asks one range after the other, and gives up when it is back at the first that had
 * nothing new. If that one is split or merged before it is reached again, the round never ends: the
 * client (4.10.1) asks on and on, without a pause, until somebody changes something. Applications
 * cannot abort it. Here a plugin of the client counts, for each call, and fails the call.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { CosmosClientOptions, Plugin, PluginConfig } from "@azure/cosmos";

/** Many times what a round of the most ranges takes. */
const REQUESTS_MAX = 600;

interface Round {
  requestCount: number;
}

const rounds = new AsyncLocalStorage<Round>();

const counting: Plugin<unknown> = (context, _diagnosticNode, next) => {
  const round = rounds.getStore();
  const isFeed = context.headers?.["A-IM"] !== undefined;
  if (round !== undefined && isFeed && ++round.requestCount > REQUESTS_MAX) {
    return Promise.reject(new Error("the round of the iterator does not end"));
  }
  return next(context);
};

/** For clients whose iterators are called with patience, and those with further plugins. */
export function patientOptions(...others: readonly Plugin<unknown>[]): CosmosClientOptions {
  const plugins = [counting, ...others].map((plugin): PluginConfig => ({ on: "request", plugin }));
  // The client reads them, but its type does not know of them.
  const options: CosmosClientOptions & { readonly plugins: readonly PluginConfig[] } = { plugins };
  return options;
}

/** Undefined if the round did not end: then the iterator is of no use any more. */
export async function withPatience<T>(step: () => Promise<T>): Promise<T | undefined> {
  const round: Round = { requestCount: 0 };
  try {
    return await rounds.run(round, step);
  } catch (error) {
    if (round.requestCount > REQUESTS_MAX) return undefined;
    throw error;
  }
}
