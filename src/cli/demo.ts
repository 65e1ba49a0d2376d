/**
 * `orrery demo`: starts a throw-away server, does something to it with the official client that is
 * worth watching, says what happened, and ends. What is shown is in `demo/`, one file for each.
 */
import { parseArgs } from "node:util";
import { changedLimits } from "../model/scaledLimits.ts";
import { BadOption, limitsOf } from "../server/surroundings/options.ts";
import { officialClient } from "./connect/officialClient.ts";
import type { Environment } from "./connect/serverOptions.ts";
import type { Demo } from "./demo/demo.ts";
import { FAN_OUT } from "./demo/fanOut.ts";
import { FULL_PARTITION } from "./demo/fullPartition.ts";
import { HOT_PARTITION } from "./demo/hotPartition.ts";
import { SPLIT_BY_SIZE } from "./demo/splitBySize.ts";
import { DATABASE, Interrupted, Stage } from "./demo/stage.ts";
import { Story } from "./demo/story.ts";
import { openBrowser } from "./terminal/openBrowser.ts";

const DEMOS: readonly Demo[] = [HOT_PARTITION, FULL_PARTITION, FAN_OUT, SPLIT_BY_SIZE];

const LIST: string = DEMOS.map(({ name, about }) => `  ${name.padEnd(16)} ${about}\n`).join("");

const SECONDS_MIN = 4;
const SECONDS_MAX = 600;

export const DEMO_HELP: string = `usage: orrery demo <name> [options]

${LIST}
Each starts a throw-away server, loads it with the official client, shows what happens to the
physical partitions, and ends by itself within a minute. All numbers it tells are measured. It
needs the official client: npm install @azure/cosmos

  --seed <n>               decides names and amounts (default 1)
  --seconds <n>            about how long, from ${SECONDS_MIN} to ${SECONDS_MAX}
                           (default: as each needs, below 30)
  --keep                   leave the server running at the end, to look at it
  --open                   show it live on the web page: opens the browser at the physical
                           partitions of the demo's container, and leaves the server running
  --json                   what was measured as one line of JSON, and nothing else
  --help                   this text

Without a name, lists them. Ends with 0 when it was shown or Ctrl-C ended it, with 1 when something
went wrong, with 2 when an option makes no sense.
`;

export async function runDemo(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seed: { type: "string" },
      seconds: { type: "string" },
      keep: { type: "boolean" },
      open: { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(DEMO_HELP);
    return;
  }
  const [name, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  if (name === undefined) {
    process.stdout.write(`${LIST}\nRun one with \`orrery demo <name>\`.\n`);
    return;
  }
  const demo = DEMOS.find((candidate) => candidate.name === name);
  if (demo === undefined) {
    const names = DEMOS.map((candidate) => candidate.name).join(", ");
    throw new BadOption(`There is no demo '${name}'. There are ${names}.`);
  }
  if (values.open === true && values.json === true) {
    throw new BadOption("--open is for people and --json for programs; take one of them.");
  }
  await play(demo, environment, {
    seed: wholeNumber("--seed", values.seed ?? "1", 0, 0xffff_ffff),
    seconds:
      values.seconds === undefined
        ? demo.seconds
        : wholeNumber("--seconds", values.seconds, SECONDS_MIN, SECONDS_MAX),
    isKept: values.keep === true || values.open === true,
    isOpened: values.open === true,
    isJson: values.json === true,
  });
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value >= min && value <= max) return value;
  throw new BadOption(`${name} is '${text}'; it must be a whole number from ${min} to ${max}.`);
}

interface Terms {
  readonly seed: number;
  readonly seconds: number;
  readonly isKept: boolean;
  readonly isOpened: boolean;
  readonly isJson: boolean;
}

async function play(demo: Demo, environment: Environment, terms: Terms): Promise<void> {
  const { seed, seconds, isJson } = terms;
  const official = await officialClient(process.cwd());
  const story = new Story(process.stdout, environment, isJson);
  const stage = await Stage.open({ official, options: demo.options, story, seed, seconds });
  // The first Ctrl-C ends the demo in order, a second one kills.
  process.once("SIGINT", () => stage.interrupt());
  try {
    story.title(`${demo.name}: ${demo.about}`);
    if (terms.isOpened) void showOnPage(stage);
    const { facts, reports } = await demo.run(stage);
    const { elapsedSeconds } = stage;
    const { endpoint } = stage.server;
    if (isJson) {
      const limits = changedLimits(limitsOf(demo.options));
      const terms = { demo: demo.name, seed, seconds, elapsedSeconds, endpoint, limits };
      process.stdout.write(`${JSON.stringify({ ...terms, facts, said: story.said, reports })}\n`);
    }
    story.say(`This took ${elapsedSeconds.toFixed(1)} s; everything above was measured in it.`);
    if (terms.isKept) await keep(stage, reports[0]!.container);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    story.wipe();
    story.say("Ended before its end.");
  } finally {
    await stage.close();
  }
}

/**
 * Opens the browser as soon as the demo has made its first container: before, there would be
 * nothing to see. A demo that ends or is interrupted before that opens nothing.
 */
async function showOnPage(stage: Stage): Promise<void> {
  const { story, server } = stage;
  try {
    const { database, container } = await stage.until(() => stage.firstContainer());
    const place = [database, container].map(encodeURIComponent).join("/");
    const address = `${server.explorer!}partitions/${place}`;
    story.say(`Watch it live at ${address}; Ctrl-C here ends the demo and its server.`);
    openBrowser(address, (text) => story.say(text.trimEnd()));
  } catch (error) {
    if (!(error instanceof Interrupted)) story.say(`The page was not opened: ${String(error)}`);
  }
}

const KEEP_MS = 1_000;

async function keep(stage: Stage, container: string): Promise<never> {
  const { endpoint } = stage.server;
  stage.story.say(`The server goes on at ${endpoint} until Ctrl-C. Look at it with`);
  stage.story.show([
    {
      kind: "lines",
      lines: [`  orrery partitions ${DATABASE}/${container} --watch --endpoint ${endpoint}`],
      tone: "strong",
    },
  ]);
  for (;;) await stage.pause(KEEP_MS);
}
