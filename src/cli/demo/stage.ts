/**
 * What a demo has: a throw-away server of its own, the official client in front of it, the admin
 * API, seeded chance, and somebody to talk to. Whatever is opened here is closed here.
 *
 * Once it was interrupted, the next pause ends the demo: it throws, and nothing has to be asked.
 */
import type { Container, CosmosClient, CosmosClientOptions } from "@azure/cosmos";
import { millis } from "../../base/units.ts";
import type { Random } from "../../base/world.ts";
import { seededRandom } from "../../base/world.ts";
import type {
  ContainerEntry,
  ContainersAnswer,
  JobAnswer,
  JobEntry,
  JobsAnswer,
  LocateReport,
} from "../../protocol/admin.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import type { OrreryServer } from "../../server/start.ts";
import { startOrrery } from "../../server/start.ts";
import type { OrreryOptions } from "../../server/surroundings/orreryOptions.ts";
import { realClock, realTimer } from "../../server/surroundings/realWorld.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { AdminClient, routeOf } from "../connect/adminClient.ts";
import type { OfficialClient } from "../connect/officialClient.ts";
import { CommandFailure } from "../terminal/failure.ts";
import type { Section } from "../terminal/liveTable.ts";
import type { Story } from "./story.ts";

/** Ctrl-C, in the middle of a demo. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

export const DATABASE = "demo";

interface StageSetting {
  readonly official: OfficialClient;
  readonly options: OrreryOptions;
  readonly story: Story;
  readonly seed: number;
  /** About how long the demo may take. */
  readonly seconds: number;
}

const DRAW_MS = 500;
const LOOK_MS = 50;

export class Stage {
  readonly server: OrreryServer;
  readonly story: Story;
  readonly random: Random;
  readonly seconds: number;
  readonly #official: OfficialClient;
  readonly #admin: AdminClient;
  readonly #clients: CosmosClient[] = [];
  readonly #startedAt = realClock.now();
  #isInterrupted = false;
  readonly #sleepers = new Set<() => void>();

  private constructor(server: OrreryServer, { official, story, seed, seconds }: StageSetting) {
    this.server = server;
    this.story = story;
    this.random = seededRandom(seed);
    this.seconds = seconds;
    this.#official = official;
    this.#admin = new AdminClient({ endpoint: new URL(server.endpoint), key: server.key });
  }

  static async open(setting: StageSetting): Promise<Stage> {
    // A demo says itself what these two would put into the log at once.
    const alerts = {
      largeLogicalPartition: { enabled: false },
      physicalPartitionFill: { enabled: false },
    };
    const server = await startOrrery({ memory: true, port: 0, alerts, ...setting.options });
    return new Stage(server, setting);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.dispose();
    this.#admin.close();
    await this.server.close();
  }

  /** Since the demo began. */
  get elapsedSeconds(): number {
    return (realClock.now() - this.#startedAt) / 1000;
  }

  interrupt(): void {
    this.#isInterrupted = true;
    for (const wake of this.#sleepers) wake();
  }

  async pause(milliseconds: number): Promise<void> {
    if (!this.#isInterrupted) await this.#waited(milliseconds);
    if (this.#isInterrupted) throw new Interrupted("interrupted");
  }

  /** The official client, as it comes unless told otherwise. */
  client(options: CosmosClientOptions = {}): CosmosClient {
    const { endpoint, key } = this.server;
    const client = new this.#official.CosmosClient({ endpoint, key, ...options });
    this.#clients.push(client);
    return client;
  }

  /** What the service said when it said no; anything else is thrown on. */
  refusalOf(error: unknown): { readonly code: number; readonly substatus: number } & DemoAnswer {
    if (!(error instanceof this.#official.ErrorResponse)) throw error;
    const { code, substatus = 0, headers = {} } = error;
    return { code: Number(code), substatus, headers };
  }

  report(container: Container): Promise<ContainerReport> {
    return this.#admin.get<ContainerReport>(routeOf(nameOf(container), "report"));
  }

  locate(container: Container, key: string): Promise<LocateReport> {
    const question = `locate?key=${encodeURIComponent(JSON.stringify([key]))}`;
    return this.#admin.get<LocateReport>(routeOf(nameOf(container), question));
  }

  /** Resolves with the range ids of the children. */
  async split(container: Container, partitionId: string, at: string): Promise<readonly string[]> {
    const route = routeOf(nameOf(container), "split");
    const { job } = await this.#admin.post<JobAnswer>(route, { partitionId, at });
    const done = await this.until(async () => {
      const found = (await this.jobs()).find(({ id }) => id === job.id);
      return found?.outcome;
    });
    if (done.state === "done") return done.newPartitionIds;
    throw new CommandFailure(`The split of ${partitionId} failed: ${done.reason}`);
  }

  /** Of all there are; undefined while there is none. */
  async firstContainer(): Promise<ContainerEntry | undefined> {
    return (await this.#admin.get<ContainersAnswer>("containers")).containers[0];
  }

  async jobs(): Promise<readonly JobEntry[]> {
    return (await this.#admin.get<JobsAnswer>("jobs")).jobs;
  }

  /** Asks again and again until there is something. */
  async until<T>(ask: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      const found = await ask();
      if (found !== undefined) return found;
      await this.pause(LOOK_MS);
    }
  }

  /** Draws what is the case, again and again, while something goes on. */
  async drawing<T>(draw: () => Promise<readonly Section[]>, act: Promise<T>): Promise<T> {
    const { story } = this;
    if (!story.isLive) return act;
    let isOver = false;
    const drawn = (async () => {
      while (!isOver) {
        story.draw(await draw());
        await Promise.race([act.catch(() => undefined), this.#waited(DRAW_MS)]);
      }
    })();
    drawn.catch(() => undefined);
    try {
      return await act;
    } finally {
      isOver = true;
      await drawn;
      story.wipe();
    }
  }

  /** Until then, or until it is interrupted. */
  #waited(milliseconds: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const wake = (): void => {
        cancel();
        this.#sleepers.delete(wake);
        resolve();
      };
      const cancel = realTimer.after(millis(milliseconds), wake);
      this.#sleepers.add(wake);
    });
  }
}

/** As much of a response of the client as the demos look at. */
export interface DemoAnswer {
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The physical partition that answered, and what it charged for it. */
export function billOf({ headers }: DemoAnswer): { readonly rangeId: string; readonly ru: number } {
  return {
    rangeId: String(headers[HEADER.rangeId]),
    ru: Number(headers[HEADER.requestCharge]),
  };
}

function nameOf(container: Container): {
  readonly database: string;
  readonly container: string;
} {
  return { database: container.database.id, container: container.id };
}
