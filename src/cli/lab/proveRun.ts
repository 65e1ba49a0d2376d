/**
 * One candidate on the engine: its container is made and filled; the operations are sent with more
 * rate than they need, which shows what they ask for, and then at their pace with the rate of the
 * scale, which shows what is refused.
 *
 * What is written in the first part is taken back in small batches, so that everything is asked
 * for with the same items stored.
 */

import type { Container } from "@azure/cosmos";
import { pause } from "../../base/retry.ts";
import type { KeyedItem } from "../../lab/prove/keyedItem.ts";
import type { Measurement } from "../../lab/prove/measurement.ts";
import { batchSizeOf, type TimedTrace } from "../../lab/prove/plan.ts";
import type { ProofCase } from "../../lab/prove/proofCase.ts";
import { type ProofRequest, requestOf } from "../../lab/prove/requests.ts";
import { evenlyTaken, keyOrder } from "../../lab/prove/subjects.ts";
import type { TraceEvent } from "../../lab/prove/trace.ts";
import type { OperationModel } from "../../lab/simulate/operationModel.ts";
import type { Workload } from "../../lab/workload/workload.ts";
import { realClock, realTimer } from "../../server/surroundings/realWorld.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { bulkWrite } from "./proveBulk.ts";
import { nothingSent, ProofClient } from "./proveClient.ts";
import type { PartitionCount, ProvingGround } from "./proveGround.ts";
import {
  added,
  type DemandReplay,
  differences,
  measurementOf,
  newTallies,
  type OperationCounts,
  type Replay,
} from "./proveMeasure.ts";
import { atPace, fewAtOnce } from "./provePace.ts";

export interface MeasureSetting {
  readonly models: readonly OperationModel[];
  readonly nowMillis: number;
  readonly provisioned: number;
  /** Bytes that a logical partition may have at the scale. */
  readonly keyBytesMax: number;
  /** What is asked for, whatever the rate: these operations, and in how many seconds. */
  readonly demand: TimedTrace;
  /** What is sent at its pace. */
  readonly load: TimedTrace;
  readonly indexing: Workload["indexing"];
  readonly containerId: string;
  readonly isKept: boolean;
  isInterrupted(): boolean;
  onProgress(what: string): void;
}

/** A rate may be lowered by so much, and no rate is higher. */
const RAISE = 100;
const RATE_MAX = 1_000_000;
/** Operations that are sent alone, to see whom they come to. */
const ALONE = 10;
const AT_ONCE = 16;
const REST_MS = 1100;
/** Of the operations, so many may be late; and how often it is tried again if more are. */
const LATE_MAX = 0.02;
const AGAIN_MAX = 2;

export async function measureCase(
  ground: ProvingGround,
  proofCase: ProofCase,
  setting: MeasureSetting,
): Promise<Measurement> {
  const { onProgress, models } = setting;
  onProgress("creating the container");
  const container = await ground.create(setting.containerId, {
    key: proofCase.definition,
    indexing: setting.indexing,
    throughput: setting.provisioned,
  });
  try {
    const run = new CaseRun(ground, container, proofCase, setting);
    await run.load();
    const [report, largestKeys] = [
      await ground.report(container),
      await ground.largestKeys(container),
    ];
    const visits = await run.alone();
    const demand = await run.demand();
    const limited = await run.undisturbed();
    return measurementOf({
      models,
      proofCase,
      visits,
      demand: { ...demand, seconds: setting.demand.seconds },
      limited: { ...limited, seconds: setting.load.seconds },
      report,
      endIds: (await ground.report(container)).partitions.map(({ id }) => id),
      largestKeys,
      keyBytesMax: setting.keyBytesMax,
    });
  } finally {
    if (!setting.isKept) await container.delete().catch(() => undefined);
  }
}

/** Operations of one kind that are sent together. */
interface DemandBatch {
  readonly operation: number;
  readonly events: readonly TraceEvent[];
}

class CaseRun {
  readonly #ground: ProvingGround;
  readonly #container: Container;
  readonly #case: ProofCase;
  readonly #setting: MeasureSetting;
  readonly #client: ProofClient;
  readonly #gone = new Set<string>();
  readonly #created: KeyedItem[] = [];
  #partitionCount = 1;

