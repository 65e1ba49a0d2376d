/**
 * The command of the example: `npm run example feed-store <command> [-- options]`. Clock, waiting,
 * arguments and output exist in this file only.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Container, Database } from "@azure/cosmos";
import { runDemo } from "./demo.ts";
import { type FeedContainers, oneContainer } from "./feedContainers.ts";
import { dateTextOf } from "./feedItem.ts";
import { type FeedVolume, generateItems, itemCountOf, PROVIDERS } from "./generate.ts";
import { hotAndWarm, SHARING } from "./hotWarm/hotAndWarm.ts";
import { type Moving, startMoving } from "./hotWarm/moving.ts";
import { loadItems } from "./load.ts";
import { monthStart } from "./months.ts";
import { openDatabase, openPlace, type Place } from "./place.ts";
import { RATE_MAX, setUpFeeds, setUpHotAndWarm } from "./setUp.ts";
import { measureTable, predictTable, type TableSetting, tableText } from "./table/table.ts";

const NOW = "2026-06-20T12:00:00Z";

const USAGE = `Usage: npm run example feed-store <command> [-- options]

  demo     stores articles, asks for them, archives old months and restores them
  table    the guide's performance table: its estimate, predicted, measured
  set-up   makes the containers on a running server, and leaves them there

Where (a server in memory is started for demo and table, unless you say):
  --endpoint <url>        a server that is running
  --key <key>             its account key; the well-known one unless you say
  --database <id>         demo, table: feed_example, which is removed at the end; set-up: feed

How much (demo and table; the same seed makes the same articles):
  --items-per-day <n>     100; demo: 10
  --months <n>            6; demo: 30. So many months, and this one up to now
  --item-bytes <n>        1500, JSON text of an article
  --seed <n>              1
  --now <date>            ${NOW}

table:
  --provider <id>         ${[...PROVIDERS.keys()][0]}, whose feeds are asked for
  --rate <n>              ${RATE_MAX}, autoscale; each 10,000 RU/s are a physical partition
  --json                  figures as JSON

demo:
  --archive <folder>      where archive files go; removed at the end unless you say

demo and set-up:
  --hot-warm              feeds_current and feeds_historical instead of feeds; demo: the server
                          moves what is older than 30 days, and it is the time that it is

set-up:
  --full-text             full-text indexes of titles and contents
`;

const OPTIONS = {
  endpoint: { type: "string" },
  key: { type: "string" },
  database: { type: "string" },
  "items-per-day": { type: "string" },
  months: { type: "string" },
  "item-bytes": { type: "string", default: "1500" },
  seed: { type: "string", default: "1" },
  now: { type: "string" },
  provider: { type: "string", default: [...PROVIDERS.keys()][0]! },
  rate: { type: "string", default: String(RATE_MAX) },
  json: { type: "boolean", default: false },
  archive: { type: "string" },
  "hot-warm": { type: "boolean", default: false },
  "full-text": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

type Values = ReturnType<typeof parsed>["values"];

/** More than anybody waits for, and than a laptop has memory for. */
const ITEM_COUNT_MAX = 2_000_000;

/** Of what is only shown. */
const DATABASE = "feed_example";

function parsed(
  args: string[],
): ReturnType<
  typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true; args: string[] }>
