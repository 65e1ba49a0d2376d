/** `orrery copy cut-over` and its kin: steps of a job, taken and waited for. */
import type { CopyJobEntry, CopyState, JobEvent } from "../../model/copyJob.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { AdminClient } from "../connect/adminClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import type { AnyJob } from "../jobs/anyJob.ts";
import { isCopy, isOver, jobOf, stepTaken } from "../jobs/anyJob.ts";
import { detachedText, endText, eventsSince, followed, lastEvent } from "../jobs/follow.ts";
import { jobSections } from "../jobs/jobText.ts";
import { stateText } from "../jobs/jobWords.ts";
import { verificationSections } from "../jobs/proofText.ts";
import { askConsent } from "../terminal/consent.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { Interruption } from "../terminal/interruption.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { numberOf } from "../terminal/numberOption.ts";
import { linesOf, setAsideOf, writeSetAside } from "./setAsideFile.ts";

/** For `parseArgs`: options that only steps have. */
export const STEP_OPTIONS = {
  deadline: { type: "string" },
  force: { type: "boolean" },
  "keep-old": { type: "boolean" },
} as const;

interface StepValues {
  readonly deadline?: string | undefined;
  readonly force?: boolean | undefined;
  readonly "keep-old"?: boolean | undefined;
  readonly "set-aside"?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** How the command goes on when the server is there to be asked. */
interface StepAct {
  /** What has to be consented to before; undefined when it can be taken back. */
  readonly grave?: string | undefined;
  run(asked: StepSetting): Promise<void>;
}

export interface StepSetting {
  readonly client: AdminClient;
  readonly environment: Environment;
  readonly where: string;
  readonly isJson: boolean;
}

const DEADLINE_MS_MAX = 600_000;

const STEPS = ["cut-over", "complete", "revert", "verify", "mirror", "set-aside"] as const;
type StepWord = (typeof STEPS)[number];

export function isStep(word: string | undefined): word is StepWord {
  return STEPS.some((step) => step === word);
}

export function stepActOf(
  word: StepWord,
  [id, amount, ...rest]: readonly string[],
  values: StepValues,
): StepAct {
  if (id === undefined || id === "") {
    throw new BadOption(`Name the job: \`orrery copy ${word} <id>\`. \`orrery jobs\` lists them.`);
  }
  const extra = word === "mirror" ? rest[0] : amount;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  checkBelongs(word, values);
  switch (word) {
    case "cut-over": {
      const deadlineMs = numberOf("--deadline", values.deadline, 1, DEADLINE_MS_MAX);
      const isForced = values.force === true;
      const body = { deadlineMs, ...(isForced && { isForced }) };
      const grave = isForced
        ? "Without a fresh verification nobody knows whether the copy equals the source."
        : undefined;
      return { grave, run: (asked) => lead(asked, id, "cutOver", body) };
    }
    case "complete": {
      const keepOld = values["keep-old"] === true;
      const old = keepOld
        ? "The old container is left, and falls behind"
        : "The old container is deleted";
      const grave = `${old}; there is no way back after this.`;
      return { grave, run: (asked) => lead(asked, id, "complete", { keepOld }) };
    }
    case "revert":
      return { run: (asked) => lead(asked, id, "revert", {}) };
    case "verify":
      return { run: (asked) => verify(asked, id) };
    case "mirror": {
      const percent = numberOf("The share", amount, 0, 100);
      if (percent === undefined) {
        throw new BadOption("Say how much: `orrery copy mirror <id> <percent>`, 0 to end it.");
      }
      return { run: (asked) => mirror(asked, id, percent) };
    }
    case "set-aside":
      return { run: (asked) => setAside(asked, id, values["set-aside"]) };
  }
}

function checkBelongs(word: StepWord, values: StepValues): void {
  const belongs: readonly (readonly [keyof StepValues, StepWord])[] = [
    ["deadline", "cut-over"],
    ["force", "cut-over"],
    ["keep-old", "complete"],
    ["set-aside", "set-aside"],
  ];
  for (const [option, owner] of belongs) {
    if (values[option] !== undefined && word !== owner) {
      throw new BadOption(`--${option} is for \`orrery copy ${owner}\`.`);
    }
  }
}

/** States in which a step is still being taken, and the one that it leads to. */
const WAYS: Readonly<
  Record<
    "cutOver" | "revert" | "complete",
    { readonly via: readonly CopyState[]; readonly to: CopyState }
  >
> = {
  cutOver: { via: ["holding"], to: "switched" },
  revert: { via: ["holdingBack"], to: "reverted" },
  complete: { via: [], to: "completed" },
};
const LOOKS_PER_SECOND = 4;
/** After the deadline: a step that nothing is seen of by then was not taken. */
const IDLE_LOOKS_MAX = 20;
const DEADLINE_MS = 2000;

/** Takes a step that changes where clients go, and waits until it is done or given up. */
async function lead(
  asked: StepSetting,
  id: string,
  step: keyof typeof WAYS,
  body: { readonly deadlineMs?: number | undefined; readonly keepOld?: boolean },
): Promise<void> {
  const { client, isJson, where } = asked;
  const { via, to } = WAYS[step];
  const before = copyIn(await jobOf(client, id));
  const first = await stepTaken(client, id, step, body);
  const { deadlineMs = DEADLINE_MS } = body;
  const looksMax = IDLE_LOOKS_MAX + (deadlineMs / 1000) * LOOKS_PER_SECOND;
  let idleLooks = 0;
  let isSeen = false;
  const isThere = (job: AnyJob): boolean => {
    if (!isCopy(job) || job.state === to || isOver(job)) return true;
    if (via.includes(job.state)) {
      isSeen = true;
      return false;
    }
    // Back where it was, and it was seen to be tried, or something was said of it since.
    const isGivenUp = isSeen || eventsSince(job, lastEvent(first)).length > 0;
    return (isGivenUp && job.state === before.state) || ++idleLooks > looksMax;
  };
  const interruption = new Interruption();
  try {
    const end = copyIn(await followed(first, isThere, { ...asked, interruption, isQuiet: isJson }));
    if (isJson) process.stdout.write(`${JSON.stringify({ job: end })}\n`);
    if (end.state === to) {
      if (!isJson) tell(asked, end);
      return;
    }
    if (interruption.isOver) process.stderr.write(`${detachedText(end, where)}\n`);
    else throw notTaken(end, eventsSince(end, lastEvent(before)), where);
  } finally {
    interruption.close();
  }
}

function notTaken(job: CopyJobEntry, events: readonly JobEvent[], where: string): CommandFailure {
  const said = events.at(-1);
  const why = said === undefined ? "" : ` ${said.text.replace(/\.?$/, ".")}`;
  return new CommandFailure(
    `It was not done.${why} The job is ${stateText(job)}; ` +
      `\`orrery jobs show ${job.id}${where}\` says more.`,
  );
}

/** Compares source and copy of a job, also of an offline one that has ended. */
export async function verify(asked: StepSetting, id: string): Promise<void> {
  const { client, environment, isJson, where } = asked;
  const before = copyIn(await jobOf(client, id)).verification.at;
  const first = await stepTaken(client, id, "verify");
  const isThere = (job: AnyJob): boolean => {
    if (!isCopy(job)) return true;
    const { state, at } = job.verification;
    return state !== "running" && (at !== before || isOver(job));
  };
  const interruption = new Interruption();
  try {
    const job = copyIn(await followed(first, isThere, { ...asked, interruption, isQuiet: isJson }));
    const { verification } = job;
    if (isJson) process.stdout.write(`${JSON.stringify({ job })}\n`);
    else new LiveTable(process.stdout, environment).print(verificationSections(verification));
    if (interruption.isOver) {
      process.stderr.write(`${detachedText(job, where)}\n`);
      return;
    }
    if (verification.state === "differs") {
      throw new CommandFailure("The copy differs from the source.");
    }
    if (verification.at === before) endText(job, where);
  } finally {
    interruption.close();
  }
}

async function mirror(asked: StepSetting, id: string, percent: number): Promise<void> {
  const job = copyIn(await stepTaken(asked.client, id, "mirror", { percent }));
  if (asked.isJson) process.stdout.write(`${JSON.stringify({ job })}\n`);
  else if (percent === 0) process.stdout.write("Reads are not run on the copy any more.\n");
  else {
    process.stdout.write(
      `${percent} % of reads and queries are run on the copy too. ` +
        `\`orrery jobs show ${id}${asked.where}\` compares them.\n`,
    );
  }
}

async function setAside(asked: StepSetting, id: string, file: string | undefined): Promise<void> {
  const items = await setAsideOf(asked.client, id);
  if (file === undefined) process.stdout.write(linesOf(items));
  else writeSetAside(file, items);
}

function tell({ environment, where }: StepSetting, job: CopyJobEntry): void {
  new LiveTable(process.stdout, environment).print(jobSections(job, where));
}

function copyIn(job: AnyJob): CopyJobEntry {
  if (isCopy(job)) return job;
  throw new CommandFailure(`Job ${job.id} is a ${job.kind}, which has no such step.`);
}

/** Asks for what cannot be taken back, and then does it. */
export async function takeStep(
  act: StepAct,
  isConsented: boolean,
  open: () => StepSetting,
): Promise<void> {
  if (act.grave !== undefined) await askConsent(act.grave, isConsented);
  const asked = open();
  try {
    await act.run(asked);
  } finally {
    asked.client.close();
  }
}
