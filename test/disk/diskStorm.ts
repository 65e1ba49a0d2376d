/**
 * Writers on a server whose disk fills up and empties, and which is killed and started, by a seed.
 * Whatever happens, what was acknowledged is found; and when there is room, writes come back.
 *
 * Each writer has items of its own. It knows of each which values it may have: the one that was
 * acknowledged last, and those whose answer was lost or a refusal. A refused write may be there
 * after a crash, because the disk may have kept what it refused; it must not be there before one.
 */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import type { Answer, Server } from "../crash/serverProcess.ts";
import { startServer } from "../crash/serverProcess.ts";
import { ItemClient } from "./itemClient.ts";
import { mebibytes, SmallVolume } from "./smallVolume.ts";

interface StormReport {
  readonly violations: readonly string[];
  readonly acknowledgedCount: number;
  readonly refusedCount: number;
  readonly lostCount: number;
  readonly startCount: number;
}

type Value = number | undefined;

interface Known {
  acknowledged: Value;
  /** May be found after the next crash. */
  readonly refused: Set<Value>;
  /** May be found at any time. */
  readonly lost: Set<Value>;
}

const WRITER_COUNT = 3;
const ITEMS_PER_WRITER = 12;
const BACK_MS_MAX = 60_000;
/** What a start takes of it. */
const RESERVE_BYTES_MIN = 64 * 1024;

export class DiskStorm {
  readonly #random: Random;
  readonly #volume = new SmallVolume(48);
  readonly #items = new Map<string, Known>();
  readonly #violations: string[] = [];
  #server: Server | undefined;
  #isPaused = true;
  #isOver = false;
  #value = 0;
  #counts = { acknowledgedCount: 0, refusedCount: 0, lostCount: 0, startCount: 0 };

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  async run(roundCount: number): Promise<StormReport> {
    try {
      await this.#start();
      await new ItemClient(this.#server!).createContainer();
      this.#isPaused = false;
      const writers = Array.from({ length: WRITER_COUNT }, (_, writer) => this.#write(writer));
      for (let round = 0; round < roundCount && this.#violations.length === 0; round++) {
        await this.#disturb();
      }
      this.#volume.empty();
      await this.#expectBack();
      this.#isOver = true;
      await Promise.all(writers);
      await this.#restart("SIGTERM");
      await this.#compare();
    } finally {
      this.#isOver = true;
      await this.#server?.kill();
      this.#volume[Symbol.dispose]();
    }
    return { violations: this.#violations, ...this.#counts };
  }

  async #disturb(): Promise<void> {
    const settle = (): Promise<void> => this.#until(20 + this.#pick(60));
    switch (this.#pick(6)) {
      case 0:
        this.#volume.fill(mebibytes(this.#random.next()));
        break;
      case 1:
        this.#volume.fill();
        break;
      case 2:
        this.#volume.empty();
        break;
      case 3:
        await this.#restart("SIGKILL");
        break;
      case 4:
        this.#volume.fill();
        await this.#restart("SIGKILL");
        break;
      default:
        // Whoever looks for room may find the reserve.
        rmSync(join(this.#volume.data, "reserve"), { force: true });
    }
    await settle();
    await this.#compare();
  }

  /** Until so many more requests were answered. */
  async #until(count: number): Promise<void> {
    const answered = (): number => this.#counts.acknowledgedCount + this.#counts.refusedCount;
    const end = answered() + count;
    while (answered() < end) await delay(5);
  }

  async #restart(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#isPaused = true;
    if (signal === "SIGKILL") await this.#server!.kill();
    else await this.#server!.end();
    // Without a reserve there is nothing to start from on a disk without a free byte.
    if (!this.#hasReserve()) this.#volume.empty();
    for (const known of this.#items.values()) {
      for (const value of known.refused) known.lost.add(value);
      known.refused.clear();
    }
    await this.#start();
    this.#isPaused = false;
  }

  #hasReserve(): boolean {
    const found = statSync(join(this.#volume.data, "reserve"), { throwIfNoEntry: false });
    return (found?.size ?? 0) >= RESERVE_BYTES_MIN;
  }

  async #start(): Promise<void> {
    this.#counts.startCount++;
    this.#server = await startServer(this.#volume.data);
  }

  async #write(writer: number): Promise<void> {
    let server: Server | undefined;
    let client: ItemClient | undefined;
    while (!this.#isOver) {
      if (this.#isPaused) {
        await delay(5);
        continue;
      }
      if (server !== this.#server) {
        server = this.#server!;
        client = new ItemClient(server);
      }
      await this.#step(client!, `${writer}-${this.#pick(ITEMS_PER_WRITER)}`);
    }
    client?.close();
  }

  async #step(client: ItemClient, id: string): Promise<void> {
    const known = this.#known(id);
    const isDeletion = this.#random.next() < 0.2 && known.acknowledged !== undefined;
    const value = isDeletion ? undefined : ++this.#value;
    known.lost.add(value);
    let answer: Answer | undefined;
    try {
      answer = isDeletion
        ? await client.remove(id)
        : await client.upsert(id, value!, 100 + this.#pick(60_000));
    } catch {
      this.#counts.lostCount++;
      return;
    }
    if (answer.status === 503) {
      this.#counts.refusedCount++;
      known.lost.delete(value);
      known.refused.add(value);
      await delay(2);
    } else if (answer.status < 300 || answer.status === 404) {
      this.#counts.acknowledgedCount++;
      known.acknowledged = value;
      known.lost.clear();
      known.refused.clear();
    } else this.#violations.push(`${id}: ${answer.status} ${answer.body}`);
  }

  /** With the writers at rest. */
  async #compare(): Promise<void> {
    this.#isPaused = true;
    await delay(50);
    const client = new ItemClient(this.#server!);
    for (const [id, known] of this.#items) {
      const { status, body } = await client.read(id);
      const found = status === 200 ? (JSON.parse(body) as { number: number }).number : undefined;
      const isKnown = status === 200 || status === 404;
      if (!isKnown || (found !== known.acknowledged && !known.lost.has(found))) {
        this.#violations.push(`${id}: ${status}, ${found} instead of ${known.acknowledged}`);
      }
    }
    client.close();
    this.#isPaused = false;
  }

  async #expectBack(): Promise<void> {
    const client = new ItemClient(this.#server!);
    const beganAt = performance.now();
    while ((await client.upsert("back", 1)).status >= 300) {
      if (performance.now() - beganAt > BACK_MS_MAX) {
        this.#violations.push("there is room, and writes are refused");
        break;
      }
      await delay(100);
    }
    client.close();
  }

  #known(id: string): Known {
    const known = this.#items.get(id) ?? {
      acknowledged: undefined,
      refused: new Set<Value>(),
      lost: new Set<Value>(),
    };
    this.#items.set(id, known);
    return known;
  }

  #pick(count: number): number {
    return Math.floor(this.#random.next() * count);
  }
}
