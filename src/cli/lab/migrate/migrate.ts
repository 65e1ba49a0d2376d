/**
 * `orrery lab advise --migrate`: from the verdict to the copy job that carries it out. Shows the
 * job and what a dry run of it found, keeps the prediction, and starts it when somebody says so.
 */
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import type { JsonValue } from "../../../json/value.ts";
import type { Advice, CandidateAdvice } from "../../../lab/advise/advice.ts";
import { chosenKey, expressionOf } from "../../../lab/migrate/chosenKey.ts";
import { containerText, copyCommandLine } from "../../../lab/migrate/commandLine.ts";
import { copyQuestionOf } from "../../../lab/migrate/copyQuestion.ts";
import { predictionOf } from "../../../lab/migrate/predict.ts";
import type { Prediction } from "../../../lab/verify/prediction.ts";
import { numberText, percentText, plural, rateText, visible } from "../../../lab/wording/plain.ts";
import { textTable, wrapped } from "../../../lab/wording/textTable.ts";
import type { Workload } from "../../../lab/workload/workload.ts";
import type { CopyJobEntry, CopyQuestion } from "../../../model/copyJob.ts";
import { realClock } from "../../../server/surroundings/realWorld.ts";
import { AdminClient } from "../../connect/adminClient.ts";
import type { DrawnLine } from "../../terminal/drawnLine.ts";
import { CommandFailure } from "../../terminal/failure.ts";
import { terminalWidth, writeJson } from "../output.ts";
import { type Ranking, type RankingFlags, rankingOf } from "../ranking.ts";
import type { MigrateWish } from "./options.ts";
import { planLines, plannedJob, startedJob } from "./planned.ts";
import { sourceOf, withKnownPaths } from "./source.ts";

/** The ranking, for whoever shows it as well. */
export async function migrate(
  flags: RankingFlags,
  workload: Workload,
  wish: MigrateWish,
  progress: DrawnLine,
): Promise<Ranking> {
  const client = new AdminClient(wish.account);
  try {
    const found = await sourceOf(client, wish.account, wish.source);
    const inUse = expressionOf(found.keyPaths);
    const isNamed = workload.candidates.some(({ id }) => id === wish.key);
    const added = wish.key === undefined || isNamed ? [] : [wish.key];
    const ranking = await rankingOf(
      {
        ...flags,
        candidate: [...(flags.candidate ?? []), ...added],
        current: flags.current ?? inUse,
      },
      workload,
      { progress, whatIfs: true, chosen: wish.key },
    );
    progress.clear();
    const { advice, profile, seed } = ranking;
    const chosen = chosenKey(advice, wish.key, inUse);
    if (!chosen.ok) throw new CommandFailure(visible(chosen.error));
    const { limits } = found;
    const source = withKnownPaths(found.source, profile);
    const subject = { chosen: chosen.value, workload: ranking.workload, limits, source };
    const { target, switchBy } = wish;
    const question = copyQuestionOf({ ...subject, advice, target, switchBy });
    const now = realClock.wallNow();
    const prediction = predictionOf({ ...subject, question, profile, now, seed });
    keep(question, prediction, wish);
    const told: Told = { question, prediction, summary: summaryOf(advice, chosen.value), wish };
    if (wish.isJson) await answerProgram(client, told);
    else await answerPerson(client, told);
    return ranking;
  } finally {
    client.close();
  }
}

/** The verdict, and what speaks against the key if somebody takes one all the same. */
function summaryOf({ summary }: Advice, { expression, verdict, reasons }: CandidateAdvice) {
  const against = reasons.filter(({ weight }) => weight === "against");
  if (verdict !== "bad") return summary;
  const sentences = against.map(({ sentence }) => sentence).join(" ");
  return [...summary, `What was chosen is ${expression}, and this speaks against it: ${sentences}`];
}

interface Told {
  readonly question: CopyQuestion;
  readonly prediction: Prediction;
  readonly summary: readonly string[];
  readonly wish: MigrateWish;
}

/** The prediction, and the indexing policy for whoever types the command. */
function keep({ definition }: CopyQuestion, prediction: Prediction, wish: MigrateWish): void {
  write(wish.predictionFile, prediction as unknown as JsonValue);
  process.stderr.write(`prediction: ${wish.predictionFile}\n`);
  const policy = definition?.["indexingPolicy"];
  if (policy === undefined) return;
  write(wish.policyFile, policy);
  process.stderr.write(`indexing policy: ${wish.policyFile}\n`);
}

