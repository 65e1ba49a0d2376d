/**
 * One approach on the engine: its containers are made and filled, time goes on in them while items
 * come and are moved, then everything is asked that the workload asks, one read after the other,
 * and at last at the pace of the real thing (`pacedRun.ts`).
 *
 * What a request costs and whom it comes to is read from the counters of the server. Nothing waits
 * for the time of the items; only the last part has a clock.
 */
import type { Container, ItemDefinition } from "@azure/cosmos";
import { DAY_MS, DAY_SECONDS } from "../../../base/units.ts";
import { propertyText } from "../../../lab/lifecycle/containers.ts";
import {
  type ApproachMeasurement,
  type ContainerMeasurement,
  MOVE_ITEM,
  MOVE_LOOK,
  type MovingMeasurement,
  type PacedMeasurement,
  type PatternMeasurement,
} from "../../../lab/lifecycle/measured.ts";
import {
  containerFor,
  type DatedItem,
  type PlannedRead,
  type RunApproach,
  type RunPlan,
  routed,
} from "../../../lab/lifecycle/runPlan.ts";
import { timeIn } from "../../../lab/scenario/itemGenerator.ts";
import { valueIn } from "../../../lab/workload/pathField.ts";
import { CommandFailure } from "../../terminal/failure.ts";
import { bulkWrite } from "../proveBulk.ts";
import { nothingSent, ProofClient } from "../proveClient.ts";
import type { PartitionCount, ProvingGround } from "../proveGround.ts";
import { differences } from "../proveMeasure.ts";
import { type Mover, type MoverSetting, patiently } from "./mover.ts";
import { pacedMeasurement } from "./pacedRun.ts";
import { ApproachRu } from "./ruTally.ts";

interface RunSetting {
  readonly plan: RunPlan;
  readonly approach: RunApproach;
  /** Of the part with a clock; 0: none. */
  readonly seconds: number;
  /** Requests a second that this machine is asked for at most. */
  readonly rateMax: number;
  /** Who moves items, where any are moved. */
  moverOf(setting: MoverSetting): Mover;
  isInterrupted(): boolean;
  onProgress(what: string): void;
}

/** A container has as many physical partitions as it is created with times this rate. */
export const PARTITION_RATE = 2500;
/** More than anything here needs; a rate may not fall below a hundredth of it. */
const AMPLE_RATE = 40_000;

export async function measureApproach(
  ground: ProvingGround,
  setting: RunSetting,
): Promise<ApproachMeasurement> {
  const { approach, plan } = setting;
  setting.onProgress("making containers");
  const containers: Container[] = [];
  try {
    for (const [at, container] of approach.containers.entries()) {
      const isHot = approach.moveEveryDays !== undefined && at === 0;
      const { ttlDays } = plan.input.settings;
      const made = await ground.create(`${approach.id}-${at}`, {
        key: plan.definition,
        indexing: plan.input.workload.indexing,
        throughput: container.partitionCount * PARTITION_RATE,
        ttlSeconds: isHot ? Math.round(ttlDays * DAY_SECONDS) : undefined,
      });
      await ground.setRate(made, Math.max(AMPLE_RATE, container.partitionCount * PARTITION_RATE));
      containers.push(made);
    }
    return await new ApproachRun(ground, containers, setting).run();
  } finally {
    for (const container of containers) await container.delete().catch(() => undefined);
  }
}

type Counts = ReadonlyMap<string, PartitionCount>;

class ApproachRun {
  readonly #ground: ProvingGround;
  readonly #containers: readonly Container[];
  readonly #clients: readonly ProofClient[];
  readonly #setting: RunSetting;
  readonly #tally: ApproachRu;
  readonly #stores: { count: number; ru: number } = { count: 0, ru: 0 };
  /** As they were when the last counted work was done; undefined: something else came since. */
  #lastCounts: readonly Counts[] | undefined;

  constructor(ground: ProvingGround, containers: readonly Container[], setting: RunSetting) {
    this.#ground = ground;
    this.#containers = containers;
    this.#setting = setting;
    this.#clients = containers.map((container) => new ProofClient(container, () => undefined));
    this.#tally = new ApproachRu(containers.length);
  }

  async run(): Promise<ApproachMeasurement> {
    const { approach, seconds } = this.#setting;
    await this.#load();
    const moving = await this.#live();
    const { foundCount, itemCount } = await this.#found();
    const patterns = [...this.#storePatterns(), ...(await this.#reads())];
    const containers = await this.#sizes();
    const paced = seconds === 0 ? undefined : await this.#paced();
    this.#check();
    return { id: approach.id, patterns, containers, moving, paced, foundCount, itemCount };
  }

  /** Everything that is there before the first new item, where it lies then. */
  async #load(): Promise<void> {
    const { plan, approach, onProgress } = this.#setting;
    onProgress(`storing ${plan.stored.length} items`);
    const atMillis = plan.live[0]!.millis;
    const homes = plan.stored.map((item) =>
      containerFor(approach, item, { atMillis, nowMillis: plan.nowMillis }),
    );
    for (const [at, container] of this.#containers.entries()) {
      for (const chunk of chunks(plan.stored.filter((_, index) => homes[index] === at))) {
        this.#check();
        const refused = await bulkWrite(container, "Create", chunk);
        if (refused === undefined) continue;
        throw new CommandFailure(`${refused.id} was refused with ${refused.code}.`);
      }
    }
  }

