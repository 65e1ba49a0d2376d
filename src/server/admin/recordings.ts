/**
 * The recordings of a server: at most one of each container, at most eight at a time, each for at
 * most a day. They are in memory alone and end with the server.
 *
 * While nobody records, `active` is undefined, and that is all a request has to look at. A recorder
 * that fails ends its recording and says why; the request it failed on has been answered by then.
 */

import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { DAY_SECONDS } from "../../base/units.ts";
import type { Clock, Random } from "../../base/world.ts";
import type { Account } from "../../engine/account.ts";
import type { Container } from "../../engine/partition/container.ts";
import type { Limits } from "../../model/limits.ts";
import { defaultThroughput, rateMaxOf, type Throughput } from "../../model/throughput.ts";
import type { ServiceRequest } from "../../protocol/request/decodeRequest.ts";
import type { WireAnswer } from "../../protocol/wire/wire.ts";
import type { Subject } from "../../recording/recorder.ts";
import { Recorder } from "../../recording/recorder.ts";
import type { Recording, RecordingProgress } from "../../recording/recording.ts";
import type { Secrets } from "../../recording/secrets.ts";
import type { Log } from "../surroundings/log.ts";
import type { AdminProblem } from "./problem.ts";
import { problem } from "./problem.ts";
import { noteExchange } from "./recordingWire.ts";

export const RECORDING_SECONDS_MAX: number = DAY_SECONDS;
const RECORDING_COUNT_MAX = 8;

interface RecordingsSetting {
  readonly account: Account;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** What a POST that starts a recording asks for, after it was read. */
export interface RecordingStart {
  readonly seconds: number;
  readonly secrets: Secrets;
}

type Found<T> = Result<T, AdminProblem>;

/** What the admin API asks of the recordings. */
export interface RecordingSurface {
  start(database: string, container: string, question: RecordingStart): Found<RecordingProgress>;
  progress(database: string, container: string): Found<RecordingProgress>;
  recording(database: string, container: string): Found<Recording>;
  /** Ends and forgets a recording, and answers what it had come to. */
  discard(database: string, container: string): Found<Recording>;
}

export class Recordings implements RecordingSurface {
  readonly #setting: RecordingsSetting;
  readonly #recorders = new Map<Container, Recorder>();
  #active: ReadonlyMap<Container, Recorder> | undefined;

  constructor(setting: RecordingsSetting) {
    this.#setting = setting;
  }

  /** The recorders that run; undefined when there are none. */
  get active(): ReadonlyMap<Container, Recorder> | undefined {
    return this.#active;
  }

  /** Takes down one request that was answered. It never throws. */
  note(request: ServiceRequest, answer: WireAnswer): void {
    if (request.kind !== "item" && request.kind !== "items") return;
    const { path } = request;
    const { catalog, limits } = this.#setting.account;
    const container = catalog.container(path.database, path.container);
    const recorder = container && this.#active?.get(container);
    if (container === undefined || recorder === undefined) return;
    try {
      if (recorder.isRunning) noteExchange({ recorder, container, limits, request, answer });
      else this.#review();
    } catch (defect) {
      const reason = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
      this.#setting.log("recordingFailed", { container: container.link, reason });
      recorder.end("The recorder made a mistake; the server's log says which.");
      this.#review();
    }
  }

