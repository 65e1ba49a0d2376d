/**
 * Items out of a file into a profiler: all of them or some picked by content, until the end or
 * until somebody wants no more. Whatever happens on the way, what was read so far stays.
 */
import type { Clock } from "../../base/world.ts";
import { formatOf, type InputFormat, readerOf } from "../../itemFile/itemFormat.ts";
import type { ItemReader, ItemSink } from "../../itemFile/itemReader.ts";
import type { JsonObject } from "../../json/value.ts";
import { ValueHash } from "../../lab/counting/valueHash.ts";
import type { Profile } from "../../lab/profile/profile.ts";
import { BadOption } from "../../server/options.ts";
import { type InputFile, InputProblem } from "../inputFile.ts";

/** Of all items, or about so many of them. */
export type SampleSize = { readonly share: number } | { readonly count: number };

export interface ReadingOptions {
  readonly format: InputFormat | undefined;
  readonly sample: SampleSize | undefined;
  /** Ends at the first problem. */
  readonly isStrict: boolean;
  /** Asked between two chunks. */
  readonly isStopped: () => boolean;
  readonly onProgress: (progress: Progress) => void;
  readonly clock: Clock;
}

/** Whoever wants the items of a file. */
export interface ItemTaker {
  readonly itemCount: number;
  readonly problemCount: number;
  add(item: JsonObject, bytes: number): void;
  problem(place: string, text: string): void;
}

export interface Progress {
  readonly readBytes: number;
  readonly totalBytes: number | undefined;
  readonly itemCount: number;
  readonly seconds: number;
}

export interface ReadingEnd {
  readonly coverage: Profile["coverage"];
  /** Of the items that came by. */
  readonly pickedShare: number;
  readonly remarks: readonly string[];
}

const PROGRESS_MS = 200;

export async function readItems(
  input: InputFile,
  taker: ItemTaker,
  options: ReadingOptions,
): Promise<ReadingEnd> {
  const sink = new PickingSink(taker);
  const startedAt = options.clock.now();
  let shownAt = startedAt;
  let reader: ItemReader | undefined;
  let isCut = false;
  try {
    for await (const chunk of input.chunks()) {
      reader ??= openReader(input, chunk, sink, options);
      reader.push(chunk);
      isCut = options.isStopped() || (options.isStrict && taker.problemCount > 0);
      if (isCut) break;
      const now = options.clock.now();
      if (now - shownAt < PROGRESS_MS) continue;
      shownAt = now;
      options.onProgress({
        readBytes: input.readBytes(),
        totalBytes: input.totalBytes,
        itemCount: taker.itemCount,
        seconds: (now - startedAt) / 1000,
      });
    }
    if (!isCut) reader?.end();
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error;
    reader?.end();
    taker.problem(`byte ${input.readBytes()}`, error.message);
  }
  return endOf(input, sink, reader, isCut);
}

function endOf(
  input: InputFile,
  sink: PickingSink,
  reader: ItemReader | undefined,
  isCut: boolean,
): ReadingEnd {
  const { totalBytes } = input;
  const readShare = isCut && totalBytes !== undefined ? input.readBytes() / totalBytes : 1;
  const share = sink.pickedShare * readShare;
  const remarks = [...(reader?.remarks ?? [])];
  if (isCut) {
    const part = totalBytes === undefined ? "what had come" : percent(readShare);
    remarks.push(`Reading was ended after ${part} of the input: this is its beginning only.`);
  }
  const coverage = share < 1 ? { sampledShare: share } : "all";
  return { coverage, pickedShare: sink.pickedShare, remarks };
}

function openReader(
  input: InputFile,
  head: Uint8Array,
  sink: PickingSink,
  { format, sample }: ReadingOptions,
): ItemReader {
  const used = format ?? formatOf(input.name, head);
  if (sample !== undefined) {
    sink.share = "share" in sample ? sample.share : shareOf(sample.count, input, used, head);
  }
  return readerOf(used, sink);
}

/** Which share of the items so many are, going by how many are in the first bytes. */
function shareOf(count: number, input: InputFile, format: InputFormat, head: Uint8Array): number {
  const { unzippedBytes } = input;
  if (unzippedBytes === undefined) {
    throw new BadOption(
      "--sample needs a share, such as 10%, where nobody knows how much will come.",
    );
  }
  let found = 0;
  const counting: ItemSink = {
    wants: () => {
      found++;
      return false;
    },
    item: () => undefined,
    problem: () => undefined,
  };
  readerOf(format, counting).push(head);
  const total = (found * unzippedBytes) / head.length;
  return Math.min(1, count / Math.max(1, total));
}

class PickingSink implements ItemSink {
  share = 1;
  readonly #taker: ItemTaker;
  readonly #hash = new ValueHash();
  #seenCount = 0;
  #pickedCount = 0;

  constructor(taker: ItemTaker) {
    this.#taker = taker;
  }

  get pickedShare(): number {
    return this.#seenCount === 0 ? 1 : this.#pickedCount / this.#seenCount;
  }

  wants(text: string): boolean {
    this.#seenCount++;
    if (this.share < 1 && this.#chanceOf(text) >= this.share) return false;
    this.#pickedCount++;
    return true;
  }

  /** In [0, 1): the same for the same item, wherever it stands. */
  #chanceOf(text: string): number {
    this.#hash.ofText(text);
    return (this.#hash.low >>> 0) / 0x100000000;
  }

  item(item: Parameters<ItemSink["item"]>[0], bytes: number): void {
    this.#taker.add(item, bytes);
  }

  problem(place: string, text: string): void {
    this.#taker.problem(place, text);
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
