/**
 * A hot and a warm container with items in every state that a lifecycle can leave behind, and
 * beside them the one container that a router pretends there is.
 *
 * Half of the items are old enough to be moved. The states are those of `STATES`; a state says what
 * hot and warm have of an item whose current version is `now` and whose earlier one is `before`.
 */

import { DAY_MS } from "../../src/base/units.ts";
import type { Random } from "../../src/base/world.ts";
import { timeOf } from "../../src/keys/time.ts";
import { FakeTier, type Stored } from "./fakeTier.ts";

export const NOW: number = Date.UTC(2026, 6, 1);
export const AGE_SECONDS: number = 30 * 86_400;
export const THRESHOLD: number = NOW - AGE_SECONDS * 1000;
/** The dates of items reach this far back and ahead. */
export const FIRST: number = NOW - 90 * DAY_MS;
export const LAST: number = NOW + 5 * DAY_MS;

export type Spelling = "iso" | "isoDigits" | "epochSeconds" | "epochMillis";

const STATES = [
  "hot",
  "copied",
  "marked",
  "edited",
  "patched",
  "editedInWarm",
  "redated",
  "rejuvenated",
  "warm",
] as const;
type State = (typeof STATES)[number];

export interface World {
  readonly hot: FakeTier;
  readonly warm: FakeTier;
  /** What one container would have. */
  readonly single: readonly Stored[];
  /** Everything dated before is settled, and nothing more can be said. */
  readonly settledBefore: number;
}

export function millisOf(date: unknown, spelling: Spelling): number {
  return spelling === "epochSeconds" ? (date as number) * 1000 : timeOf(date)!;
}

function spelled(at: number, spelling: Spelling, random: Random): string | number {
  switch (spelling) {
    case "epochSeconds":
      return Math.floor(at / 1000);
    case "epochMillis":
      return at;
    case "isoDigits":
      return new Date(at).toISOString();
    case "iso":
      return anyIso(at, random);
  }
}

/** The same moment with an offset, or with more or fewer digits. */
function anyIso(at: number, random: Random): string {
  const hours = Math.floor(random.next() * 27) - 12;
  const local = new Date(at + hours * 3_600_000).toISOString().slice(0, -1);
  const offset = `${hours < 0 ? "-" : "+"}${String(Math.abs(hours)).padStart(2, "0")}:00`;
  const forms = [
    `${local}${offset}`,
    `${local}0000${offset}`,
    new Date(at).toISOString(),
    at % 1000 === 0 ? `${new Date(at).toISOString().slice(0, -5)}Z` : new Date(at).toISOString(),
  ];
  return forms[Math.floor(random.next() * forms.length)]!;
}

interface WorldOptions {
  readonly spelling: Spelling;
  readonly keyProperty: string;
  /** The item with its key in it. */
  readonly withKey: (item: Stored) => Stored;
  readonly itemCount: number;
}

export function worldOf(random: Random, options: WorldOptions): World {
  const { spelling, keyProperty, withKey, itemCount } = options;
  const [hot, warm] = [new FakeTier(keyProperty), new FakeTier(keyProperty)];
  const single: Stored[] = [];
  let settledBefore = THRESHOLD;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)]!;
  const within = (from: number, before: number): number => {
    // Whole days are often equal to others, so rows have ties.
    const unit = pick([spelling === "epochSeconds" ? 1000 : 1, 1000, DAY_MS]);
    return Math.floor((from + random.next() * (before - from)) / unit) * unit;
  };
  for (let n = 0; n < itemCount; n++) {
    const isOld = random.next() < 0.6;
    const at = isOld ? within(FIRST, THRESHOLD) : within(THRESHOLD, LAST);
    const base: Stored = {
      id: `i${n % 7 === 0 ? n - 1 : n}`,
      pk: `p${n % 4}`,
      date: spelled(at, spelling, random),
    };
    const before = withKey({ ...base, ...contents(random) });
    const drawn: State = at < THRESHOLD ? pick(STATES) : "hot";
    const state = drawn === "rejuvenated" && keyProperty !== "pk" ? "redated" : drawn;
    const now = changed(state, before, contents(random), withKey, spelling, random);
    if (hot.get(now) !== undefined || warm.get(now) !== undefined) continue;
    place(state, { hot, warm, before, now });
    single.push(now);
    if (!["warm", "marked", "copied"].includes(state) && at < THRESHOLD) {
      const dates = [before, now].map(({ date }) => millisOf(date, spelling));
      settledBefore = Math.min(settledBefore, ...dates);
    }
  }
  return { hot, warm, single, settledBefore: Math.floor(settledBefore) };
}

function contents(random: Random): Stored {
  const value = Math.floor(random.next() * 5);
  return {
    ...(random.next() < 0.9 && { score: random.next() < 0.8 ? value : `s${value}` }),
    open: random.next() < 0.5,
    ...(random.next() < 0.2 && { note: "n" }),
  };
}

/** Only the states with an edit have two versions. */
function changed(
  state: State,
  before: Stored,
  others: Stored,
  withKey: (item: Stored) => Stored,
  spelling: Spelling,
  random: Random,
): Stored {
  if (["hot", "copied", "marked", "warm"].includes(state)) return before;
  const { id, pk, date } = before as { id: string; pk: string; date: string | number };
  if (state === "rejuvenated") {
    const young = THRESHOLD + Math.floor(random.next() * 30) * DAY_MS;
    return withKey({ id, pk, date: spelled(young, spelling, random), ...others });
  }
  if (state !== "redated") return withKey({ id, pk, date, ...others });
  // A day of the same month: the key may be made from the month.
  const day = new Date(millisOf(date, spelling));
  day.setUTCDate(1 + Math.floor(random.next() * 28));
  return withKey({ id, pk, date: spelled(day.getTime(), spelling, random), ...others });
}

interface Placed {
  readonly hot: FakeTier;
  readonly warm: FakeTier;
  readonly before: Stored;
  readonly now: Stored;
}

const MARK = { migrated: true, migratedAt: 77, ttl: 3600 };

/** `_ts`: a copy is made at 20, its mark at 21; what is edited afterwards is later. */
function place(state: State, { hot, warm, before, now }: Placed): void {
  switch (state) {
    case "hot":
      hot.put({ ...now, _ts: 10 });
      return;
    case "copied":
      hot.put({ ...now, _ts: 10 });
      warm.put({ ...now, _ts: 20 });
      return;
    case "marked":
      hot.put({ ...now, ...MARK, _ts: 21 });
      warm.put({ ...now, _ts: 20 });
      return;
    case "edited":
    case "redated":
    case "rejuvenated":
      hot.put({ ...now, _ts: 30 });
      warm.put({ ...before, _ts: 20 });
      return;
    case "patched":
      hot.put({ ...now, ...MARK, _ts: 30 });
      warm.put({ ...before, _ts: 20 });
      return;
    case "editedInWarm":
      hot.put({ ...before, ...MARK, _ts: 21 });
      warm.put({ ...now, _ts: 30 });
      return;
    case "warm":
      warm.put({ ...now, _ts: 20 });
  }
}
