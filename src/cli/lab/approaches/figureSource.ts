/**
 * What is known of data that ages, from options: figures of one's own, a workload file, or a worked
 * case. The advice on it and the run that compares the approaches take the same.
 *
 * Nothing is accepted and then not used: a workload says itself what figures would say.
 */
import type { KeyLevels } from "../../../keys/expression.ts";
import { parseKeyLevels, printKeyLevels } from "../../../keys/expressionText.ts";
import { pathsOf, pathText, periodsIn } from "../../../keys/paths.ts";
import type { LifecycleInput, Wishes } from "../../../lab/lifecycle/advice.ts";
import { type AgeingSettings, DEFAULT_SETTINGS } from "../../../lab/lifecycle/containers.ts";
import {
  FEED_DEFAULTS,
  FEED_KEY,
  type FeedFigures,
  feedWorkload,
  itemsPerDayFor,
  volumeOf,
} from "../../../lab/lifecycle/feedWorkload.ts";
import { scenarioWorkload } from "../../../lab/scenario/scenario.ts";
import {
  bytesIn,
  countIn,
  daysIn,
  ratePerSecondIn,
  shareIn,
  volumeIn,
} from "../../../lab/workload/quantities.ts";
import type { Workload } from "../../../lab/workload/workload.ts";
import { BadOption } from "../../../server/surroundings/options.ts";
import { keyLevelsOf } from "../options.ts";
import { scenarioNamed } from "../scenario.ts";
import { workloadIn } from "../sources.ts";
import { type FigureValues, OWN_FIGURES } from "./figureOptions.ts";

/** Figures that are known otherwise, such as those of a running container. */
export interface KnownFigures {
  readonly itemCount: number;
  readonly itemBytes: number;
  /** Undefined: it is not known how it grows. */
  readonly itemsPerDay: number | undefined;
  readonly queriesPerSecond: number;
  readonly remarks: readonly string[];
}

type Source = Pick<LifecycleInput, "workload" | "agePath" | "candidate" | "settings" | "wishes">;

export function lifecycleSourceOf(values: FigureValues, known?: KnownFigures): Source {
  const workload = withRemarks(workloadOf(values, known), known?.remarks ?? []);
  const agePath = agePathOf(values["age-property"], workload);
  const levels = levelsOf(values.key, workload, agePath);
  return {
    workload,
    agePath,
    candidate: { id: printKeyLevels(levels), levels, origin: "named", stated: undefined },
    settings: settingsOf(values),
    wishes: wishesOf(values),
  };
}

function workloadOf(values: FigureValues, known: KnownFigures | undefined): Workload {
  const described = values.workload ?? values.scenario;
  if (described === undefined) return feedWorkload(feedFiguresOf(values, known));
  if (values.workload !== undefined && values.scenario !== undefined) {
    throw new BadOption("--workload and --scenario exclude each other.");
  }
  const own = OWN_FIGURES.find((name) => values[name] !== undefined);
  if (own !== undefined) {
    throw new BadOption(
      `--${own} says nothing beside a workload, which has its own figures. Leave one of them out.`,
    );
  }
  if (values.workload !== undefined) return workloadIn(values.workload);
  return scenarioWorkload(scenarioNamed(values.scenario!));
}

function feedFiguresOf(values: FigureValues, known?: KnownFigures): FeedFigures {
  const itemBytes =
    amountOf("--item-size", values["item-size"], bytesIn, SIZES) ??
    known?.itemBytes ??
    FEED_DEFAULTS.itemBytes;
  return {
    ...keptItemsOf(values, itemBytes, known),
    itemBytes,
    recentShare:
      amountOf("--recent-share", values["recent-share"], shareIn, SHARES) ??
      FEED_DEFAULTS.recentShare,
    peakFactor: amountOf("--peak", values.peak, countIn, FACTORS) ?? FEED_DEFAULTS.peakFactor,
    analyticsPerSecond: analyticsRateOf(values),
    queriesPerSecond: queriesOf(values, known),
  };
}

/** Two of volume, items a day and retention tell the third. Options come before what is known. */
function keptItemsOf(
  values: FigureValues,
  itemBytes: number,
  known: KnownFigures | undefined,
): Pick<FeedFigures, "itemsPerDay" | "retentionDays"> {
  const volume = amountOf("--volume", values.volume, volumeIn, VOLUMES);
  const perDay = amountOf("--items-per-day", values["items-per-day"], countIn, COUNTS);
  const retention = amountOf("--retention", values.retention, daysIn, DAYS);
  if (volume === undefined && perDay === undefined && known === undefined) {
    throw new BadOption(
      "Say what there is: --volume 800GB, --items-per-day with --item-size and --retention, " +
        "--workload <file>, or --scenario <name>.",
    );
  }
  if (volume !== undefined && perDay !== undefined && retention !== undefined) {
    throw new BadOption(
      "--volume, --items-per-day and --retention are one too many: two of them tell the third.",
    );
  }
  const knownVolume =
    known && volumeOf({ itemsPerDay: known.itemCount, retentionDays: 1, itemBytes });
  const bytes = volume ?? knownVolume;
  const daily =
    volume !== undefined && retention !== undefined ? perDay : (perDay ?? known?.itemsPerDay);
  if (daily === undefined) {
    const retentionDays = retention ?? FEED_DEFAULTS.retentionDays;
    return { itemsPerDay: itemsPerDayFor(bytes!, { itemBytes, retentionDays }), retentionDays };
  }
  const derived =
    bytes === undefined
      ? FEED_DEFAULTS.retentionDays
      : bytes / volumeOf({ itemsPerDay: daily, retentionDays: 1, itemBytes });
  return { itemsPerDay: daily, retentionDays: retention ?? derived };
}

