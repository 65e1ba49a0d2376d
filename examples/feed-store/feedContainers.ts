/**
 * The containers in which a feed is kept, as the store sees them: where articles are written, where
 * old months lie, and how both are asked. Here is the plain case, one container for everything;
 * `hotWarm/` has the case with two.
 */
import type { Container } from "@azure/cosmos";
import { type Answer, askAll, askMonths } from "./ask.ts";
import type { StoredFeedItem } from "./feedItem.ts";
import { type DateRange, monthsIn } from "./months.ts";
import { countsByProvider, type FeedQuestion } from "./questions.ts";

export interface ProviderCount {
  readonly providerId: string;
  readonly itemCount: number;
  readonly newest: string;
}

export interface FeedContainers {
  /** Articles are written here. */
  readonly current: Container;
  /** Old months are here; they are archived from here, and restored to here. */
  readonly historical: Container;
  /** Articles, the newest first. */
  ask(question: FeedQuestion, limit?: number): Promise<Answer<StoredFeedItem>>;
  /** In no particular order. */
  countsByProvider(range: DateRange): Promise<Answer<ProviderCount>>;
}

export function oneContainer(container: Container): FeedContainers {
  return {
    current: container,
    historical: container,
    ask: (question, limit) => askMonths(container, monthsIn(question.range), question, limit),
    countsByProvider: (range) => askAll(container, countsByProvider(range)),
  };
}
