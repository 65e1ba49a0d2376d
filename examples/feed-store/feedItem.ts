/**
 * What is stored: one article of one feed. `parseFeedItem` checks an article that comes from
 * outside and returns it in the one form in which items are written.
 *
 * In that form both dates are UTC texts with milliseconds. Texts of that form sort as the times do,
 * so a query may compare them, and an article of 1 October 00:30 in Rome is found in September,
 * where its key puts it.
 */
import { timeOf } from "orrery/keys";

export interface FeedItem {
  readonly id: string;
  readonly feedProviderId: string;
  readonly title: string;
  readonly content: string;
  readonly publishedDate: string;
  readonly crawledDate: string;
  readonly sourceUrl: string;
  readonly tags: readonly string[];
  readonly metadata: FeedMetadata;
}

interface FeedMetadata {
  readonly language: string;
  readonly wordCount: number;
  /** As the crawler got it; kept, and not indexed. */
  readonly rawData?: Readonly<Record<string, string>>;
}

/** A feed item with its partition key: the month in which it was published. */
export interface StoredFeedItem extends FeedItem {
  readonly partitionKey: string;
}

/** What was given cannot be used; the message says what can. */
export class BadFeedInput extends Error {
  override readonly name = "BadFeedInput";
}

/** Dates may be given as any ISO 8601 text, with an offset or without (then they are UTC). */
export function parseFeedItem(given: FeedItem): FeedItem {
  const item = {
    id: textOf("id", given.id),
    feedProviderId: textOf("feedProviderId", given.feedProviderId),
    title: textOf("title", given.title),
    content: plainTextOf("content", given.content),
    publishedDate: dateTextOf("publishedDate", given.publishedDate),
    crawledDate: dateTextOf("crawledDate", given.crawledDate),
    sourceUrl: textOf("sourceUrl", given.sourceUrl),
    tags: tagsOf(given.tags),
    metadata: metadataOf(given.metadata),
  };
  // The service refuses these four in an id, because ids are parts of addresses.
  if (/[/\\?#]/.test(item.id)) {
    throw new BadFeedInput(`id: ${JSON.stringify(item.id)} may not have /, \\, ? or # in it.`);
  }
  return item;
}

/** The text of a moment, as items have it. */
export function dateTextOf(name: string, given: string | Date): string {
  const millis = typeof given === "string" || given instanceof Date ? timeOf(given) : undefined;
  if (millis === undefined) {
    throw new BadFeedInput(
      `${name}: ${JSON.stringify(given)} is no date; write it as "2026-03-14T09:30:00Z".`,
    );
  }
  return new Date(millis).toISOString();
}

export function textOf(name: string, given: unknown): string {
  if (typeof given === "string" && given.trim() !== "") return given;
  throw new BadFeedInput(`${name}: a text that is not empty is needed, not ${shown(given)}.`);
}

function plainTextOf(name: string, given: unknown): string {
  if (typeof given === "string") return given;
  throw new BadFeedInput(`${name}: a text is needed, not ${shown(given)}.`);
}

function tagsOf(given: unknown): readonly string[] {
  if (Array.isArray(given)) return given.map((tag) => textOf("tags", tag));
  throw new BadFeedInput(`tags: a list of texts is needed, not ${shown(given)}.`);
}

function metadataOf(given: FeedMetadata): FeedMetadata {
  if (typeof given !== "object" || given === null) {
    throw new BadFeedInput(`metadata: an object is needed, not ${shown(given)}.`);
  }
  const { wordCount, rawData } = given;
  if (!Number.isInteger(wordCount) || wordCount < 0) {
    throw new BadFeedInput(`metadata.wordCount: a whole number is needed, not ${wordCount}.`);
  }
  const language = textOf("metadata.language", given.language);
  return { language, wordCount, ...(rawData !== undefined && { rawData }) };
}

function shown(given: unknown): string {
  return given === undefined ? "nothing" : JSON.stringify(given);
}