function queriesOf(values: FigureValues, known: KnownFigures | undefined): number {
  const given = amountOf(
    "--queries-per-second",
    values["queries-per-second"],
    ratePerSecondIn,
    RATES,
  );
  const queries = given ?? known?.queriesPerSecond;
  if (queries !== undefined) return queries;
  throw new BadOption("Say how many queries there are with --queries-per-second, such as 50.");
}

function analyticsRateOf(values: FigureValues): number {
  const rate = amountOf("--analytics-rate", values["analytics-rate"], ratePerSecondIn, RATES);
  if (rate !== undefined && values.analytics !== true) {
    throw new BadOption("--analytics-rate says something with --analytics only.");
  }
  return values.analytics === true ? (rate ?? FEED_DEFAULTS.analyticsPerSecond) : 0;
}

function withRemarks(workload: Workload, remarks: readonly string[]): Workload {
  return remarks.length === 0
    ? workload
    : { ...workload, remarks: [...workload.remarks, ...remarks] };
}

function agePathOf(named: string | undefined, { properties, name }: Workload): string {
  const times = [...properties.values()].filter(({ time }) => time !== undefined);
  const paths = times.map(({ path }) => path);
  if (named === undefined) {
    if (paths.length === 1) return paths[0]!;
    const which =
      paths.length === 0 ? "declares no property with a time" : `has ${paths.join(", ")}`;
    throw new BadOption(`${name} ${which}: name the one that has the age with --age-property.`);
  }
  if (paths.includes(named)) return named;
  throw new BadOption(
    `--age-property is '${named}', which ${name} does not declare as a time` +
      `${paths.length === 0 ? "" : `; it has ${paths.join(", ")}`}. Give it \`time: second\`.`,
  );
}

/** Who and when, as the guides would have it; else whatever has the age in it. */
function levelsOf(named: string | undefined, workload: Workload, agePath: string): KeyLevels {
  if (named !== undefined) return keyLevelsOf("--key", named);
  const read = workload.candidates.flatMap(({ levels }) => {
    const parsed = levels.map(parseKeyLevels);
    return parsed.every((each) => each.ok)
      ? [parsed.flatMap((each) => (each.ok ? each.value : []))]
      : [];
  });
  const hasAge = (levels: KeyLevels): boolean =>
    levels.some((level) => periodsIn(level).some(({ of }) => pathText(of) === agePath));
  const isHybrid = (levels: KeyLevels): boolean =>
    hasAge(levels) && levels.flatMap(pathsOf).some((path) => pathText(path) !== agePath);
  const found = read.find(isHybrid) ?? read.find(hasAge);
  if (found !== undefined) return found;
  throw new BadOption(
    `${workload.name} names no key with the month or day of ${agePath}: name one with --key, ` +
      `such as "${FEED_KEY}".`,
  );
}

function settingsOf(values: FigureValues): AgeingSettings {
  const days = (name: "hot-age" | "ttl" | "interval" | "step"): number | undefined =>
    amountOf(`--${name}`, values[name], daysIn, DAYS);
  const settings = {
    ...DEFAULT_SETTINGS,
    hotDays: days("hot-age") ?? DEFAULT_SETTINGS.hotDays,
    intervalDays: days("interval") ?? DEFAULT_SETTINGS.intervalDays,
    stepDays: days("step") ?? DEFAULT_SETTINGS.stepDays,
  };
  const least = settings.hotDays + Math.max(settings.intervalDays, settings.stepDays);
  const ttlDays = days("ttl") ?? Math.max(DEFAULT_SETTINGS.ttlDays, 1.5 * settings.hotDays, least);
  if (ttlDays >= least) return { ...settings, ttlDays };
  throw new BadOption(
    `--ttl is ${ttlDays} days: items would be gone before they are moved, at up to ` +
      `${least} days (--hot-age and --interval together).`,
  );
}

function wishesOf(values: FigureValues): Wishes {
  return {
    highLoad: amountOf("--high-load", values["high-load"], countIn, COUNTS),
    needsAnalytics: values.analytics,
    needsRealTime: values["real-time"],
    isSimple: values.simple,
    hasIndependentPeriods: values["independent-periods"],
  };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly what: string;
}

const GB: number = 1024 ** 3;
const VOLUMES: Bounds = { min: 1, max: 1e6 * GB, what: "a size such as 800GB" };
const SIZES: Bounds = { min: 1, max: 2 * 1024 ** 2, what: "a size up to 2 MB, such as 4KB" };
const COUNTS: Bounds = { min: 1, max: 1e12, what: "a number from 1 on, such as 250000" };
const DAYS: Bounds = { min: 1 / 86_400, max: 36_525, what: "a time such as 30 days or 15 min" };
const RATES: Bounds = { min: 0, max: 1e7, what: "a rate such as 50 or 5/min" };
const SHARES: Bounds = { min: 0, max: 1, what: "a share such as 0.8 or 80%" };
const FACTORS: Bounds = { min: 1, max: 100, what: "a factor from 1 to 100" };

function amountOf(
  option: string,
  text: string | undefined,
  parse: (text: string) => number | undefined,
  { min, max, what }: Bounds,
): number | undefined {
  if (text === undefined) return undefined;
  const amount = parse(text);
  if (amount !== undefined && amount >= min && amount <= max) return amount;
  throw new BadOption(`${option} is '${text}'; it must be ${what}.`);
}
