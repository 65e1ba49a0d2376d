/**
 * Reads a source and makes its profile. A file is read twice: a survey decides what to count, then
 * it is counted; so the profile does not depend on the order of its lines. What comes once only, a
 * pipe or a container, is surveyed by its first items.
 */
import { shortBytesText, shortDurationText } from "../../base/wording.ts";
import type { Clock } from "../../base/world.ts";
import type { InputFormat } from "../../itemFile/itemFormat.ts";
import type { KeysToCount } from "../../lab/keysToCount.ts";
import { KeyCounter } from "../../lab/profile/keyCounter.ts";
import type { KeyProfile, Profile } from "../../lab/profile/profile.ts";
import { Profiler } from "../../lab/profile/profiler.ts";
import { Survey, type Surveyed } from "../../lab/profile/survey.ts";
import type { accountOf } from "../connect/serverOptions.ts";
import { containerOf } from "../connect/serverOptions.ts";
import { isRepeatable, openInput } from "../input/inputFile.ts";
import type { DrawnLine } from "../terminal/drawnLine.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { barOf, numberText } from "../terminal/liveTable.ts";
import { readContainer } from "./inputContainer.ts";
import {
  type ItemTaker,
  type ReadingEnd,
  type ReadingProgress,
  readItems,
  type SampleSize,
} from "./inputItems.ts";

export type ProfiledSource =
  | { readonly kind: "file"; readonly name: string }
  | {
      readonly kind: "container";
      readonly name: string;
      readonly account: ReturnType<typeof accountOf>;
      readonly isOfficial: boolean;
    };

export interface ReadingWishes {
  readonly format?: InputFormat | undefined;
  readonly sample?: SampleSize | undefined;
  readonly time?: string | undefined;
  /** Paths to count as a key whatever is found. */
  readonly keys: readonly (readonly string[])[];
  /** What else is wanted will be counted once it is known. */
  readonly areSinglesEnough?: boolean | undefined;
  readonly ruMax?: number | undefined;
  readonly isStrict: boolean;
}

export class ProfileReading {
  readonly #source: ProfiledSource;
  readonly #wishes: ReadingWishes;
  readonly #progress: DrawnLine;
  readonly #clock: Clock;
  #survey: Surveyed | undefined;
  #isStopped = false;

  constructor(source: ProfiledSource, wishes: ReadingWishes, progress: DrawnLine, clock: Clock) {
    this.#source = source;
    this.#wishes = wishes;
    this.#progress = progress;
    this.#clock = clock;
  }

  /** What was read so far is used. */
  readonly stop = (): void => {
    this.#isStopped = true;
  };

  /** Whether the source can be read again: a file can, nothing else is sure to be the same. */
  get isRepeatable(): boolean {
    const { kind, name } = this.#source;
    return kind === "file" && isRepeatable(name);
  }

  async profile(): Promise<Profile> {
    if (this.isRepeatable) this.#survey ??= await this.#surveyed();
    const { time, areSinglesEnough } = this.#wishes;
    const profiler = new Profiler({
      source: this.#source.name === "-" ? "standard input" : this.#source.name,
      survey: this.#survey,
      time,
      keys: this.#wishes.keys,
      areSinglesEnough: areSinglesEnough === true && this.isRepeatable,
    });
    const end = await this.#read(profiler);
    const profile = profiler.result(end.coverage, end.pickedShare);
    if (profile.itemCount === 0) throw new CommandFailure(nothingRead(profile));
    return { ...profile, remarks: [...end.remarks, ...(profile.remarks ?? [])] };
  }

  /** Counts these keys, in a further pass; only where the source can be read again. */
  async count(wanted: KeysToCount, { time }: Profile): Promise<readonly KeyProfile[]> {
    this.#survey ??= await this.#surveyed();
    const counter = new KeyCounter({ ...wanted, survey: this.#survey, time: time?.path });
    await this.#readFile(quietly(counter));
    return counter.results();
  }

  async #surveyed(): Promise<Surveyed> {
    const survey = new Survey();
    await this.#readFile(quietly(survey));
    return survey.result();
  }

  async #read(profiler: Profiler): Promise<ReadingEnd> {
    const source = this.#source;
    if (source.kind === "file") return await this.#readFile(profiler);
    const startedAt = this.#clock.now();
    const onProgress = (far: Omit<ReadingProgress, "seconds">): void =>
      this.#progress.show(
        progressText({ ...far, seconds: (this.#clock.now() - startedAt) / 1000 }),
      );
    const { account, isOfficial } = source;
    const { sample, ruMax } = this.#wishes;
    const container = { account, name: containerOf(source.name), isOfficial };
    const isStopped = (): boolean => this.#isStopped;
    return await readContainer({ ...container, sample, ruMax, isStopped, onProgress }, profiler);
  }

  async #readFile(taker: ItemTaker): Promise<ReadingEnd> {
    const { format, sample, isStrict } = this.#wishes;
    return await readItems(openInput(this.#source.name), taker, {
      format,
      sample,
      isStrict,
      // What was stopped in the survey ends there when it is counted, too.
      isStopped: () => this.#isStopped && taker.itemCount >= (this.#survey?.itemCount ?? 0),
      onProgress: (far) => this.#progress.show(progressText(far)),
      clock: this.#clock,
    });
  }
}

/** Problems are told when a profile is made, and not once more. */
function quietly(counter: Pick<ItemTaker, "itemCount" | "add">): ItemTaker {
  let problemCount = 0;
  return {
    get itemCount() {
      return counter.itemCount;
    },
    get problemCount() {
      return problemCount;
    },
    add: (item, bytes) => counter.add(item, bytes),
    problem: () => {
      problemCount++;
    },
  };
}

/** A bar, bytes of all bytes, items, items a second, and how long it will take. */
export function progressText({
  readBytes,
  totalBytes,
  itemCount,
  seconds,
}: ReadingProgress): string {
  const rate = seconds > 0 ? itemCount / seconds : 0;
  const items = `${numberText(itemCount)} items, ${numberText(rate)}/s`;
  if (totalBytes === undefined) return `${shortBytesText(readBytes)} read, ${items}`;
  const share = readBytes / totalBytes;
  const left = share > 0 ? (seconds / share) * (1 - share) : 0;
  return (
    `${barOf(share, 20)} ${shortBytesText(readBytes)} of ${shortBytesText(totalBytes)}, ` +
    `${items}, ${shortDurationText(left)} to go`
  );
}

function nothingRead({ source, problems }: Profile): string {
  const [first] = problems.first;
  if (first === undefined) return `There is no item in ${source}.`;
  const more = problems.count - 1;
  const others = more === 0 ? "" : `, and ${more} more ${more === 1 ? "problem" : "problems"}`;
  return `No item could be read from ${source}: ${first.place}: ${first.problem}${others}.`;
}
