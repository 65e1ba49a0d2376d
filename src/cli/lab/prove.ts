/**
 * `orrery lab prove`: candidates on the engine itself, beside what was predicted for them.
 *
 * Ctrl-C ends it at the next step: containers are deleted and the server is stopped all the same. A
 * second one ends it at once.
 */
import { runLab } from "../../lab/lab.ts";
import {
  type CaseComparison,
  compareAll,
  compareCase,
  type ProofComparison,
  TOLERANCE,
} from "../../lab/prove/compare.ts";
import { type ProofPlan, planOf } from "../../lab/prove/plan.ts";
import type { ProofCase } from "../../lab/prove/proofCase.ts";
import { proofHtml } from "../../lab/prove/proofHtml.ts";
import { proofJson } from "../../lab/prove/proofJson.ts";
import { proofText } from "../../lab/prove/proofText.ts";
import { scenarioWorkload } from "../../lab/scenario/scenario.ts";
import { scenarios } from "../../lab/scenario/scenarios.ts";
import type { Simulation } from "../../lab/simulate/simulation.ts";
import type { NamedCandidate, Workload } from "../../lab/workload/workload.ts";
import { type Limits, SERVICE_LIMITS } from "../../model/limits.ts";
import { BadOption } from "../../server/options.ts";
import { realClock } from "../../server/realWorld.ts";
import { AdminClient } from "../adminClient.ts";
import { type OfficialClient, officialClient } from "../demo/officialClient.ts";
import { CommandFailure } from "../failure.ts";
import { type Account, accountOf, type Environment } from "../serverOptions.ts";
import { namedKey } from "./adviseCandidates.ts";
import { keyLevelsOf } from "./options.ts";
import { ProgressLine, terminalWidth, writeJson, writePage } from "./output.ts";
import { type ConsistencyText, DATABASE, ProvingGround } from "./proveGround.ts";
import { LAB_PROVE_HELP, type ProveOptions, proveOptionsOf } from "./proveOptions.ts";
import { measureCase } from "./proveRun.ts";
import { workloadIn } from "./sources.ts";

/** Of the candidates of a workload, when nobody says which. */
const CANDIDATES_MAX = 5;
const ITEMS = { min: 200, max: 200_000 };

export async function runLabProve(args: string[], environment: Environment): Promise<void> {
  const options = proveOptionsOf(args);
  if (options === undefined) {
    process.stdout.write(LAB_PROVE_HELP);
    return;
  }
  const account = options.endpoint === undefined ? undefined : accountOf(options, environment);
  const official = await officialClient(process.cwd());
  const server = account === undefined ? undefined : await serverOf(official, account);
  const workload = { ...workloadOf(options), ...server?.promise };
  const progress = new ProgressLine(environment);
  progress.show("simulating");
  const simulations = chosenOf(workload, options);
  const plan = planOf({
    ...options,
    workload,
    simulations,
    limits: SERVICE_LIMITS,
    serverLimits: server?.limits,
  });
  checkScale(plan, options);
  const proofCases = simulations.map(({ candidate }) => plan.caseOf(candidate));
  if (server !== undefined) checkFit(proofCases);
  const interruption = new Interruption();
  const cases: CaseComparison[] = [];
  const remarks = proofCases.flatMap((proofCase) => remarksOf(proofCase, plan));
  try {
    for (const [at, proofCase] of proofCases.entries()) {
      const { candidate } = proofCase;
      const containerId = `prove-${at + 1}-${realClock.wallNow().toString(36)}`;
      const ground = await ProvingGround.open({
        official,
        account,
        limits: proofCase.limits,
        consistency: CONSISTENCIES[workload.consistency],
      });
      try {
        const measured = await measureCase(ground, proofCase, {
          models: plan.models,
          nowMillis: plan.nowMillis,
          provisioned: plan.scale.provisioned,
          keyBytesMax: plan.scale.limits.logicalPartitionBytesMax,
          ...plan.tracesOf(proofCase),
          indexing: workload.indexing,
          containerId,
          isKept: options.isKept,
          isInterrupted: () => interruption.isAsked,
          onProgress: (what) =>
            progress.show(`${at + 1} of ${simulations.length}, ${candidate.id}: ${what}`),
        });
        cases.push(compareCase(proofCase.prediction, measured, proofCase.overLimitShare));
        if (options.isKept) {
          remarks.push(`The container of ${candidate.id} is ${DATABASE}/${containerId}.`);
        }
      } finally {
        await ground.close();
      }
    }
  } catch (error) {
    if (!interruption.isAsked) throw error;
    progress.clear();
    process.stderr.write("Interrupted; everything was taken down.\n");
    process.exitCode = 130;
    return;
  } finally {
    interruption.close();
    progress.clear();
  }
  const proof = compareAll(cases);
  write(plan, proof, remarks, options);
  if (options.isStrict && !proof.agrees) process.exitCode = 1;
}

function write(
  plan: ProofPlan,
  proof: ProofComparison,
  remarks: readonly string[],
  { seconds, seed, operationCount, isJson, htmlFile }: ProveOptions,
): void {
  const { scale } = plan;
  const shown = { tolerance: TOLERANCE, seconds, seed, operationCount, remarks };
  if (htmlFile !== undefined) writePage(htmlFile, proofHtml(scale, proof, shown));
  if (isJson) writeJson(proofJson(scale, proof, shown));
  else process.stdout.write(proofText(scale, proof, { ...shown, width: terminalWidth() }));
}