  start(database: string, name: string, question: RecordingStart): Found<RecordingProgress> {
    const container = this.#container(database, name);
    if (!container.ok) return container;
    this.#review();
    const running = this.#active?.get(container.value);
    if (running !== undefined) return no(underWay(running.progress()));
    if ((this.#active?.size ?? 0) >= RECORDING_COUNT_MAX) {
      const message =
        `${RECORDING_COUNT_MAX} containers are being recorded, which is as many as can be at ` +
        "a time. Wait for one to end, or discard one.";
      return no(problem(409, message));
    }
    const { clock, random } = this.#setting;
    const recorder = new Recorder({
      subject: this.#subjectOf(container.value),
      ...question,
      clock,
      random,
    });
    this.#recorders.set(container.value, recorder);
    this.#review();
    return ok(recorder.progress());
  }

  progress(database: string, name: string): Found<RecordingProgress> {
    const recorder = this.#recorder(database, name);
    return recorder.ok ? ok(recorder.value.progress()) : recorder;
  }

  recording(database: string, name: string): Found<Recording> {
    const recorder = this.#recorder(database, name);
    return recorder.ok ? ok(recorder.value.recording()) : recorder;
  }

  discard(database: string, name: string): Found<Recording> {
    const container = this.#container(database, name);
    if (!container.ok) return container;
    const recorder = this.#recorder(database, name);
    if (!recorder.ok) return recorder;
    recorder.value.end();
    this.#recorders.delete(container.value);
    this.#review();
    return ok(recorder.value.recording());
  }

  /** Recordings of containers that are gone go, too; of those that ended, what they came to stays
   * until somebody discards it or records again, as long as there is room. */
  #review(): void {
    for (const container of this.#recorders.keys()) {
      if (container.isDeleted) this.#recorders.delete(container);
    }
    const ended = [...this.#recorders].filter(([, recorder]) => !recorder.isRunning);
    for (const [container] of ended.slice(0, this.#recorders.size - RECORDING_COUNT_MAX)) {
      this.#recorders.delete(container);
    }
    const running = [...this.#recorders].filter(([, recorder]) => recorder.isRunning);
    this.#active = running.length === 0 ? undefined : new Map(running);
  }

  #container(database: string, name: string): Found<Container> {
    const container = this.#setting.account.catalog.container(database, name);
    if (container !== undefined) return ok(container);
    return no(problem(404, `There is no container '${name}' in a database '${database}'.`));
  }

  #recorder(database: string, name: string): Found<Recorder> {
    const container = this.#container(database, name);
    if (!container.ok) return container;
    const recorder = this.#recorders.get(container.value);
    if (recorder !== undefined) return ok(recorder);
    return no(problem(404, `Container '${name}' is not being recorded. Start it with a POST.`));
  }

  #subjectOf(container: Container): Subject {
    const { catalog, consistency, rates, limits } = this.#setting.account;
    const { definition, record } = container;
    const shared = catalog.databaseOf(container).record.throughput;
    const throughput = record.throughput ?? shared;
    const ttl = definition.defaultTtl;
    return {
      database: container.databaseId,
      container: definition.id,
      partitionKeyPaths: definition.partitionKey.paths,
      computedNames: new Set(definition.computedProperties?.map(({ name }) => name)),
      consistency,
      throughput:
        throughput === undefined || rates?.isServerless === true
          ? { kind: "serverless", ratePerSecond: 0, isShared: false }
          : {
              kind: throughput.kind,
              ratePerSecond: rateMaxOf(throughput),
              isShared: record.throughput === undefined,
              isLimited: rates?.isLimited === true,
              isDefault: isDefault(throughput, limits),
            },
      partitionCount: container.partitions.size,
      itemCount: [...container.partitions.values()].reduce(
        (sum, { head }) => sum + head.itemCount,
        0,
      ),
      ttlSeconds: ttl !== undefined && ttl > 0 ? ttl : undefined,
    };
  }
}

/** Somebody may have asked for that very rate; nobody can tell. */
function isDefault(throughput: Throughput, limits: Limits): boolean {
  const usual = defaultThroughput(limits);
  return throughput.kind === usual.kind && rateMaxOf(throughput) === rateMaxOf(usual);
}

function underWay({ startedAt, endsAt, container, database }: RecordingProgress): AdminProblem {
  const instant = (at: number): string => new Date(at).toISOString().slice(0, 19);
  return problem(
    409,
    `Container '${container}' in database '${database}' is being recorded since ` +
      `${instant(startedAt)} UTC, until ${instant(endsAt)} UTC at the latest. There is one ` +
      "recording of a container at a time: wait for it, or discard it with a DELETE " +
      `('orrery record ${database}/${container} --discard').`,
  );
}
