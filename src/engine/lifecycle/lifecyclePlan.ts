/**
 * What a lifecycle would do, before anything is changed: all items of hot are looked at once, and
 * the due ones are priced by the very commands that would move them.
 */
import { durationText } from "../../base/wording.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { ItemExample, NamedContainer } from "../../model/copyJob.ts";
import { shownKey } from "../../model/copyJob.ts";
import type { LifecyclePlan, LifecycleSettings } from "../../model/lifecycle.ts";
import type { Limits } from "../../model/limits.ts";
import type { RateSetting } from "../../model/throughput.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { plannedContainer } from "../copy/copyTerms.ts";
import { placed } from "../copy/itemMapping.ts";
import { draftOfText } from "../copy/mapping.ts";
import { bareEtagOf, objectOf, tsOf } from "../item/itemBody.ts";
import { epkOfKey, idOfKey } from "../item/itemKey.ts";
import { prepare } from "../item/prepare.ts";
import type { Container } from "../partition/container.ts";
import { ItemAge } from "./itemAge.ts";
import type { LifecycleRequest } from "./lifecycleRequest.ts";
import { Marking } from "./mark.ts";
import type { ContainerPair } from "./pairChecks.ts";
import { checksOf } from "./pairChecks.ts";

interface PlanSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly limits: Limits;
  readonly rates?: RateSetting | undefined;
}

type Found = Omit<LifecyclePlan, "checks" | "seconds" | "steps" | "obstacles">;

const STEP = { countMax: 256, bytesMax: 1024 * 1024 };
const EXAMPLES_MAX = 20;
const SAMPLES_MAX = 1000;

export async function planOf(
  setting: PlanSetting,
  pair: ContainerPair,
  request: LifecycleRequest,
): Promise<LifecyclePlan> {
  const checks = checksOf(pair, request);
  const obstacles = checks.filter(({ isMet }) => !isMet).map(({ says }) => says);
  const { container: hot } = pair.hot;
  const isReadable = hot !== undefined && request.settings.ageProperty.startsWith("/");
  const found = isReadable ? await survey(setting, hot, pair, request) : NOTHING;
  const seconds = secondsFor(setting, pair, request, found);
  return {
    checks,
    ...found,
    ...(seconds !== undefined && { seconds }),
    steps: stepsOf(pair, request, found),
    obstacles,
  };
}

const NOTHING: Found = {
  itemCount: 0,
  itemBytes: 0,
  dueCount: 0,
  dueBytes: 0,
  setAsideCount: 0,
  setAside: [],
  price: { hotRu: 0, warmRu: 0, sampleCount: 0 },
};

async function survey(
  { store, clock, timer, limits }: PlanSetting,
  hot: Container,
  pair: ContainerPair,
  { settings }: LifecycleRequest,
): Promise<Found> {
  const warm = pair.warm.container ?? plannedContainer(hot, pair.warm.definition);
  const count = new PlanCount({ limits, hot, warm, settings, wallNow: clock.wallNow() });
  for (const partition of hot.partitions.values()) {
    for (let after = 0, isLast = false; !isLast; ) {
      const page = await store.scanItems(partition.entry.part, after, STEP);
      for (const item of page.items) if (partition.isLive(item)) count.note(item);
      const itemBytes = page.items.map(({ body }) => body.length);
      if (itemBytes.length > 0) {
        partition.spending.settleLeftOver(chargeOf({ kind: "feedPage", itemBytes }));
      }
      after = page.items.at(-1)?.number ?? after;
      isLast = page.isLast || hot.isDeleted;
      await timer.soon();
    }
  }
  return count.found;
}

interface CountSetting {
  readonly limits: Limits;
  readonly hot: Container;
  /** Need not be there: the count asks it for its definition only. */
  readonly warm: Container;
  readonly settings: LifecycleSettings;
  readonly wallNow: number;
}

class PlanCount {
  readonly #setting: CountSetting;
  readonly #age: ItemAge;
  readonly #marking: Marking;
  readonly #counts = { item: 0, bytes: 0, due: 0, dueBytes: 0, setAside: 0, readRu: 0 };
  readonly #setAside: ItemExample[] = [];
  readonly #samples: { readonly hotRu: number; readonly warmRu: number }[] = [];

  constructor(setting: CountSetting) {
    const { settings } = setting;
    this.#setting = setting;
    this.#age = new ItemAge(settings.ageProperty, settings.ageSeconds);
    this.#marking = new Marking("", [settings.markProperty]);
  }

