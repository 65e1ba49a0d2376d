/**
 * Changes what clients stand on: makes and deletes containers, replaces policies and rates, asks
 * for splits and merges. Those of size and rate come by themselves.
 */
import { ok } from "../../src/base/result.ts";
import type { Offer } from "../../src/engine/catalog/offers.ts";
import { offersOf, replaceOffer } from "../../src/engine/catalog/offers.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import type { ReshapeRequest } from "../../src/engine/reshape/reshapePlan.ts";
import type { RateSetting, ThroughputChange } from "../../src/model/throughput.ts";
import { partitionCountNeeded, rateMaxOf } from "../../src/model/throughput.ts";
import { epkOf } from "../../src/partition/epk.ts";
import type { Life } from "./life.ts";
import { DATABASES, definitionOf, POLICIES } from "./stormContainers.ts";
import type { ContainerSlot } from "./stormModel.ts";
import { demand } from "./stormModel.ts";

const BURST_COUNT = 5;
const BURST_PAUSE_MS = 30;

export class Director {
  readonly #rates: RateSetting;
  splitCount = 0;
  mergeCount = 0;
  pendingCount = 0;
  policyCount = 0;
  deletedCount = 0;

  constructor(rates: RateSetting) {
    this.#rates = rates;
  }

  /** Sometimes several things at once: each is begun before the one before has come to its end. */
  async act(life: Life): Promise<void> {
    const slot = life.pick(life.model.slots);
    for (let left = life.chance(0.3) ? BURST_COUNT : 1; left > 0 && !life.isPaused; left--) {
      await this.#actOn(life, slot);
      await life.sleep(life.below(BURST_PAUSE_MS));
    }
  }

