/** The options that say what is known of data that ages, and how they are explained. */

interface TextOption {
  readonly type: "string";
}

interface FlagOption {
  readonly type: "boolean";
}

const TEXT: TextOption = { type: "string" };
const FLAG: FlagOption = { type: "boolean" };

/** Figures that a workload would say itself. */
export const OWN_FIGURES: readonly OwnFigure[] = [
  "volume",
  "items-per-day",
  "item-size",
  "retention",
  "queries-per-second",
  "recent-share",
  "analytics-rate",
  "peak",
];

type OwnFigure = Exclude<
  keyof FigureValues,
  Flag | "workload" | "scenario" | "key" | "age-property" | Setting
>;
type Setting = "hot-age" | "ttl" | "interval" | "step" | "high-load";

/** For `parseArgs`. */
export const FIGURE_OPTIONS: Readonly<
  Record<Exclude<keyof FigureValues, Flag>, TextOption> & Record<Flag, FlagOption>
> = {
  volume: TEXT,
  "items-per-day": TEXT,
  "item-size": TEXT,
  retention: TEXT,
  "queries-per-second": TEXT,
  "recent-share": TEXT,
  "analytics-rate": TEXT,
  peak: TEXT,
  workload: TEXT,
  scenario: TEXT,
  key: TEXT,
  "age-property": TEXT,
  "hot-age": TEXT,
  ttl: TEXT,
  interval: TEXT,
  step: TEXT,
  analytics: FLAG,
  "real-time": FLAG,
  simple: FLAG,
  "independent-periods": FLAG,
  "high-load": TEXT,
};

type Flag = "analytics" | "real-time" | "simple" | "independent-periods";

export const FIGURE_HELP: string = `\
What there is, by figures of your own:
  --volume <size>          what is stored in the end, such as 800GB
  --items-per-day <n>      instead, or with it: then items are kept for as long as that takes
  --item-size <size>       of one item as JSON (default 4KB)
  --retention <time>       how long items are kept (default 730 days)
  --queries-per-second <n> all queries together, at the mean
  --recent-share <share>   of them, those about the last days (default 80%)
  --analytics-rate <rate>  with --analytics: queries that add up over a year (default 1/min)
  --peak <factor>          the busiest time over the mean (default 2)
or from what describes it already:
  --workload <file>        a workload file, JSON or YAML; docs/lab/workload.md describes it
  --scenario <name>        a worked case, such as feed; \`orrery lab scenario\` lists them

How it is kept:
  --key <key>              the partition key of all containers (default: that of the workload
                           which has the age in it; for figures, provider and month)
  --age-property <path>    the time of an item (default: the one the workload declares)
  --hot-age <time>         from this age on items move (default 30 days)
  --ttl <time>             time to live in the hot container (default 45 days)
  --interval <time>        between runs of the mover (default 1 day)
  --step <time>            between steps of a mover in near real time (default 15 min)

What the framework asks, where it does not follow from the above:
  --analytics              queries add up over more than the hot data (--no-analytics: none does)
  --real-time              recent reads have to be quick at any time (default: they are half of all)
  --simple                 requirements are simple (default: no analytics, no independent periods,
                           no high load)
  --independent-periods    periods are managed one by one
  --high-load <RU/s>       from which on a query load is high (default: what so much data must be
                           provisioned with in any case)
`;

export interface FigureValues {
  readonly volume?: string | undefined;
  readonly "items-per-day"?: string | undefined;
  readonly "item-size"?: string | undefined;
  readonly retention?: string | undefined;
  readonly "queries-per-second"?: string | undefined;
  readonly "recent-share"?: string | undefined;
  readonly "analytics-rate"?: string | undefined;
  readonly peak?: string | undefined;
  readonly workload?: string | undefined;
  readonly scenario?: string | undefined;
  readonly key?: string | undefined;
  readonly "age-property"?: string | undefined;
  readonly "hot-age"?: string | undefined;
  readonly ttl?: string | undefined;
  readonly interval?: string | undefined;
  readonly step?: string | undefined;
  readonly analytics?: boolean | undefined;
  readonly "real-time"?: boolean | undefined;
  readonly simple?: boolean | undefined;
  readonly "independent-periods"?: boolean | undefined;
  readonly "high-load"?: string | undefined;
}