  /** Items come one after the other; what has come of age meanwhile is moved. */
  async #live(): Promise<MovingMeasurement | undefined> {
    const { plan, approach, onProgress } = this.#setting;
    const mover = this.#mover();
    const moves = { stepCount: 0, movedCount: 0, stepItemsMax: 0 };
    const step = async (atMillis: number): Promise<void> => {
      if (mover === undefined) return;
      const moved = await mover.moveUntil(atMillis - plan.input.settings.hotDays * DAY_MS);
      moves.stepCount++;
      moves.movedCount += moved;
      moves.stepItemsMax = Math.max(moves.stepItemsMax, moved);
    };
    const everyMillis = (approach.moveEveryDays ?? 0) * DAY_MS;
    const moveCounts = new ApproachRu(this.#containers.length);
    let nextMove = plan.live[0]!.millis + everyMillis;
    onProgress(`${plan.live.length} new items come`);
    if (mover !== undefined) {
      const due = plan.live[0]!.millis - plan.input.settings.hotDays * DAY_MS;
      await this.#counted(this.#tally, MOVE_LOOK, async () => void (await mover.moveUntil(due)));
    }
    for (const item of plan.live) {
      this.#check();
      while (nextMove <= item.millis) {
        await this.#counted(moveCounts, MOVE_ITEM, () => step(nextMove));
        nextMove = everyMillis === 0 ? Number.POSITIVE_INFINITY : nextMove + everyMillis;
      }
      await this.#store(item);
      if (mover !== undefined && everyMillis === 0) nextMove = item.millis;
    }
    if (mover === undefined) return undefined;
    await this.#counted(moveCounts, MOVE_ITEM, () => step(plan.nowMillis));
    return this.#movingOf(mover, moves, moveCounts);
  }