function write(file: string, value: JsonValue): void {
  try {
    writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    throw new CommandFailure(`'${file}' cannot be written: ${(error as Error).message}`);
  }
}

async function answerProgram(client: AdminClient, { question, wish }: Told): Promise<void> {
  if (wish.isDryRun) {
    const job = await plannedJob(client, question);
    writeJson({ job });
    if (job.plan.obstacles.length > 0) process.exitCode = 1;
  } else if (wish.isStarted) writeJson({ job: await startedJob(client, question) });
  else writeJson(question);
}

async function answerPerson(client: AdminClient, told: Told): Promise<void> {
  const { question, wish } = told;
  process.stdout.write(jobText(told));
  if (!wish.isStarted) {
    const { plan } = await plannedJob(client, question);
    process.stdout.write(`What a dry run finds\n${planLines(plan).join("\n")}\n\n`);
    if (plan.obstacles.length > 0) {
      throw new CommandFailure("The job cannot be started as it is: something is in the way.");
    }
    if (wish.isDryRun) return;
    if (process.stdin.isTTY !== true) {
      process.stdout.write("Nothing was started. --yes starts it, as does the command above.\n");
      return;
    }
    if (!(await isWanted())) throw new CommandFailure("Nothing was started.");
  }
  process.stdout.write(startedText(await startedJob(client, question), told));
}

async function isWanted(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question("Start the job? [y/N] ")).trim());
  } finally {
    terminal.close();
  }
}

function jobText(told: Told): string {
  const { question, summary, wish } = told;
  const rows = jobRows(told);
  const table = textTable(
    [
      { name: "the job", isRight: false, cells: rows.map(([what]) => what) },
      { name: "", isRight: false, cells: rows.map(([, said]) => visible(said)) },
    ],
    undefined,
  );
  const { policyFile, endpoint } = wish;
  return `${[
    ...summary.flatMap((sentence) => wrapped(visible(sentence), terminalWidth())),
    "",
    ...table,
    "",
    "The same by hand",
    `  ${visible(copyCommandLine(question, { policyFile, endpoint }))}`,
    "",
  ].join("\n")}\n`;
}

function jobRows({ question, prediction, wish }: Told): readonly (readonly [string, string])[] {
  const { source, target, key, keyProperties, definition, throughput, switchBy } = question;
  const { now } = prediction;
  return [
    ["from", containerText(source)],
    ["to", containerText(target)],
    ["key", (key ?? []).join(", ")],
    ...(keyProperties === undefined ? [] : [["written into", keyProperties.join(", ")] as const]),
    ["indexing", definition === undefined ? "as the source has it" : `as in ${wish.policyFile}`],
    [
      "throughput",
      throughput === undefined || throughput.kind === "shared"
        ? "as the source has it"
        : `${throughput.kind}, ${rateText(throughput.ratePerSecond)}`,
    ],
    ["way", "online: writes go on, and are followed until the cut-over"],
    ["switch", switchBy === "names" ? "the containers swap their names" : "by the application"],
    [
      "predicted",
      `${rateText(now.ruPerSecond)} for ${numberText(now.requestsPerSecond)} requests/s, ` +
        `${percentText(now.hottestPartition.share)} of it on the hottest of ` +
        `${plural(now.physicalPartitions, "physical partition")}, ` +
        `${percentText(now.throttledShare)} 429s`,
    ],
  ];
}

function startedText({ id }: CopyJobEntry, { question, wish }: Told): string {
  const where = wish.endpoint === undefined ? "" : ` --endpoint ${wish.endpoint}`;
  const { source, target, switchBy } = question;
  const after = containerText(switchBy === "names" ? source : target);
  return `${[
    `Job ${id} was started.`,
    `  orrery jobs watch ${id}${where}`,
    "      looks at it; it goes on by itself",
    `  orrery copy cut-over ${id}${where}`,
    "      leads clients to the copy when it is ready",
    `  orrery lab verify --prediction ${wish.predictionFile} ${after}${where}`,
    "      compares what was predicted with what is measured then",
  ].join("\n")}\n`;
}
