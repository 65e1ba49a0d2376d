/**
 * Writers that use all nodes of a cluster with the official client, and know what they were told:
 * every item that was acknowledged has to be there in the end, whatever was killed meanwhile.
 */
import type { Clock } from "../../base/world.ts";
import type { OfficialClient } from "../connect/officialClient.ts";

type Database = ReturnType<InstanceType<OfficialClient["CosmosClient"]>["database"]>;
type Container = ReturnType<Database["container"]>;

interface LoadSetting {
  /** The same container, by way of each node. */
  readonly containers: readonly Container[];
  readonly writerCount: number;
  readonly clock: Pick<Clock, "now">;
  /** Waits before the next try of a writer whose node is gone. */
  pause(ms: number): Promise<void>;
}

const TENANTS = 16;
const AGAIN_MS = 100;

export class ClusterLoad {
  readonly #setting: LoadSetting;
  readonly #told = new Set<string>();
  readonly #doubtful = new Set<string>();
  readonly #alive: boolean[];
  #failureCount = 0;
  #longestMs = 0;
  #lastAt: number;
  #pauseMs = 0;
  #isEnding = false;
  readonly #done: Promise<unknown>;

  constructor(setting: LoadSetting) {
    this.#setting = setting;
    this.#alive = setting.containers.map(() => true);
    this.#lastAt = setting.clock.now();
    this.#done = Promise.all(
      Array.from({ length: setting.writerCount }, (_, writer) => this.#write(writer)),
    );
  }

  get toldCount(): number {
    return this.#told.size;
  }

  /** Writes whose answer was an error, or never came: nobody was told that they are there. */
  get failureCount(): number {
    return this.#failureCount;
  }

  /** The longest that a single write took, with its waiting. */
  get longestMs(): number {
    return this.#longestMs;
  }

  /** The longest time in which no write was acknowledged, since this was last asked. */
  takePauseMs(): number {
    const pause = Math.max(this.#pauseMs, this.#setting.clock.now() - this.#lastAt);
    this.#pauseMs = 0;
    return pause;
  }

  /** Clients of a node that is gone go to the next one, as a balancer would lead them. */
  leave(node: number): void {
    this.#alive[node] = false;
  }

  comeBack(node: number): void {
    this.#alive[node] = true;
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#done;
  }

  /** What was acknowledged and is not there, and what is there twice or was never sent. */
  async verdict(container: Container): Promise<{
    readonly lost: readonly string[];
    readonly strange: readonly string[];
    readonly unfinished: number;
  }> {
    const found = new Map<string, number>();
    const rows = container.items.query<string>("SELECT VALUE c.id FROM c", { maxItemCount: 1000 });
    while (rows.hasMoreResults()) {
      for (const id of (await rows.fetchNext()).resources ?? []) {
        found.set(id, (found.get(id) ?? 0) + 1);
      }
    }
    const lost = [...this.#told].filter((id) => !found.has(id));
    const strange = [...found].filter(
      ([id, count]) => count > 1 || !(this.#told.has(id) || this.#doubtful.has(id)),
    );
    const unfinished = [...this.#doubtful].filter((id) => found.has(id)).length;
    return { lost, strange: strange.map(([id]) => id), unfinished };
  }

  async #write(writer: number): Promise<void> {
    const { containers, clock, pause } = this.#setting;
    for (let count = 0; !this.#isEnding; count++) {
      const node = this.#next(writer);
      if (node === undefined) {
        await pause(AGAIN_MS);
        continue;
      }
      const id = `${writer}-${count}`;
      const beganAt = clock.now();
      try {
        await containers[node]!.items.create({ id, tenant: `t${count % TENANTS}`, writer, count });
        this.#told.add(id);
        const now = clock.now();
        this.#pauseMs = Math.max(this.#pauseMs, now - this.#lastAt);
        this.#lastAt = now;
      } catch {
        this.#failureCount++;
        this.#doubtful.add(id);
        await pause(AGAIN_MS);
      }
      this.#longestMs = Math.max(this.#longestMs, clock.now() - beganAt);
    }
  }

  /** The writer's own node, or the next that is there. */
  #next(writer: number): number | undefined {
    const { length } = this.#alive;
    for (let step = 0; step < length; step++) {
      const node = (writer + step) % length;
      if (this.#alive[node]) return node;
    }
    return undefined;
  }
}
