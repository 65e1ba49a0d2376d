/**
 * `orrery copy`: starts the job that copies a container into another one, looks on, and takes the
 * steps that lead clients there and back.
 */
import { parseArgs } from "node:util";
import type { CopyJobEntry, CopyQuestion } from "../../model/copyJob.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { AdminClient } from "../connect/adminClient.ts";
import type { Environment, ServerAccount } from "../connect/serverOptions.ts";
import { accountOf, PLACE_OPTIONS, sameServer } from "../connect/serverOptions.ts";
import { type AnyJob, isCopy, isOver } from "../jobs/anyJob.ts";
import { detachedText, endText, followed } from "../jobs/follow.ts";
import { jobSections } from "../jobs/jobText.ts";
import { commandOf } from "../jobs/jobWords.ts";
import { planSections } from "../jobs/planText.ts";
import { isStorePlace } from "../storeCopy/place.ts";
import { copyWholeStore } from "../storeCopy/storeCopy.ts";
import { askConsent } from "../terminal/consent.ts";
import { CommandFailure, NoAnswer } from "../terminal/failure.ts";
import { Interruption } from "../terminal/interruption.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { copyBetween } from "../twoAccounts/betweenAccounts.ts";
import {
  ACCOUNT_OPTIONS,
  checkNoAccounts,
  isBetweenAccounts,
  twoAccountsOf,
} from "../twoAccounts/options.ts";
import { COPY_HELP } from "./help.ts";
import { keyLevelsOf } from "./keyOption.ts";
import { COPY_OPTIONS, questionOf } from "./options.ts";
import { setAsideOf, writeSetAside } from "./setAsideFile.ts";
import { isStep, STEP_OPTIONS, type StepSetting, stepActOf, takeStep, verify } from "./steps.ts";