  /**
   * A look that finds nothing is one part of the price; what remains is that of the items. A look
   * goes over all that were moved and still wait for their time to live, so it was cheapest at the
   * beginning, and the mean of the first and the last is what the looks in between took.
   */
  async #movingOf(
    mover: Mover,
    moves: { stepCount: number; movedCount: number; stepItemsMax: number },
    moveCounts: ApproachRu,
  ): Promise<MovingMeasurement> {
    const { plan } = this.#setting;
    const lastLook = new ApproachRu(this.#containers.length);
    await this.#counted(lastLook, MOVE_LOOK, async () => {
      await mover.moveUntil(plan.nowMillis - plan.input.settings.hotDays * DAY_MS);
    });
    const lookRu = this.#tally.totalOf(MOVE_LOOK);
    const lastLookRu = lastLook.totalOf(MOVE_LOOK);
    const ru = moveCounts.totalOf(MOVE_ITEM);
    const ofItems = Math.max(0, ru - (moves.stepCount * (lookRu + lastLookRu)) / 2);
    const { movedCount } = moves;
    const itemRu = movedCount === 0 ? 0 : ofItems / movedCount;
    // Where the items' part was spent is where all of it was, but for the looks.
    this.#tally.take(MOVE_ITEM, moveCounts, movedCount === 0 ? 0 : itemRu / ru);
    const waitingRu = movedCount === 0 ? 0 : Math.max(0, lastLookRu - lookRu) / movedCount;
    return { ...moves, ru, lookRu, itemRu, waitingRu };
  }

  #mover(): Mover | undefined {
    const { plan, approach } = this.#setting;
    const [hot, warm] = this.#containers;
    if (approach.moveEveryDays === undefined || warm === undefined) return undefined;
    const { agePath, workload, settings } = plan.input;
    const form = valueIn(workload.item.example, agePath);
    const resolution = workload.properties.get(agePath)?.time ?? "second";
    return this.#setting.moverOf({
      hot: hot!,
      warm,
      property: propertyText(agePath),
      timeAt: (millis) => timeIn(form, resolution, millis),
      keyOf: (item: ItemDefinition) =>
        plan.definition.paths.map((path) => valueIn(item as never, path) as string | undefined),
      batch: settings.batch,
      graceSeconds: Math.max(1, Math.round(settings.graceDays * DAY_SECONDS)),
    });
  }

  async #store(item: DatedItem): Promise<void> {
    const { plan, approach } = this.#setting;
    const when = { atMillis: item.millis, nowMillis: plan.nowMillis };
    const container = this.#containers[containerFor(approach, item, when)]!;
    await this.#counted(this.#tally, STORE, async () => {
      const { requestCharge } = await patiently(() => container.items.create(item.item));
      this.#stores.count++;
      this.#stores.ru += requestCharge;
    });
  }

  /** Each kind of store is the same here; they have their rates and the price in common. */
  #storePatterns(): readonly PatternMeasurement[] {
    const { operations } = this.#setting.plan.input.workload;
    const stores = operations.filter(({ kind }) => kind === "create" || kind === "upsert");
    const { count, ru } = this.#stores;
    return stores.map(({ id }) => {
      this.#tally.take(id, this.#tally, 1 / count, STORE);
      return { id, count, ruEach: ru / count, containersVisited: 1, partitionsVisited: 1 };
    });
  }

  async #reads(): Promise<readonly PatternMeasurement[]> {
    const { plan, onProgress } = this.#setting;
    const ids = [...new Set(plan.reads.map(({ operationId }) => operationId))];
    const patterns: PatternMeasurement[] = [];
    for (const id of ids) {
      onProgress(`asking '${id}'`);
      const reads = plan.reads.filter(({ operationId }) => operationId === id);
      const sums = { ru: 0, containers: 0, partitions: 0 };
      for (const read of reads) {
        this.#check();
        const sent = { ru: 0 };
        const visited = await this.#counted(this.#tally, id, async () => {
          sent.ru = await this.#ask(read);
        });
        sums.ru += sent.ru;
        sums.containers += visited.filter((count) => count > 0).length;
        sums.partitions += visited.reduce((total, count) => total + count, 0);
      }
      const count = reads.length;
      this.#tally.take(id, this.#tally, 1 / count);
      patterns.push({
        id,
        count,
        ruEach: sums.ru / count,
        containersVisited: sums.containers / count,
        partitionsVisited: sums.partitions / count,
      });
    }
    return patterns;
  }

  /** Of all containers that it goes to, as the router sends it. */
  async #ask(read: PlannedRead): Promise<number> {
    const { plan, approach } = this.#setting;
    const sent = nothingSent();
    await Promise.all(
      routed(plan, approach, read).map(({ container, request }) =>
        this.#clients[container]!.send(request, sent),
      ),
    );
    if (sent.throttled > 0) throw new CommandFailure("A read was throttled at an ample rate.");
    return sent.ru;
  }

  /** What a reader of all containers finds of all that was stored, each of its ages only. */
  async #found(): Promise<Pick<ApproachMeasurement, "foundCount" | "itemCount">> {
    const { plan, approach } = this.#setting;
    this.#lastCounts = undefined;
    let foundCount = 0;
    for (const [at, container] of this.#containers.entries()) {
      const isHot = approach.moveEveryDays !== undefined && at === 0;
      const where = isHot ? " WHERE NOT IS_DEFINED(c.migrated)" : "";
      const query = `SELECT VALUE COUNT(1) FROM c${where}`;
      const { resources } = await patiently(() => container.items.query<number>(query).fetchAll());
      foundCount += resources.reduce((sum, count) => sum + count, 0);
    }
    return { foundCount, itemCount: plan.stored.length + plan.live.length };
  }

  async #sizes(): Promise<readonly ContainerMeasurement[]> {
    const { approach } = this.#setting;
    const measured: ContainerMeasurement[] = [];
    for (const [at, container] of this.#containers.entries()) {
      const { figures, partitions } = await this.#ground.report(container);
      measured.push({
        name: approach.containers[at]!.name,
        itemCount: figures.itemCount,
        bytes: figures.itemBytes,
        ruByPartition: this.#tally.byPartition(
          at,
          partitions.map(({ id }) => id),
        ),
      });
    }
    return measured;
  }

  #paced(): Promise<PacedMeasurement> {
    const [ground, containers, clients] = [this.#ground, this.#containers, this.#clients];
    return pacedMeasurement({ ...this.#setting, ground, containers, clients });
  }

  /** Notes what each physical partition spent on it; gives how many of each container took part. */
  async #counted(
    tally: ApproachRu,
    name: string,
    act: () => Promise<void>,
  ): Promise<readonly number[]> {
    const before = this.#lastCounts ?? (await this.#counts());
    await act();
    const after = await this.#counts();
    this.#lastCounts = after;
    return after.map((counts, at) => {
      const spent = differences(before[at]!, counts);
      tally.add(name, at, spent);
      return [...spent.values()].filter(({ requests }) => requests > 0).length;
    });
  }

  #counts(): Promise<readonly Counts[]> {
    return this.#ground.countsOf(this.#containers);
  }

  #check(): void {
    if (this.#setting.isInterrupted()) throw new CommandFailure("Interrupted.");
  }
}

const STORE = "store";
/** What the client takes in a few calls, so that an interruption is seen. */
const CHUNK = 2000;

function chunks<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, at) =>
    items.slice(at * CHUNK, (at + 1) * CHUNK),
  );
}
