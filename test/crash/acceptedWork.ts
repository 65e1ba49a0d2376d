/**
 * A split or a merge that an account is asked for, and the power going some steps later: once it
 * was accepted it comes to one end, which does not change any more; if it was not, nothing of it is
 * found, or all of it.
 */
import { assert } from "../../src/base/assert.ts";
import { millis } from "../../src/base/units.ts";
import type { Timer } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import { Account } from "../../src/engine/account.ts";
import { parseContainerDefinition } from "../../src/engine/definition/containerDefinition.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import type { ReshapeJob } from "../../src/engine/reshape/reshapeJob.ts";
import type { ReshapeRequest } from "../../src/engine/reshape/reshapePlan.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";
import type { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { Wiring } from "./machine.ts";
import { Machine, ticks } from "./machine.ts";
import { pick } from "./workload.ts";

export interface AcceptedRun {
  readonly kind: "split" | "merge";
  readonly seed: number;
  /** Steps from the request to the cut. */
  readonly tickCount: number;
  /** Whether somebody deletes the container some steps after the request. */
  readonly isDeleted: boolean;
  /** Whether a hasty server answers before the job is on disk: a bug, planted. */
  readonly isHasty?: boolean;
}

export interface AcceptedReport {
  readonly violation: string | undefined;
  /** What the asker knew when the power went. */
  readonly known: "nothing" | "accepted" | "ended";
  /** What became of it at last; undefined if it never was. */
  readonly ending?: string | undefined;
}

const ITEM_COUNT = 8;
/** More than any job of this test takes. */
const QUIET_TICKS = 20_000;

/** Longer waits are those between rounds, and no round comes in these short lives. */
const PAUSE_MS_MAX = 1_000;

/** A pause of a job ends some steps later. */
const shortTimer: Timer = {
  after: (delay, action) => {
    let isOn = delay < PAUSE_MS_MAX;
    void ticks(isOn ? 20 : 0).then(() => isOn && action());
    return () => {
      isOn = false;
    };
  },
  soon: () => Promise.resolve(),
};

export async function runAccepted(run: AcceptedRun, wiring: Wiring = {}): Promise<AcceptedReport> {
  const random = seededRandom(run.seed);
  const machine = new Machine(random, { segmentBytesMax: 3000, sealedCountMax: 2 }, wiring);
  const account = await openOn(await machine.boot(), run.seed);
  const container = await setTheStage(account, run.kind);
  const request = requestOf(run.kind, container);
  const before = rangeIds(account).join();
  const { reshaping } = account;
  let isOn = true;
  let told: ReshapeJob | undefined;
  if (run.isHasty === true) void reshaping.request(container, request).catch(() => undefined);
  else {
    void reshaping.accept(container, request).then((answer) => {
      assert(answer.ok || run.isDeleted, "a job was refused");
      // An answer that arrives after the cut was never given.
      if (answer.ok && isOn) told = answer.value;
    });
  }
  if (run.isHasty === true) told = reshaping.jobs[0];
  const deletion = run.isDeleted ? pick(random, run.tickCount) : run.tickCount;
  await ticks(deletion);
  if (run.isDeleted) void account.catalog.deleteContainer(databaseOf(account), container);
  await ticks(run.tickCount - deletion);
  const ended = reshaping.jobs.find(({ outcome }) => outcome !== undefined);
  isOn = false;
  machine.cutPower();

  const known = ended !== undefined ? "ended" : told !== undefined ? "accepted" : "nothing";
  const second = await openOn(await machine.boot(), run.seed);
  const violation = await check(second, { before, told, ended });
  if (violation !== undefined) return { known, violation: `${JSON.stringify(run)}: ${violation}` };
  const after = second.reshaping.jobs;
  machine.cutPower();

  const third = await openOn(await machine.boot(), run.seed);
  const isSame = JSON.stringify(third.reshaping.jobs) === JSON.stringify(after);
  const changed = `${JSON.stringify(run)}: the outcome changed over another power cut`;
  return { known, violation: isSame ? undefined : changed, ending: after[0]?.outcome?.state };
}

/** Waits until the newly opened account has come to rest. */
async function check(
  account: Account,
  was: { before: string; told: ReshapeJob | undefined; ended: ReshapeJob | undefined },
): Promise<string | undefined> {
  const { reshaping } = account;
  for (let tick = 0; tick < QUIET_TICKS; tick += 20) {
    if (reshaping.jobs.every(({ outcome }) => outcome !== undefined)) break;
    await ticks(20);
  }
  const [job, ...others] = reshaping.jobs;
  if (others.length > 0) return "one job became two";
  const ids = rangeIds(account).join();
  if (job === undefined) {
    if (was.told !== undefined) return `job ${was.told.id} was accepted and is forgotten`;
    return ids === was.before || ids === "" ? undefined : `nobody asked, and there are ${ids}`;
  }
  if (was.told !== undefined && job.id !== was.told.id) return `${job.id} is not ${was.told.id}`;
  const { outcome } = job;
  if (outcome === undefined) return `job ${job.id} does not come to an end`;
  if (was.ended !== undefined && JSON.stringify(was.ended) !== JSON.stringify(job)) {
    return `${JSON.stringify(was.ended)} was told, and is ${JSON.stringify(job)} now`;
  }
  if (outcome.state !== "done") {
    const isRight = outcome.state === "cancelled" && ids === "";
    return isRight ? undefined : `it ${outcome.state}: ${outcome.reason}`;
  }
  if (ids !== "" && ids !== outcome.newPartitionIds.join()) return `done, and there are ${ids}`;
  return undefined;
}

function openOn(store: EmbeddedStore, seed: number): Promise<Account> {
  return Account.open({
    store,
    timer: shortTimer,
    random: seededRandom(seed),
    limits: SERVICE_LIMITS,
    clock: { now: () => millis(0), wallNow: () => 1_700_000_000_000 },
  });
}

/** Some items in one physical partition, or in two for a merge. */
async function setTheStage(account: Account, kind: AcceptedRun["kind"]): Promise<Container> {
  const { catalog } = account;
  const database = await catalog.createDatabase("d", undefined);
  const body = { id: "c", partitionKey: { paths: ["/pk"] } };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  assert(database.ok && definition.ok, "the stage could not be set");
  const partitionCount = kind === "split" ? 1 : 2;
  const provisioning = { partitionCount, throughput: undefined };
  const made = await catalog.createContainer(database.value, definition.value, provisioning);
  assert(made.ok, "the stage could not be set");
  for (let n = 0; n < ITEM_COUNT; n++) {
    const item = { id: "i", pk: `k${n}`, text: "x".repeat(n * 40) };
    const written = account.writeItem(made.value, { kind: "create", key: [item.pk], body: item });
    assert(written.ok, "the stage could not be set");
    await written.value;
  }
  return made.value;
}

function requestOf(kind: AcceptedRun["kind"], { map }: Container): ReshapeRequest {
  const [left, right] = map.entries.map(({ id }) => id);
  return kind === "split"
    ? { kind, partitionId: left!, at: "median" }
    : { kind, partitionIds: [left!, right!] };
}

function databaseOf({ catalog }: Account): NonNullable<ReturnType<typeof catalog.database>> {
  return catalog.database("d")!;
}

function rangeIds({ catalog }: Account): readonly string[] {
  return catalog.container("d", "c")?.map.entries.map(({ id }) => id) ?? [];
}