  note(item: StoredItem): void {
    const { hot, wallNow } = this.#setting;
    const counts = this.#counts;
    const object = objectOf(item.body);
    counts.item++;
    counts.bytes += item.body.length;
    const judgement = this.#age.judge(object, wallNow);
    if (judgement.kind === "odd") {
      counts.setAside++;
      const example = { ...exampleOf(hot, item), reason: judgement.reason };
      if (this.#setAside.length < EXAMPLES_MAX) this.#setAside.push(example);
    } else if (judgement.kind === "due") {
      counts.due++;
      counts.dueBytes += item.body.length;
      counts.readRu += chargeOf({ kind: "feedPage", itemBytes: [item.body.length] });
      if (this.#samples.length < SAMPLES_MAX) this.#samples.push(this.#priceOf(item));
    }
  }

  get found(): Found {
    const { item, bytes, due, dueBytes, setAside, readRu } = this.#counts;
    const samples = this.#samples;
    const mean = (ruOf: (sample: (typeof samples)[number]) => number): number =>
      samples.reduce((sum, sample) => sum + ruOf(sample), 0) / Math.max(1, samples.length);
    return {
      itemCount: item,
      itemBytes: bytes,
      dueCount: due,
      dueBytes,
      setAsideCount: setAside,
      setAside: this.#setAside,
      price: {
        hotRu: readRu + mean(({ hotRu }) => hotRu) * due,
        warmRu: mean(({ warmRu }) => warmRu) * due,
        sampleCount: samples.length,
      },
    };
  }

  /** The price of the copy and of the mark. */
  #priceOf(item: StoredItem): { readonly hotRu: number; readonly warmRu: number } {
    const { limits, hot, warm, settings } = this.#setting;
    const stamping = { nextNumber: () => 1, nextEtag: () => "", wallNow: 0 };
    const id = idOfKey(item.key);
    const original = { number: item.number, etag: bareEtagOf(item.body), ts: tsOf(item.body) };
    const content = this.#marking.contentOf(item);
    const copy = placed(limits, warm, { id, ...content, original });
    const key = hot.readKey(content.object);
    const place = { epk: epkOfKey(item.key), key: key.ok ? key.value : [], id };
    const marked = this.#marking.marked(content, original.etag, settings.markTtlSeconds);
    const draft = draftOfText(id, marked.object, marked.text);
    const mark = { kind: "replace", ...place, draft, original } as const;
    const hotRu = prepare({ container: hot, limits, stamping }, mark, item).charge;
    if (copy.kind !== "copy") return { hotRu, warmRu: 0 };
    const put = { kind: "copy", ...place, draft: copy.draft, original } as const;
    const warmRu = prepare({ container: warm, limits, stamping }, put, undefined).charge;
    return { hotRu, warmRu };
  }
}

/** At the share that is set, by whichever side is slower; nothing where no rate limits it. */
function secondsFor(
  { rates }: PlanSetting,
  { hot, warm }: ContainerPair,
  { settings }: LifecycleRequest,
  { price }: Found,
): number | undefined {
  if (rates?.isLimited !== true) return undefined;
  const secondsOf = (ru: number, container: Container | undefined): number => {
    if (container === undefined) return 0;
    let rate = 0;
    for (const { spending } of container.partitions.values()) rate += spending.purse.ratePerSecond;
    return ru / Math.max(0.1, (rate * settings.sharePercent) / 100);
  };
  return Math.max(secondsOf(price.hotRu, hot.container), secondsOf(price.warmRu, warm.container));
}

function stepsOf(
  { hot, warm }: ContainerPair,
  { hot: hotName, warm: warmName, enableTtl, settings }: LifecycleRequest,
  { dueCount }: Found,
): readonly string[] {
  const made = (name: NamedContainer, isThere: boolean): readonly string[] =>
    isThere ? [] : [`Make the container ${name.database}/${name.container}.`];
  const isEnabled = hot.definition.defaultTtl !== undefined;
  return [
    ...made(hotName, hot.container !== undefined),
    ...made(warmName, warm.container !== undefined),
    ...(isEnabled || !enableTtl ? [] : ["Switch the ttl of hot on, without a default."]),
    `Look at every item of hot once, and move the ${dueCount} that are due: put a copy into ` +
      "warm, and when that is on disk mark the item.",
    `Then every ${durationText(settings.intervalSeconds)} move what has become older than ` +
      `${durationText(settings.ageSeconds)} by ${settings.ageProperty}.`,
    "Meanwhile follow what is written to hot: an edit of a moved item goes to warm, and so does " +
      "its deletion.",
    `What was moved leaves hot ${durationText(settings.markTtlSeconds)} later. What was not ` +
      "moved never expires.",
  ];
}

function exampleOf(hot: Container, item: StoredItem): ItemExample {
  const key = hot.readKey(objectOf(item.body));
  return { id: idOfKey(item.key), key: shownKey(key.ok ? key.value : []) };
}
