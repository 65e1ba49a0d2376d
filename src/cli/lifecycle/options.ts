/** What `orrery lifecycle` was asked: its arguments, checked, as the question for the server. */
import { secondsOfDuration } from "../../base/duration.ts";
import type { CopyThroughput } from "../../model/copyJob.ts";
import type { LifecycleQuestion, LifecycleSettings, NewPair } from "../../model/lifecycle.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { containerOf } from "../connect/serverOptions.ts";

/** For `parseArgs`: what can be said at the start, and changed later. */
export const SETTING_OPTIONS = {
  "age-property": { type: "string" },
  age: { type: "string" },
  interval: { type: "string" },
  batch: { type: "string" },
  share: { type: "string" },
  mark: { type: "string" },
  "mark-ttl": { type: "string" },
  "archive-after": { type: "string" },
} as const;

/** For `parseArgs`: what can be said at the start alone. */
export const START_OPTIONS = {
  "partition-key": { type: "string" },
  "hot-throughput": { type: "string" },
  "hot-autoscale": { type: "string" },
  "hot-ttl": { type: "string" },
  composite: { type: "string" },
  "warm-throughput": { type: "string" },
  "warm-autoscale": { type: "string" },
  exclude: { type: "string", multiple: true },
  create: { type: "boolean" },
  "enable-ttl": { type: "boolean" },
  force: { type: "boolean" },
} as const;

/** How containers are made that are not there. */
const CREATING = [
  "partition-key",
  "hot-throughput",
  "hot-autoscale",
  "hot-ttl",
  "composite",
  "warm-throughput",
  "warm-autoscale",
  "exclude",
] as const;

type SettingValues = { readonly [Name in keyof typeof SETTING_OPTIONS]?: string | undefined };

type CreateValues = {
  readonly [Name in Exclude<(typeof CREATING)[number], "exclude">]?: string | undefined;
} & { readonly exclude?: readonly string[] | undefined };

type StartValues = SettingValues &
  CreateValues & {
    readonly create?: boolean | undefined;
    readonly "enable-ttl"?: boolean | undefined;
    readonly force?: boolean | undefined;
  };

export const SETTING_HELP: string = `\
  --age-property <path>    the date of an item: ISO 8601 text, or seconds or milliseconds since 1970
  --age <duration>         items whose date is longer ago are moved, such as 30d, 12h, 15m, 45s, 2w
                           or 2y; a year is 365 days
  --interval <duration>    from one round to the next (default 15m)
  --batch <n>              the most items of a step (default 100)
  --share <percent>        the most that it spends of the RU/s of each physical partition
                           (default 50)
  --mark <property>        what an item gets in hot when warm has it (default migrated)
  --mark-ttl <duration>    how long it stays in hot after that (default 1d)
  --archive-after <dur.>   warn when warm has items older than that; off for no warning
`;

const BATCH_MAX = 10_000;
const RATE_MAX = 1_000_000_000;

/** Seconds of a duration such as 30d, 12h, 15m or 45s. */
export function durationOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = secondsOfDuration(text);
  if (seconds !== undefined) return seconds;
  throw new BadOption(
    `${option} is '${text}'; it must be a duration such as 30d, 12h, 15m, 45s, 2w or 2y (a year ` +
      "is 365 days).",
  );
}

/** Only those that were given. */
export function settingsOf(values: SettingValues): Partial<LifecycleSettings> {
  const archive = values["archive-after"];
  const settings = {
    ageProperty: values["age-property"],
    ageSeconds: durationOf("--age", values.age),
    intervalSeconds: durationOf("--interval", values.interval),
    batch: wholeOf("--batch", values.batch, BATCH_MAX),
    sharePercent: percentOf(values.share),
    markProperty: values.mark,
    markTtlSeconds: durationOf("--mark-ttl", values["mark-ttl"]),
    archiveAfterSeconds: archive === "off" ? 0 : durationOf("--archive-after", archive),
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<LifecycleSettings>;
}

export function questionOf(positionals: readonly string[], values: StartValues): LifecycleQuestion {
  const [hot, warm, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  if (hot === undefined || warm === undefined) {
    throw new BadOption("Name two containers, hot and warm: <db>/<container> <db>/<container>.");
  }
  const { ageProperty, ageSeconds, ...settings } = settingsOf(values);
  if (ageProperty === undefined) {
    throw new BadOption("Say which property has the date: --age-property /publishedDate.");
  }
  if (ageSeconds === undefined) throw new BadOption("Say when an item is moved: --age 30d.");
  const create = newPairOf(values);
  return {
    hot: containerOf(hot),
    warm: containerOf(warm),
    ageProperty,
    ageSeconds,
    ...settings,
    ...(create && { create }),
    ...(values["enable-ttl"] === true && { enableTtl: true }),
    ...(values.force === true && { isForced: true }),
  };
}

function newPairOf(values: StartValues): NewPair | undefined {
  const told = CREATING.find((name) => values[name] !== undefined);
  if (values.create !== true) {
    if (told === undefined) return undefined;
    throw new BadOption(`--${told} says how a container is made; add --create.`);
  }
  return {
    partitionKey: values["partition-key"]?.split(","),
    hotThroughput: throughputOf("hot", values),
    warmThroughput: throughputOf("warm", values),
    hotTtlSeconds: durationOf("--hot-ttl", values["hot-ttl"]),
    compositePath: values.composite,
    warmExcludedPaths: values.exclude,
  };
}

function throughputOf(role: "hot" | "warm", values: CreateValues): CopyThroughput | undefined {
  const [manual, autoscale] = [values[`${role}-throughput`], values[`${role}-autoscale`]];
  if (manual !== undefined && autoscale !== undefined) {
    throw new BadOption(`--${role}-throughput and --${role}-autoscale exclude each other.`);
  }
  const rate = wholeOf(`--${role}-throughput`, manual, RATE_MAX);
  if (rate !== undefined) return { kind: "manual", ratePerSecond: rate };
  const ceiling = wholeOf(`--${role}-autoscale`, autoscale, RATE_MAX);
  return ceiling === undefined ? undefined : { kind: "autoscale", ratePerSecond: ceiling };
}

function wholeOf(option: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text);
  throw new BadOption(`${option} is '${text}'; it must be a number from 1 to ${max}.`);
}

function percentOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const percent = Number(text);
  if (/^\d{1,3}(\.\d{1,6})?$/.test(text) && percent > 0 && percent <= 100) return percent;
  throw new BadOption(`--share is '${text}'; it must be a number of percent, at most 100.`);
}