const CONSISTENCIES: Readonly<Record<Workload["consistency"], ConsistencyText>> = {
  strong: "Strong",
  boundedStaleness: "BoundedStaleness",
  session: "Session",
  consistentPrefix: "ConsistentPrefix",
  eventual: "Eventual",
};

function workloadOf({ workload, scenario }: ProveOptions): Workload {
  if (workload !== undefined) return workloadIn(workload);
  const found = scenarios.find(({ name }) => name === scenario);
  if (found !== undefined) return scenarioWorkload(found);
  const names = scenarios.map(({ name }) => name).join(", ");
  throw new BadOption(`There is no scenario '${scenario}'; there are ${names}.`);
}

/** At the real scale, in the order of the advice. */
function chosenOf(
  workload: Workload,
  { candidates, top, seed }: ProveOptions,
): readonly Simulation[] {
  const own = new Set(workload.candidates.map(({ id }) => id));
  const added = candidates.filter((text) => !own.has(text)).map(keyNamed);
  const hasNamed = candidates.length > 0 || workload.candidates.length > 0;
  const advice = runLab({
    workload,
    profile: undefined,
    candidates: added,
    onlyNamed: top === undefined && hasNamed,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: START,
    seed,
    // Only what is asked of a candidate is wanted, not what would change the verdict.
    whatIfs: false,
  });
  const wanted = new Set([...candidates, ...added.map(({ id }) => id)]);
  const chosen = advice.candidates
    .map(({ simulation }) => simulation)
    .filter(({ candidate }) => wanted.size === 0 || wanted.has(candidate.id));
  if (chosen.length === 0) throw new CommandFailure("There is no candidate to prove.");
  return wanted.size > 0 ? chosen : chosen.slice(0, top ?? CANDIDATES_MAX);
}

/** When the horizon of the real thing begins; the same on every day. */
const START = Date.UTC(2026, 0, 1);

function keyNamed(text: string, at: number): NamedCandidate {
  return namedKey(keyLevelsOf("--candidate", text), `--candidate ${at + 1}`);
}

function checkScale({ scale }: ProofPlan, { factor }: ProveOptions): void {
  if (factor === undefined || (scale.items >= ITEMS.min && scale.items <= ITEMS.max)) return;
  throw new BadOption(
    `--scale comes to ${scale.items} items; it must leave from ${ITEMS.min} to ${ITEMS.max}.`,
  );
}

function remarksOf({ candidate, isHeldByForce, shape }: ProofCase, plan: ProofPlan): string[] {
  const paths = new Set([...shape.staticPaths, ...shape.times.keys()]);
  const changing = plan.models
    .filter(({ operation }) => operation.changes.some((path) => paths.has(path)))
    .map(({ operation }) => `'${operation.id}'`);
  const remarks: string[] = [];
  if (isHeldByForce) {
    remarks.push(
      `${candidate.id} has keys beyond the limit of a logical partition. It was raised for the ` +
        "run; the engine would have refused their items.",
    );
  }
  if (changing.length > 0) {
    remarks.push(
      `${changing.join(", ")} would change the key under ${candidate.id}, which is refused; the ` +
        "run changes another property.",
    );
  }
  return remarks;
}

/** A server that keeps its own limits refuses what is beyond them, and there is nothing to see. */
function checkFit(proofCases: readonly ProofCase[]): void {
  const misfits = proofCases.filter(({ isHeldByForce }) => isHeldByForce);
  if (misfits.length === 0) return;
  throw new CommandFailure(
    `The server would refuse items: ${misfits.map(({ candidate }) => candidate.id).join(", ")} ` +
      "would have keys that are larger than its logical partitions may be. Name others with " +
      "--candidate, take fewer --items, or leave out --endpoint.",
  );
}

interface ServerFacts {
  readonly limits: Limits;
  /** It decides what reads cost, whatever the workload would have. */
  readonly promise: Pick<Workload, "consistency"> | undefined;
}

async function serverOf(official: OfficialClient, account: Account): Promise<ServerFacts> {
  const admin = new AdminClient(account);
  const client = new official.CosmosClient({
    endpoint: account.endpoint.href,
    key: account.key,
    connectionPolicy: { enableEndpointDiscovery: false },
  });
  try {
    const { limits } = await admin.get<{ readonly limits: Limits }>("limits");
    const { resource } = await client.getDatabaseAccount();
    const names = Object.keys(CONSISTENCIES) as Workload["consistency"][];
    const consistency = names.find((name) => CONSISTENCIES[name] === resource?.consistencyPolicy);
    return { limits, promise: consistency && { consistency } };
  } finally {
    client.dispose();
    admin.close();
  }
}

class Interruption {
  isAsked = false;
  readonly #handle = (): void => {
    if (this.isAsked) process.exit(130);
    this.isAsked = true;
  };

  constructor() {
    process.on("SIGINT", this.#handle);
    process.on("SIGTERM", this.#handle);
  }

  close(): void {
    process.off("SIGINT", this.#handle);
    process.off("SIGTERM", this.#handle);
  }
}