const OPTIONS = {
  ...COPY_OPTIONS,
  ...STEP_OPTIONS,
  ...ACCOUNT_OPTIONS,
  ...PLACE_OPTIONS,
  "account-key": { type: "string" },
  "set-aside": { type: "string" },
  watch: { type: "boolean" },
  detach: { type: "boolean" },
  yes: { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof parsed>["values"];

function parsed(args: string[]) {
  return parseArgs({ args, allowPositionals: true, options: OPTIONS });
}

export async function runCopy(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parsed(args);
  if (values.help === true) {
    process.stdout.write(COPY_HELP);
    return;
  }
  const [word, ...rest] = positionals;
  const open = (): StepSetting => ({
    client: new AdminClient(serverOf(values, environment)),
    environment,
    where: sameServer(values),
    isJson: values.json === true,
  });
  if (isStep(word)) {
    await takeStep(stepActOf(word, rest, values), values.yes === true, open);
    return;
  }
  checkNoSteps(values);
  if (positionals.length === 0 && (isStorePlace(values.from) || isStorePlace(values.to))) {
    checkNothingElse(values);
    const { from, to } = values;
    await copyWholeStore({ from, to, isJson: values.json === true, environment });
    return;
  }
  const question = questionOf(positionals, values);
  if (isBetweenAccounts(values)) {
    checkNoJob(values);
    const server = (): ServerAccount => serverOf(values, environment);
    const levels = values.key === undefined ? undefined : keyLevelsOf(values.key);
    const two = twoAccountsOf(values, { question, levels, server, environment });
    await copyBetween(two, { environment, isJson: values.json === true });
    return;
  }
  checkNoAccounts(values);
  await checkStart(question, values);
  const asked = open();
  try {
    await start(question, values, asked);
  } finally {
    asked.client.close();
  }
}

function serverOf(values: Values, environment: Environment): ServerAccount {
  const { endpoint, "account-key": key, "connection-string": text } = values;
  const account = accountOf({ endpoint, key, "connection-string": text }, environment);
  return { ...account, keyOption: "--account-key" };
}

function checkNoSteps(values: Values): void {
  const wrong = (Object.keys(STEP_OPTIONS) as (keyof typeof STEP_OPTIONS)[]).find(
    (option) => values[option] !== undefined,
  );
  if (wrong === undefined) return;
  throw new BadOption(`--${wrong} belongs to a step of a job, such as \`orrery copy cut-over\`.`);
}

/** A whole store is copied as it is. */
function checkNothingElse(values: Values): void {
  const known: readonly string[] = ["from", "to", "json"];
  const wrong = Object.keys(values).find((option) => !known.includes(option));
  if (wrong === undefined) return;
  throw new BadOption(
    `--${wrong} is for a copy of one container: name two, ` +
      "`orrery copy <db>/<container> <db>/<container>`. A whole store is copied as it is.",
  );
}

/** What only a server can do with its own containers. */
const OF_JOBS = ["share", "cut-over", "swap", "dry-run", "token", "watch", "detach"] as const;

function checkNoJob(values: Values): void {
  const wrong = OF_JOBS.find((option) => values[option] !== undefined);
  if (wrong === undefined) return;
  throw new BadOption(
    `--${wrong} is for a copy inside one server; between two accounts this process copies.`,
  );
}

async function checkStart(question: CopyQuestion, values: Values): Promise<void> {
  const { source, target, isDryRun } = question;
  if (values.watch === true && values.detach === true) {
    throw new BadOption("--watch and --detach exclude each other.");
  }
  if (isDryRun === true && values.detach === true) {
    throw new BadOption("--dry-run tells what it found, so it cannot be left with --detach.");
  }
  if (values.detach === true && values["set-aside"] !== undefined) {
    throw new BadOption(
      "--set-aside writes its file at the end of the job; after --detach, " +
        "`orrery copy set-aside <id>` does.",
    );
  }
  if (source.database === target.database && source.container === target.container) {
    throw new BadOption("Source and target are the same container.");
  }
  checkVerify(question, values);
  if (question.cutOver !== "automatic" || isDryRun === true) return;
  const about = "With --cut-over automatic, clients are led to the copy without being asked again.";
  await askConsent(about, values.yes === true);
}

/** What is verified is there when the command has nothing more to look at. */
function checkVerify({ mode, cutOver, isDryRun }: CopyQuestion, values: Values): void {
  if (values.verify !== true) return;
  const later = "`orrery copy verify <id>` compares source and copy";
  if (isDryRun === true)
    throw new BadOption("--dry-run writes nothing that --verify could compare.");
  if (cutOver === "automatic") {
    throw new BadOption("--cut-over automatic verifies by itself. Leave out --verify.");
  }
  if (values.detach === true) {
    throw new BadOption(`--verify compares when the copy is there; after --detach, ${later}.`);
  }
  if (mode === "online" && values.watch === true) {
    throw new BadOption(`--watch looks on until the job is over, and before that ${later}.`);
  }
}

async function start(question: CopyQuestion, values: Values, asked: StepSetting): Promise<void> {
  const { client, isJson, where } = asked;
  const { job: started } = await client.post<{ readonly job: CopyJobEntry }>("copies", question);
  if (values.detach === true) {
    if (isJson) tellJson(started);
    else process.stdout.write(`Job ${started.id} was started. ${detachedText(started, where)}\n`);
    return;
  }
  if (!isJson) process.stderr.write(`Job ${started.id} was started.\n`);
  const interruption = new Interruption();
  try {
    const isThere = values.watch === true ? isOver : isAtRest;
    const job = await followed(started, isThere, { ...asked, interruption, isQuiet: isJson });
    if (values["set-aside"] !== undefined && isCopy(job)) {
      await keepSetAside(client, job, values["set-aside"]);
    }
    const isVerified =
      values.verify === true && isThere(job) && ["copied", "ready"].includes(job.state);
    if (isJson && !isVerified) tellJson(job);
    if (!isThere(job)) {
      process.stderr.write(`${detachedText(job, where)}\n`);
      return;
    }
    finish(job as CopyJobEntry, asked);
    if (!isVerified) return;
    interruption.close();
    await verify(asked, job.id);
  } finally {
    interruption.close();
  }
}

/** Over, or waiting for somebody. */
function isAtRest(job: AnyJob): boolean {
  if (isOver(job)) return true;
  if (!isCopy(job)) return false;
  const isWaiting = ["switched", "paused", "blocked"].includes(job.state);
  return isWaiting || (job.state === "ready" && job.asked.cutOver !== "automatic");
}

function finish(job: CopyJobEntry, { environment, isJson, where }: StepSetting): void {
  const table = new LiveTable(process.stdout, environment);
  if (job.state === "planned" && job.plan !== undefined) {
    if (!isJson) table.print(planSections(job.plan));
    const count = job.plan.obstacles.length;
    if (count > 0) throw new CommandFailure("The copy cannot be made as it was asked for.");
    return;
  }
  if (job.state === "failed" || job.state === "blocked") {
    if (!isJson) table.print(jobSections(job, where));
  }
  const text = endText(job, where);
  if (isJson) return;
  process.stdout.write(`${text}\n`);
  for (const { step, about } of job.nextSteps) {
    process.stdout.write(`  ${commandOf(step, job.id, where)}\n      ${about}\n`);
  }
}

/** Whatever else is to be told is told also when the server is gone meanwhile. */
async function keepSetAside(client: AdminClient, job: CopyJobEntry, file: string): Promise<void> {
  try {
    writeSetAside(file, await setAsideOf(client, job.id));
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    process.stderr.write(
      `'${file}' was not written: ${error.message} \`orrery copy set-aside ${job.id}\` does it.\n`,
    );
  }
}

function tellJson(job: AnyJob): void {
  process.stdout.write(`${JSON.stringify({ job })}\n`);
}