> {
  return parseArgs({ args, options: OPTIONS, allowPositionals: true });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function demo(values: Values): Promise<void> {
  const isHotWarm = values["hot-warm"];
  if (isHotWarm && values.now !== undefined) {
    throw new Error("--now and --hot-warm exclude each other: the server moves by its own clock.");
  }
  const usualNow = isHotWarm ? new Date() : undefined;
  const volume = volumeOf(values, { itemsPerDay: 10, months: 30 }, usualNow);
  const now = isHotWarm ? () => new Date() : () => volume.to;
  await using place = await openPlace({ ...values, rateLimit: false });
  await using opened = await openDatabase(place, values.database ?? DATABASE);
  const { database } = opened;
  const archivePath = values.archive ?? (await mkdtemp(join(tmpdir(), "feed-archive-")));
  const run = async (): Promise<void> => {
    const demoed = isHotWarm ? await twoContainers(place, database, now) : await one(database);
    await runDemo({ ...demoed, volume, archivePath }, { now, print, progress, wait });
    await demoed.moving?.stop();
  };
  try {
    await untilInterrupted(run());
  } finally {
    if (values.archive === undefined) await rm(archivePath, { recursive: true });
  }
}

interface Demoed {
  readonly containers: FeedContainers;
  readonly moving?: Moving;
}

async function one(database: Database): Promise<Demoed> {
  const container = await setUpFeeds(database);
  print(`Container ${container.id}: key YYYY-MM of publishedDate, autoscale up to 4,000 RU/s.`);
  return { containers: oneContainer(container) };
}

async function twoContainers(place: Place, database: Database, now: () => Date): Promise<Demoed> {
  const pair = await setUpHotAndWarm(database);
  const moving = await startMoving(place, pair, wait);
  const { current, historical } = pair;
  print(
    `Containers ${current.id} and ${historical.id}: the server moves what is older than ` +
      `${SHARING.ageSeconds / 86_400} days.`,
  );
  return { containers: hotAndWarm({ ...pair, now, watermark: moving.watermark }), moving };
}

async function table(values: Values): Promise<void> {
  const volume = volumeOf(values, { itemsPerDay: 100, months: 6 });
  const setting: TableSetting = {
    volume,
    rateMax: numberOf("rate", values.rate),
    providerId: values.provider,
  };
  const patterns = predictTable(setting);
  await using place = await openPlace({ ...values, rateLimit: false });
  await using opened = await openDatabase(place, values.database ?? DATABASE);
  const container = await setUpFeeds(opened.database, { rateMax: setting.rateMax });
  const all = itemCountOf(volume);
  const onProgress = (count: number): void => progress(`stored ${count} of ${all}`);
  await untilInterrupted(loadItems(container, generateItems(volume), { wait, onProgress }));
  progress("");
  const rows = await untilInterrupted(measureTable(container, patterns));
  if (values.json) {
    const { from, to, ...others } = volume;
    const facts = { from: from.toISOString(), to: to.toISOString(), ...others };
    print(JSON.stringify({ volume: facts, rateMax: setting.rateMax, rows }, undefined, 2));
    return;
  }
  print(
    `${itemCountOf(volume)} articles of about ${volume.itemBytes} bytes, ${volume.itemsPerDay} a ` +
      `day until ${volume.to.toISOString()}; pages of 100.\n`,
  );
  print(tableText(rows, process.stdout.columns));
}

async function setUp(values: Values): Promise<void> {
  if (values.endpoint === undefined) {
    throw new Error("set-up needs --endpoint: a server of its own would be gone at once.");
  }
  await using place = await openPlace({ ...values, rateLimit: true });
  const { database } = await place.client.databases.createIfNotExists({
    id: values.database ?? "feed",
  });
  const { resources } = await database.containers.readAll().fetchAll();
  const present = new Set(resources.map(({ id }) => id));
  const tell = ({ id }: Container): void => {
    print(
      present.has(id)
        ? `${id} was in ${database.id} already, and stays as it is.`
        : `Made ${id} in ${database.id}.`,
    );
  };
  if (values["hot-warm"]) {
    const { current, historical } = await setUpHotAndWarm(database);
    tell(current);
    tell(historical);
    print("Orrery moves articles from one to the other, from when you say so:");
    print(
      `orrery lifecycle start ${database.id}/${current.id} ${database.id}/${historical.id} ` +
        `--age-property ${SHARING.ageProperty} --age 30d --endpoint ${values.endpoint}`,
    );
    return;
  }
  tell(await setUpFeeds(database, { fullText: values["full-text"] }));
}

/** Ctrl+C ends what is under way, and whatever was made for it is removed on the way out. */
async function untilInterrupted<T>(work: Promise<T>): Promise<T> {
  let stop = (): void => {};
  const interrupted = new Promise<never>((_, reject) => {
    stop = () => reject(new Interrupted("Interrupted."));
  });
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    // What nobody waits for any more may still fail, when its database is gone.
    work.catch(() => {});
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
const EXIT_INTERRUPTED = 130;

class Interrupted extends Error {}

function volumeOf(
  values: Values,
  usual: { readonly itemsPerDay: number; readonly months: number },
  usualNow: Date | undefined = undefined,
): FeedVolume {
  const to = usualNow ?? new Date(dateTextOf("--now", values.now ?? NOW));
  const months = numberOf("months", values.months ?? String(usual.months));
  const volume = {
    itemsPerDay: numberOf("items-per-day", values["items-per-day"] ?? String(usual.itemsPerDay)),
    itemBytes: numberOf("item-bytes", values["item-bytes"]),
    from: monthStart(to, months),
    to,
    seed: numberOf("seed", values.seed),
  };
  const count = itemCountOf(volume);
  if (count >= 1 && count <= ITEM_COUNT_MAX) return volume;
  throw new Error(`These are ${count} articles; the example takes 1 to ${ITEM_COUNT_MAX}.`);
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name}: a whole number above 0 is needed, not ${text}.`);
}

/** On a terminal, and beside what is printed. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

const COMMANDS: Readonly<Record<string, (values: Values) => Promise<void>>> = {
  demo,
  table,
  "set-up": setUp,
};

try {
  const { values, positionals } = parsed(process.argv.slice(2));
  const [name, ...more] = positionals;
  const command = name === undefined ? undefined : COMMANDS[name];
  if (values.help || name === undefined) process.stdout.write(USAGE);
  else if (command === undefined || more.length > 0) {
    process.stderr.write(`There is no command "${positionals.join(" ")}".\n\n${USAGE}`);
    process.exitCode = 2;
  } else await command(values);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  // Requests that were under way would be tried again for a while.
  if (error instanceof Interrupted) process.exit(EXIT_INTERRUPTED);
  process.exitCode = 1;
}
