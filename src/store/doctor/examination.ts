/**
 * Whether a server can run on a database: everything that a store promises, asked of it in a schema
 * of its own, and what an operator should know of the engine. Nothing is left behind.
 */
import { reasonOf } from "../faults.ts";
import { STORE_PROMISES } from "../promises/allPromises.ts";
import { followModel } from "../promises/randomHistory.ts";
import type { Trial, TrialPlace } from "./engineTrials.ts";
import { ENGINE_TRIALS, hasCitus } from "./engineTrials.ts";
import { FAULT_TRIALS } from "./faultTrials.ts";
import type { TrialFinding } from "./finding.ts";
import type { TrialSetting } from "./trialSchema.ts";
import { TrialSchema } from "./trialSchema.ts";

interface Examining extends TrialSetting {
  /** Called before each trial. */
  onTrial(promise: string, index: number, count: number): void;
  /** True when somebody wants it to end; what was made is removed. */
  isStopped(): boolean;
}

const NOT_HERE =
  "Do not run a server on this engine, and tell its version to those who make Orrery.";
const HISTORY_STEPS = 20;

const CONTRACT: readonly Trial[] = [
  ...STORE_PROMISES.map(({ says, meaning, keep }) => ({
    promise: says,
    meaning,
    advice: NOT_HERE,
    run: async ({ schema }: TrialPlace) => {
      await keep(schema);
      return undefined;
    },
  })),
  {
    promise: "all answers are those of a model",
    meaning: "items, indexes, feeds and sizes are right after a random history of writes",
    advice: NOT_HERE,
    run: async ({ schema, random }) => {
      await followModel(schema, random, HISTORY_STEPS);
      return undefined;
    },
  },
];

const TRIALS: readonly Trial[] = [...ENGINE_TRIALS, ...CONTRACT, ...FAULT_TRIALS];

/** Rejects if the database cannot be reached at all. */
export async function examined(setting: Examining): Promise<readonly TrialFinding[]> {
  const isCitus = await hasCitus(setting);
  const schema = new TrialSchema(setting);
  const made = await schemaMade(schema, isCitus);
  if (made.verdict === "broken") return [made];
  const findings: TrialFinding[] = [made];
  try {
    for (const [index, trial] of TRIALS.entries()) {
      if (setting.isStopped()) break;
      setting.onTrial(trial.promise, index, TRIALS.length);
      findings.push(await findingOf(trial, { ...setting, schema }));
    }
  } finally {
    await schema.remove();
  }
  return findings;
}

async function schemaMade(schema: TrialSchema, isCitus: boolean): Promise<TrialFinding> {
  const promise = "tables can be made";
  const meaning = "a server makes its tables at its first start";
  try {
    await schema.make();
    if (isCitus) await schema.distribute();
    return { promise, meaning, verdict: "held" };
  } catch (error) {
    await schema.remove().catch(() => undefined);
    const advice =
      "Give the role the right to make schemas: GRANT CREATE ON DATABASE … TO …. A server needs " +
      "the right to make tables in the schema that its search path names first.";
    return { promise, meaning, verdict: "broken", seen: reasonOf(error), advice };
  }
}

async function findingOf(trial: Trial, place: TrialPlace): Promise<TrialFinding> {
  const { promise, meaning, advice } = trial;
  try {
    return { promise, meaning, verdict: "held", ...(await trial.run(place)) };
  } catch (error) {
    return { promise, meaning, verdict: "broken", seen: reasonOf(error), advice };
  }
}