  async #actOn(life: Life, slot: ContainerSlot): Promise<void> {
    const { catalog } = life.account;
    if (catalog.database(slot.database) === undefined) {
      await life.until(catalog.createDatabase(slot.database, DATABASES.get(slot.database)));
      return;
    }
    const container = life.containerOf(slot);
    if (container === undefined) return this.#create(life, slot);
    const chance = life.random.next();
    if (chance < 0.15) await this.#replacePolicy(life, slot, container);
    else if (chance < 0.45) await this.#replaceOffer(life, container);
    else if (chance < 0.55) await this.#checkReport(life, container);
    else if (chance < 0.65 && life.chance(slot.kind.deletedShare)) {
      await this.#delete(life, slot, container);
    } else this.#reshape(life, slot, container);
  }

  async #create(life: Life, slot: ContainerSlot): Promise<void> {
    const { catalog } = life.account;
    slot.undecided = "create";
    const definition = definitionOf(slot.kind, life.pick(POLICIES));
    const { throughput } = slot.kind;
    const database = catalog.database(slot.database)!;
    const made = await life.until(catalog.createContainer(database, definition, { throughput }));
    demand(made.ok, "a container could not be made");
    slot.become(made.value.rid);
    life.note(`made ${slot.name} ${made.value.rid}`);
  }

  async #delete(life: Life, slot: ContainerSlot, container: Container): Promise<void> {
    const { catalog } = life.account;
    slot.undecided = "delete";
    const database = catalog.database(slot.database)!;
    const gone = await life.until(catalog.deleteContainer(database, container));
    demand(gone.ok, "a container could not be deleted");
    slot.become(undefined);
    this.deletedCount++;
    life.note(`deleted ${slot.name}`);
  }

  async #replacePolicy(life: Life, slot: ContainerSlot, container: Container): Promise<void> {
    const definition = definitionOf(slot.kind, life.pick(POLICIES));
    const changed = await life.until(life.account.catalog.replaceContainer(container, definition));
    demand(changed.ok, "a policy could not be replaced");
    this.policyCount++;
    life.note(`policy ${slot.name}`);
  }

  async #replaceOffer(life: Life, container: Container): Promise<void> {
    const { catalog } = life.account;
    const { limits } = life.account;
    const rules = { limits, rates: this.#rates };
    const owner = container.record.throughput ? container : catalog.databaseOf(container);
    const offer = offersOf(catalog, rules).find((each) => each.owner === owner)!;
    const change = changeOf(life, offer);
    const replaced = await life.until(replaceOffer(catalog, rules, offer.rid, () => ok(change)));
    const kind = replaced.ok ? "replaced" : replaced.error.kind;
    const rate = replaced.ok ? rateMaxOf(replaced.value.throughput) : 0;
    life.note(`offer ${offer.rid} ${JSON.stringify(change)} ${kind} ${rate}`);
    if (!replaced.ok) {
      demand(["replacePending", "badRequest"].includes(kind), `an offer was refused: ${kind}`);
      return;
    }
    if (replaced.value.throughput.pending !== undefined) this.pendingCount++;
    const { throughput, partitionCount, rateNow = 0 } = replaced.value;
    demand(
      partitionCountNeeded(throughput, limits) <= partitionCount,
      `${rate} RU/s are in force on ${partitionCount} partitions`,
    );
    // Rounded up to a hundred.
    demand(rateNow < rate + 100, `autoscale up to ${rate} RU/s is at ${rateNow}`);
  }

  /** Goes on by itself: it may have to wait for other jobs. */
  #reshape(life: Life, slot: ContainerSlot, container: Container): void {
    const request = requestOf(life, slot, container);
    life.account.reshaping.request(container, request).then(
      (result) => {
        const outcome = result.ok ? result.value.join() : result.error.kind;
        life.note(`${request.kind} ${slot.name} ${outcome}`);
        if (result.ok && request.kind === "split") this.splitCount++;
        if (result.ok && request.kind === "merge") this.mergeCount++;
        const fair = ["badRequest", "notFound", ...(life.isClosing ? ["unavailable"] : [])];
        const isFair = result.ok || fair.includes(result.error.kind);
        if (!isFair) life.complain(`a ${request.kind} was refused: ${outcome}`);
      },
      (error: unknown) => life.complain(`a ${request.kind} failed: ${String(error)}`),
    );
  }

  /** What is told about a container adds up. */
  async #checkReport(life: Life, container: Container): Promise<void> {
    const report = await life.until(life.account.reporting.report(container));
    if (container.isDeleted) return;
    demand(report !== undefined, "there is no report");
    const { partitions, figures } = report;
    const bytes = partitions.reduce((sum, { itemBytes }) => sum + itemBytes, 0);
    demand(figures.itemBytes === bytes, `a report has ${figures.itemBytes} bytes, not ${bytes}`);
    life.note(`report ${container.rid} ${figures.itemCount} ${Math.round(figures.ru)}`);
  }
}

function changeOf(life: Life, { throughput, rateMin }: Offer): ThroughputChange {
  if (life.chance(0.15)) return { kind: life.pick(["toManual", "toAutoscale"] as const) };
  const rate = life.chance(0.5) ? rateMin + 10 * life.below(20) : 100 + 50 * life.below(19);
  if (throughput.kind === "manual") {
    return { kind: "set", throughput: { kind: "manual", ratePerSecond: rate } };
  }
  const rateMax = Math.ceil(Math.max(rate, rateMin) / 50) * 50;
  return { kind: "set", throughput: { kind: "autoscale", rateMax, incrementPercent: 20 } };
}

function requestOf(
  life: Life,
  slot: ContainerSlot,
  { map, definition }: Container,
): ReshapeRequest {
  const { entries } = map;
  const at = life.below(entries.length);
  const { id } = entries[at]!;
  const neighbour = entries[at + 1];
  if (neighbour !== undefined && (entries.length > 6 || life.chance(0.45))) {
    return { kind: "merge", partitionIds: [id, neighbour.id] };
  }
  const item = life.pick([...slot.items.values()]);
  const places = ["middle", "median"] as const;
  const place =
    item !== undefined && life.chance(0.2)
      ? { epk: epkOf(definition.partitionKey, item.key) }
      : life.pick(places);
  return { kind: "split", partitionId: id, at: place };
}
