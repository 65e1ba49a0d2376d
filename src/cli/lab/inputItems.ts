/**
 * Items out of a file into a profiler: all of them or some picked by content, until the end or
 * until somebody wants no more. Whatever happens on the way, what was read so far stays.
 */
import type { Clock } from "../../base/world.ts";
import { type InputFormat, readerOf } from "../../itemFile/itemFormat.ts";
import { itemIn, placeOf } from "../../itemFile/parsedItem.ts";
import type { FoundRecord, RecordPlace } from "../../itemFile/record.ts";
import type { JsonObject } from "../../json/value.ts";
import { ValueHash } from "../../lab/counting/valueHash.ts";
import type { Profile } from "../../lab/profile/profile.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { InputFile } from "../input/inputFile.ts";
import { ItemSource } from "../input/itemSource.ts";

/** Of all items, or about so many of them. */
export type SampleSize = { readonly share: number } | { readonly count: number };

interface ReadingOptions {
  readonly format: InputFormat | undefined;
  readonly sample: SampleSize | undefined;
  /** Ends at the first problem. */
  readonly isStrict: boolean;
  /** Asked between two chunks. */
  readonly isStopped: () => boolean;
  readonly onProgress: (progress: ReadingProgress) => void;
  readonly clock: Clock;
}

/** Whoever wants the items of a file. */
export interface ItemTaker {
  readonly itemCount: number;
  readonly problemCount: number;
  add(item: JsonObject, bytes: number): void;
  problem(place: string, text: string): void;
}

export interface ReadingProgress {
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
  const picker = new Picker(taker, input);
  const source = new ItemSource(input, {
    format: options.format,
    delimiter: undefined,
    areAllTexts: false,
    onFormat: (format, head) => {
      const { sample } = options;
      if (sample === undefined) return;
      picker.share = "share" in sample ? sample.share : shareOf(sample.count, input, format, head);
    },
  });
  const startedAt = options.clock.now();
  let shownAt = startedAt;
  let isCut = false;
  for await (const records of source.records()) {
    for (const record of records) picker.take(record);
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
  return endOf(input, picker, source.remarks, isCut);
}

function endOf(
  input: InputFile,
  picker: Picker,
  assumed: readonly string[],
  isCut: boolean,
): ReadingEnd {
  const { totalBytes } = input;
  const readShare = isCut && totalBytes !== undefined ? input.readBytes() / totalBytes : 1;
  const share = picker.pickedShare * readShare;
  const remarks = [...assumed];
  if (isCut) {
    const part = totalBytes === undefined ? "what had come" : percent(readShare);
    remarks.push(`Reading was ended after ${part} of the input: this is its beginning only.`);
  }
  const coverage = share < 1 ? { sampledShare: share } : "all";
  return { coverage, pickedShare: picker.pickedShare, remarks };
}

/** Which share of the items so many are, going by how many are in the first bytes. */
function shareOf(count: number, input: InputFile, format: InputFormat, head: Buffer): number {
  const { unzippedBytes } = input;
  if (unzippedBytes === undefined) {
    throw new BadOption(
      "--sample needs a share, such as 10%, where nobody knows how much will come.",
    );
  }
  const options = { delimiter: undefined, areAllTexts: true, name: input.name };
  const reader = readerOf(format, options);
  const records = [...reader.push(head), ...reader.end()];
  const found = records.filter(({ kind }) => kind !== "broken").length;
  const total = (found * unzippedBytes) / head.length;
  return Math.min(1, count / Math.max(1, total));
}

/** Gives on the items of records, or of some picked by content, and the problems of all others. */
class Picker {
  share = 1;
  readonly #taker: ItemTaker;
  readonly #input: InputFile;
  readonly #hash = new ValueHash();
  #seenCount = 0;
  #pickedCount = 0;

  constructor(taker: ItemTaker, input: InputFile) {
    this.#taker = taker;
    this.#input = input;
  }

  get pickedShare(): number {
    return this.#seenCount === 0 ? 1 : this.#pickedCount / this.#seenCount;
  }

  take(record: FoundRecord): void {
    if (record.kind === "broken") {
      // What breaks an input breaks it where it lies: a zipped one has no lines there.
      const isCut = record.atByte !== undefined;
      const place = isCut ? `byte ${this.#input.readBytes()}` : placeText(record);
      this.#taker.problem(place, record.reason);
      return;
    }
    this.#seenCount++;
    if (this.share < 1 && this.#chanceOf(record.bytes.toString("utf8")) >= this.share) return;
    this.#pickedCount++;
    const item = itemIn(record, JSON.parse);
    if (item.ok) this.#taker.add(item.value, record.bytes.length);
    else this.#taker.problem(placeText(placeOf(record, item.error)), item.error.reason);
  }

  /** In [0, 1): the same for the same item, wherever it stands. */
  #chanceOf(text: string): number {
    this.#hash.ofText(text);
    return (this.#hash.low >>> 0) / 0x100000000;
  }
}

function placeText({ line, column }: Pick<RecordPlace, "line" | "column">): string {
  return column === 1 ? `line ${line}` : `line ${line}, column ${column}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