  constructor(
    ground: ProvingGround,
    container: Container,
    proofCase: ProofCase,
    setting: MeasureSetting,
  ) {
    this.#ground = ground;
    this.#container = container;
    this.#case = proofCase;
    this.#setting = setting;
    const byId = new Map(proofCase.items.map((item) => [item.id, item]));
    this.#client = new ProofClient(container, (id) => byId.get(id));
  }

  /** As much as can be had without more partitions. */
  async #raiseRate(): Promise<void> {
    const { partitions, limits } = await this.#ground.report(this.#container);
    const most = partitions.length * limits.partitionRateMax;
    const raised = Math.min(RATE_MAX, this.#setting.provisioned * RAISE, most);
    await this.#ground.setRate(this.#container, raised);
  }

  /** Partitions fill up evenly, so that each is cut where it would be at the end. */
  async load(): Promise<void> {
    const { items: all, definition } = this.#case;
    const items = evenlyTaken(keyOrder(all, definition)).map((index) => all[index]!);
    await this.#raiseRate();
    for (let from = 0; from < items.length; from += STRIDE) {
      this.#check();
      this.#setting.onProgress(`loading, ${from} of ${items.length} items`);
      await this.#write("Create", items.slice(from, from + STRIDE));
    }
    this.#setting.onProgress("waiting for splits");
    await this.#ground.settled(this.#container);
    this.#partitionCount = (await this.#ground.report(this.#container)).partitions.length;
  }

  async #write(kind: "Create" | "Delete", items: readonly KeyedItem[]): Promise<void> {
    const refusal = await bulkWrite(this.#container, kind, items);
    if (refusal === undefined) return;
    throw new CommandFailure(
      `Item ${refusal.id} was refused with ${refusal.code} while the container of ` +
        `${this.#case.candidate.id} was filled.`,
    );
  }

