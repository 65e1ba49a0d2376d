/**
 * An approach at the pace of the real thing, or of a part of it that a laptop can keep, with as
 * much of the rates that are planned for its containers: what is refused then.
 */
import type { Container } from "@azure/cosmos";
import { pause } from "../../../base/retry.ts";
import { seededRandom } from "../../../base/world.ts";
import type { PacedMeasurement } from "../../../lab/lifecycle/measured.ts";
import {
  type DatedItem,
  type PlannedRead,
  type RunApproach,
  type RunPlan,
  routed,
} from "../../../lab/lifecycle/runPlan.ts";
import { SERVICE_LIMITS } from "../../../model/limits.ts";
import { realTimer } from "../../../server/surroundings/realWorld.ts";
import { nothingSent, type ProofClient } from "../proveClient.ts";
import type { ProvingGround } from "../proveGround.ts";
import { atPace } from "../provePace.ts";

interface PacedSetting {
  readonly plan: RunPlan;
  readonly approach: RunApproach;
  readonly ground: ProvingGround;
  /** Of the approach, in its order. */
  readonly containers: readonly Container[];
  readonly clients: readonly ProofClient[];
  readonly seconds: number;
  /** Requests a second that this machine is asked for at most. */
  readonly rateMax: number;
  isInterrupted(): boolean;
  onProgress(what: string): void;
}

/** What a rested partition has is one second's worth. */
const REST_MS = 1100;

export async function pacedMeasurement(setting: PacedSetting): Promise<PacedMeasurement> {
  const { plan, approach, seconds, clients, isInterrupted, onProgress } = setting;
  const rates = peakRates(plan);
  const total = rates.reduce((sum, rate) => sum + rate, 0);
  const rateFactor = Math.min(1, setting.rateMax / Math.max(total, Number.MIN_VALUE));
  for (const [at, container] of setting.containers.entries()) {
    const planned = approach.containers[at]!.real.manual?.ratePerSecond ?? RATE_MAX;
    await setting.ground.setRate(container, scaledRate(planned * rateFactor));
  }
  await pause(realTimer, REST_MS);
  onProgress(`at the pace of the real thing, ${seconds} s`);
  const sent = nothingSent();
  const send = async ({ read, item }: PacedEvent): Promise<void> => {
    if (item !== undefined) await clients[0]!.send({ kind: "create", item: item.item }, sent);
    if (read === undefined) return;
    const requests = routed(plan, approach, read);
    await Promise.all(
      requests.map(({ container, request }) => clients[container]!.send(request, sent)),
    );
  };
  const events = eventsOf(
    plan,
    rates.map((rate) => rate * rateFactor),
    seconds,
  );
  const lateShare = await atPace(events, send, isInterrupted);
  const { answers: answerCount, throttled: throttledCount } = sent;
  return { seconds, answerCount, throttledCount, rateFactor, lateShare };
}

/** Of each operation, a second. */
function peakRates({ input, aged }: RunPlan): readonly number[] {
  const { operations, growth } = input.workload;
  return operations.map(
    ({ ratePerSecond, peakFactor }) =>
      ratePerSecond * aged.rateFactor * (peakFactor ?? growth.peakFactor),
  );
}

interface PacedEvent {
  /** Seconds since the beginning. */
  readonly at: number;
  readonly read: PlannedRead | undefined;
  readonly item: DatedItem | undefined;
}

/** Reads are those that were asked alone, in turn; every store has an item of its own. */
function eventsOf(
  { input, reads, later }: RunPlan,
  rates: readonly number[],
  seconds: number,
): readonly PacedEvent[] {
  const random = seededRandom(input.seed);
  const items = later.values();
  return input.workload.operations
    .flatMap(({ id, kind }, operation) => {
      const count = Math.round(rates[operation]! * seconds);
      const own = reads.filter(({ operationId }) => operationId === id);
      const isStore = kind === "create" || kind === "upsert";
      return Array.from({ length: count }, (_, index) => ({
        at: ((index + random.next()) * seconds) / count,
        read: own[index % Math.max(1, own.length)],
        item: isStore ? items.next().value : undefined,
      }));
    })
    .sort((a, b) => a.at - b.at);
}

const { rateMin, rateStep } = SERVICE_LIMITS.manualRate;
/** Where no rate is enough. */
const RATE_MAX = 40_000;

function scaledRate(rate: number): number {
  return Math.min(RATE_MAX, Math.max(rateMin, Math.ceil(rate / rateStep) * rateStep));
}
