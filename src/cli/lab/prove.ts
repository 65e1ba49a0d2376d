/**
 * `orrery lab prove`: candidates on the engine itself, beside what was predicted for them.
 *
 * Ctrl-C ends it at the next step: containers are deleted and the server is stopped all the same. A
 * second one ends it at once.
 */
import { factsOf } from "../../lab/lab.ts";
import {
  type CaseComparison,
  compareAll,
  compareCase,
  type ProofComparison,
} from "../../lab/prove/compare.ts";
import { undescribed } from "../../lab/prove/described.ts";
import { type ProofPlan, planOf } from "../../lab/prove/plan.ts";
import type { ProofCase } from "../../lab/prove/proofCase.ts";
import { proofHtml } from "../../lab/prove/proofHtml.ts";
import { proofJson } from "../../lab/prove/proofJson.ts";
import { proofText } from "../../lab/prove/proofText.ts";
import { type ProvenKey, provenKeys, unknownKeys } from "../../lab/prove/provenKeys.ts";
import { scenarioWorkload } from "../../lab/scenario/scenario.ts";
import type { Simulation } from "../../lab/simulate/simulation.ts";
import type { Workload } from "../../lab/workload/workload.ts";
import type { Limits } from "../../model/limits.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { realClock } from "../../server/surroundings/realWorld.ts";
import { AdminClient } from "../connect/adminClient.ts";
import { type OfficialClient, officialClient } from "../connect/officialClient.ts";
import { accountOf, type Environment, type ServerAccount } from "../connect/serverOptions.ts";
import { DrawnLine } from "../terminal/drawnLine.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { terminalWidth, writeJson, writePage } from "./output.ts";
import { type ConsistencyText, DATABASE, ProvingGround } from "./proveGround.ts";
import { LAB_PROVE_HELP, type ProveOptions, proveOptionsOf } from "./proveOptions.ts";
import type { MeasureSetting } from "./proveRun.ts";
import { measureCase } from "./proveRun.ts";
import { type Ranking, rankingOf } from "./ranking.ts";
import { scenarioNamed, variantNamed } from "./scenario.ts";
import { workloadIn } from "./sources.ts";

const ITEMS = { min: 200, max: 200_000 };

export async function runLabProve(args: string[], environment: Environment): Promise<void> {
  const options = proveOptionsOf(args);
  if (options === undefined) {
    process.stdout.write(LAB_PROVE_HELP);
    return;
  }
  const account = options.server && accountOf(options.server, environment);
  const official = await officialClient(process.cwd());
  const server = account === undefined ? undefined : await serverOf(official, account);
  const progress = new DrawnLine(environment);
  const ranking = await rankingOf(options.ranking, workloadOf(options), {
    progress,
    // Only the order is wanted, not what would change it.
    whatIfs: false,
  });
  const { keys, simulations } = chosenOf(ranking, options);
  const workload = { ...ranking.workload, ...server?.promise };
  const plan = planOf({
    ...options,
    workload,
    profile: ranking.profile,
    simulations,
    limits: ranking.limits,
    seed: ranking.seed,
    serverLimits: server?.limits,
  });
  checkScale(plan, options);
  const proofCases = simulations.map(({ candidate }) => plan.caseOf(candidate));
  if (server !== undefined) checkFit(proofCases);
  const interruption = new Interruption();
  const cases: CaseComparison[] = [];
  const remarks = proofCases.flatMap((proofCase) => remarksOf(proofCase, plan));
  const run = { official, account, plan, workload, isKept: options.isKept, interruption };
  try {
    for (const [at, proofCase] of proofCases.entries()) {
      const of = `${at + 1} of ${simulations.length}, ${proofCase.candidate.id}`;
      const containerId = `prove-${at + 1}-${realClock.wallNow().toString(36)}`;
      const onProgress = (what: string): void => progress.show(`${of}: ${what}`);
      cases.push(await compared(proofCase, { ...run, containerId, onProgress }));
      if (options.isKept) {
        remarks.push(`The container of ${proofCase.candidate.id} is ${DATABASE}/${containerId}.`);
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
  write(plan, proof, { remarks, keys, seed: ranking.seed }, options);
  if (options.isStrict && !proof.agrees) process.exitCode = 1;
}

interface CaseRun extends Pick<MeasureSetting, "containerId" | "isKept" | "onProgress"> {
  readonly official: OfficialClient;
  readonly account: ServerAccount | undefined;
  readonly plan: ProofPlan;
  readonly workload: Workload;
  readonly interruption: Interruption;
}

/** Measures one candidate on a ground of its own, and compares it with its prediction. */
async function compared(
  proofCase: ProofCase,
  { official, account, plan, workload, interruption, ...run }: CaseRun,
): Promise<CaseComparison> {
  const ground = await ProvingGround.open({
    official,
    account,
    limits: proofCase.limits,
    consistency: CONSISTENCIES[workload.consistency],
  });
  try {
    const measured = await measureCase(ground, proofCase, {
      ...run,
      indexing: workload.indexing,
      models: plan.models,
      nowMillis: plan.nowMillis,
      provisioned: plan.scale.provisioned,
      keyBytesMax: plan.scale.limits.logicalPartitionBytesMax,
      ...plan.tracesOf(proofCase),
      isInterrupted: () => interruption.isAsked,
    });
    return compareCase(proofCase.prediction, measured, proofCase.overLimitShare);
  } finally {
    await ground.close();
  }
}

function write(
  plan: ProofPlan,
  proof: ProofComparison,
  told: {
    readonly remarks: readonly string[];
    readonly keys: readonly ProvenKey[];
    readonly seed: number;
  },
  { seconds, operationCount, isJson, htmlFile }: ProveOptions,
): void {
  const { scale } = plan;
  const shown = { ...told, seconds, operationCount };
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

function workloadOf({ workload, scenario, variant }: ProveOptions): Workload {
  if (workload !== undefined) return workloadIn(workload);
  const found = scenarioNamed(scenario ?? "");
  return scenarioWorkload(found, variantNamed(variant, found));
}

/** Simulated at the real scale, in the order of the advice. */
function chosenOf(
  { advice, workload, profile }: Ranking,
  { top, only }: ProveOptions,
): { readonly keys: readonly ProvenKey[]; readonly simulations: readonly Simulation[] } {
  if (profile?.sample.length === 0) {
    throw new CommandFailure("It cannot be proved: the profile has kept no items to store.");
  }
  const [unknown] = unknownKeys(advice, only);
  if (unknown !== undefined) {
    const names = advice.candidates.map(({ simulation }) => simulation.candidate.id).join(", ");
    throw new BadOption(
      `--only is '${unknown}', which is none of the keys here: ${names}. --candidate adds one.`,
    );
  }
  const keys = provenKeys(advice, { top, only });
  const simulations = advice.candidates
    .filter((_, at) => keys[at]!.isProved)
    .map(({ simulation }) => simulation);
  if (simulations.length === 0) throw new CommandFailure("There is no candidate to prove.");
  const candidates = simulations.map(({ candidate }) => candidate);
  checkDescribed(undescribed(workload, factsOf({ workload, profile }), candidates));
  return { keys, simulations };
}

function checkDescribed(sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  const lines = sentences.map((sentence) => `  ${sentence}`);
  throw new CommandFailure(
    "It cannot be proved: neither the data nor the workload says what values there are.\n" +
      `${lines.join("\n")}\nDeclare them under \`properties\`, give --data or --profile of items ` +
      "that have them, or name other keys with --only.",
  );
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

async function serverOf(official: OfficialClient, account: ServerAccount): Promise<ServerFacts> {
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