  /** How many physical partitions an operation comes to, on average over a few. */
  async alone(): Promise<readonly number[]> {
    const visited: number[] = [];
    for (const [index, { operation }] of this.#setting.models.entries()) {
      this.#check();
      const own = this.#setting.demand.events.filter((event) => event.operation === index);
      const isRead = operation.kind === "query" || operation.kind === "pointRead";
      const step = Math.max(1, Math.floor(own.length / ALONE));
      const chosen = isRead ? own.filter((_, at) => at % step === 0).slice(0, ALONE) : [];
      let visits = 0;
      for (const event of chosen) {
        const before = await this.#counts();
        await this.#client.send(this.#requestOf(event), nothingSent());
        const after = differences(before, await this.#counts());
        visits += [...after.values()].filter(({ requests }) => requests > 0).length;
      }
      visited.push(chosen.length === 0 ? 1 : visits / chosen.length);
    }
    return visited;
  }

  /**
   * One operation after the other, each counted as often as it comes by its rate. First what leaves
   * the items as they are, then the others, a few at a time.
   */
  async demand(): Promise<DemandReplay> {
    const { models, demand } = this.#setting;
    const tallies = newTallies(models.length);
    const failures = new Map<string, number>();
    const sentOf = (operation: number): number =>
      demand.events.filter((each) => each.operation === operation).length;
    const asked = models.map(({ operation }, at) => ({
      counts: NOTHING_COUNTED,
      factor: (operation.ratePerSecond * demand.seconds) / Math.max(1, sentOf(at)),
    }));
    for (const { operation, events } of this.#demandBatches()) {
      this.#check();
      this.#setting.onProgress(`asking without a limit, ${models[operation]!.operation.id}`);
      const before = await this.#counts();
      const send = (event: TraceEvent): Promise<void> => this.#send(event, tallies, failures);
      const { isInterrupted } = this.#setting;
      await fewAtOnce(events, send, { count: AT_ONCE, isInterrupted });
      const own = asked[operation]!;
      own.counts = added(own.counts, differences(before, await this.#counts()), 1);
      await this.#restore();
    }
    this.#check();
    const counts = asked.reduce(
      (sum, each) => added(sum, each.counts, each.factor),
      NOTHING_COUNTED,
    );
    return { counts, asked, operations: tallies, failures, lateShare: 0 };
  }

  #demandBatches(): readonly DemandBatch[] {
    const { demand, models } = this.#setting;
    const isGrowing = ({ operation, created }: TraceEvent): boolean =>
      created !== undefined || models[operation]!.operation.kind === "delete";
    const batchesOf = (chosen: readonly TraceEvent[], size: number): readonly DemandBatch[] =>
      models.flatMap((_, operation) =>
        batched(
          chosen.filter((event) => event.operation === operation),
          size,
        ).map((events) => ({ operation, events })),
      );
    const steady = demand.events.filter((event) => !isGrowing(event));
    const growing = demand.events.filter(isGrowing);
    const few = batchSizeOf(this.#case.items.length);
    return [...batchesOf(steady, steady.length), ...batchesOf(growing, few)];
  }

  /**
   * At the pace of the scale. A machine that was busy with something else has sent too late, and
   * what was refused then tells nothing: it is done again. The least late counts, whatever it says.
   */
  async undisturbed(): Promise<Replay> {
    let best = await this.#atPace();
    for (let again = 0; again < AGAIN_MAX && best.lateShare > LATE_MAX; again++) {
      this.#setting.onProgress("again, as the machine was busy");
      await this.#raiseRate();
      await this.#restore();
      const next = await this.#atPace();
      if (next.lateShare < best.lateShare) best = next;
    }
    return best;
  }

  async #atPace(): Promise<Replay> {
    const { load, isInterrupted, onProgress } = this.#setting;
    await this.#ground.setRate(this.#container, this.#setting.provisioned);
    // What a rested partition has: one second's worth.
    await pause(realTimer, REST_MS);
    onProgress(`at the pace of the scale, ${load.seconds} s`);
    const tallies = newTallies(this.#setting.models.length);
    const failures = new Map<string, number>();
    const before = await this.#counts();
    const send = (event: TraceEvent): Promise<void> => this.#send(event, tallies, failures);
    const lateShare = await atPace(load.events, send, isInterrupted);
    this.#check();
    const counts = differences(before, await this.#counts());
    return { counts, operations: tallies, failures, lateShare };
  }

  async #send(
    event: TraceEvent,
    tallies: readonly OperationCounts[],
    failures: Map<string, number>,
  ): Promise<void> {
    const request = this.#requestOf(event);
    if (event.created !== undefined) this.#created.push(event.created);
    if (request.kind === "delete") this.#gone.add(request.id);
    const tally = tallies[event.operation]!;
    const sent = nothingSent();
    const startedAt = realClock.now();
    try {
      await this.#client.send(request, sent);
      if (sent.throttled === 0) tally.latencies.push(realClock.now() - startedAt);
    } catch (error) {
      const { code, substatus } = this.#ground.refusalOf(error);
      const name = `${code}/${substatus}`;
      failures.set(name, (failures.get(name) ?? 0) + 1);
    }
    tally.count++;
    tally.ru += sent.ru;
    tally.ruSquares += sent.ru ** 2;
    tally.answers += sent.answers;
    tally.throttled += sent.throttled;
  }

  #requestOf(event: TraceEvent): ProofRequest {
    const { items, shape } = this.#case;
    const { models, nowMillis } = this.#setting;
    return requestOf(event, {
      shape,
      models,
      nowMillis,
      partitionCount: this.#partitionCount,
      stored: (index) => {
        let at = index;
        for (let tries = 0; tries < items.length && this.#gone.has(items[at]!.id); tries++) {
          at = (at + 1) % items.length;
        }
        return items[at]!;
      },
    });
  }

  #counts(): Promise<ReadonlyMap<string, PartitionCount>> {
    return this.#ground.counts(this.#container);
  }

  /** As it was before. */
  async #restore(): Promise<void> {
    const gone = this.#case.items.filter(({ id }) => this.#gone.has(id));
    await this.#write("Delete", this.#created.splice(0));
    await this.#write("Create", gone);
    this.#gone.clear();
  }

  #check(): void {
    if (this.#setting.isInterrupted()) throw new CommandFailure("Interrupted.");
  }
}

const STRIDE = 1000;
const NOTHING_COUNTED: ReadonlyMap<string, PartitionCount> = new Map();

function batched<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    list.slice(at * size, (at + 1) * size),
  );
}
