/**
 * Made-up articles of made-up providers, so that nothing has to be downloaded. The same volume and
 * seed make the same articles.
 *
 * Articles come at even steps of time. Provider and topic of each are taken by pointers that step
 * by irrational amounts, not thrown like dice: a week of a hundred articles a day has the declared
 * shares already, nearly to one article. What a provider and a topic have is therefore known
 * before anything is written, and the prediction of the table rests on it.
 */
import type { FeedItem } from "./feedItem.ts";

export interface FeedVolume {
  readonly itemsPerDay: number;
  /** JSON text of an item, as it is sent; longer only if its title and tags need more. */
  readonly itemBytes: number;
  readonly from: Date;
  readonly to: Date;
  readonly seed: number;
}

/** Five large agencies share 70 % of all articles, fifteen small ones the rest. */
const LARGE = ["meridian-wire", "northgate", "capital-post", "harbour-news", "global-desk"];
const SMALL = [
  "alpine-courier",
  "birch-valley-times",
  "coastal-echo",
  "delta-review",
  "eastside-weekly",
  "farm-and-field",
  "granite-gazette",
  "hilltop-herald",
  "island-observer",
  "juniper-journal",
  "kettle-creek-press",
  "lakeside-ledger",
  "midland-mirror",
  "orchard-post",
  "prairie-tribune",
];
const LARGE_SHARE = 0.7;

/** Provider → its share of all articles. */
export const PROVIDERS: ReadonlyMap<string, number> = new Map([
  ...LARGE.map((id) => [id, LARGE_SHARE / LARGE.length] as const),
  ...SMALL.map((id) => [id, (1 - LARGE_SHARE) / SMALL.length] as const),
]);

/** All equally frequent. The name of a topic stands in title, content and tags of its articles. */
export const TOPICS: readonly string[] = [
  "harvest",
  "railways",
  "elections",
  "weather",
  "football",
  "medicine",
  "astronomy",
  "fisheries",
  "theatre",
  "energy",
];

const WORDS: readonly string[] = (
  "the a of in on after before new old local council report season plan river market people " +
  "says opens closes grows falls meets wins loses early late summer winter bridge school"
).split(" ");

const DAY_MS = 86_400_000;
/** An article is crawled this long after it was published. */
const CRAWL_DELAY_MS = 45_000;
/** Roots of primes come near no fraction, and near no multiple of one another. */
const PROVIDER_STEP = Math.sqrt(2);
const TOPIC_STEP = Math.sqrt(3);

export function itemCountOf({ itemsPerDay, from, to }: FeedVolume): number {
  return Math.floor(((to.getTime() - from.getTime()) / DAY_MS) * itemsPerDay);
}

export function* generateItems(volume: FeedVolume): Generator<FeedItem> {
  const { from, to, seed } = volume;
  const count = itemCountOf(volume);
  const random = seeded(seed);
  const [providerStart, topicStart] = [random(), random()];
  for (let index = 0; index < count; index++) {
    const millis = from.getTime() + ((to.getTime() - from.getTime()) * (index + 0.5)) / count;
    const provider = providerAt((providerStart + index * PROVIDER_STEP) % 1);
    const topicAt = Math.floor(((topicStart + index * TOPIC_STEP) % 1) * TOPICS.length);
    yield itemOf(
      index,
      { provider, topic: TOPICS[topicAt]!, millis: Math.floor(millis) },
      volume,
      random,
    );
  }
}

function providerAt(pointer: number): string {
  let before = 0;
  for (const [id, share] of PROVIDERS) {
    before += share;
    if (pointer < before) return id;
  }
  return SMALL.at(-1)!;
}

interface Subject {
  readonly provider: string;
  readonly topic: string;
  readonly millis: number;
}

function itemOf(
  index: number,
  { provider, topic, millis }: Subject,
  { itemBytes, seed }: FeedVolume,
  random: () => number,
): FeedItem {
  const id = `${seed}-${String(index).padStart(8, "0")}`;
  const headline = sentence(6, random);
  const item = {
    id,
    feedProviderId: provider,
    title: `${topic.charAt(0).toUpperCase()}${topic.slice(1)}: ${headline}`,
    content: `About ${topic}. `,
    publishedDate: new Date(millis).toISOString(),
    crawledDate: new Date(millis + CRAWL_DELAY_MS).toISOString(),
    sourceUrl: `https://${provider}.example/${id}`,
    tags: [topic, `region-${1 + Math.floor(random() * 9)}`],
    metadata: { language: "en", wordCount: 0, rawData: { format: "rss", guid: id } },
  };
  const rest = itemBytes - JSON.stringify(item).length - KEY_BYTES;
  const content = item.content + prose(Math.max(0, rest - 2), random);
  const wordCount = content.split(" ").length;
  return { ...item, content, metadata: { ...item.metadata, wordCount } };
}

/** The partition key, which the store adds: `,"partitionKey":"2026-03"`. */
const KEY_BYTES = 25;

function sentence(wordCount: number, random: () => number): string {
  return Array.from({ length: wordCount }, () => WORDS[Math.floor(random() * WORDS.length)]).join(
    " ",
  );
}

function prose(length: number, random: () => number): string {
  let text = "";
  while (text.length < length) text += `${sentence(12, random)}. `;
  return text.slice(0, length);
}

/** Numbers from 0 up to, but without, 1 (a linear congruence; its upper bits are good enough). */
function seeded(seed: number): () => number {
  let state = BigInt(seed) * 2_862_933_555_777_941_757n + 3_037_000_493n;
  return () => {
    state = BigInt.asUintN(64, state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n);
    return Number(state >> 40n) / 2 ** 24;
  };
}
