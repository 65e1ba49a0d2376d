/**
 * Many bad clients at once beside a good one, and what is found: a connection that is held, an
 * answer that is wrong or that clients cannot read, a good client that is not served, descriptors
 * that do not come back.
 */
import { request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../../src/base/world.ts";
import { ITEMS, PARTITION_KEY, signatureOf } from "../http/wire.ts";
import type { BadClient, Experience, Target } from "./badClients.ts";
import { isLate, play } from "./badClients.ts";

export interface WatchedTarget extends Target {
  /** How many files the server has open; `undefined` where nobody can tell. */
  descriptorCount(): number | undefined;
}

interface CampaignPlan {
  readonly clients: readonly BadClient[];
  /** How many bad clients there are at a time, and how often. */
  readonly crowd: number;
  readonly rounds: number;
  readonly random: Random;
  /** After this a connection is held; a server that ends it at all does so long before. */
  readonly patienceMs: number;
}

interface CampaignOutcome {
  readonly findings: readonly string[];
  readonly connectionCount: number;
  /** How often the good client was served. */
  readonly servedCount: number;
}

/** Files that a server may open meanwhile for itself. */
const SPARE_DESCRIPTORS = 10;

export async function runCampaign(
  target: WatchedTarget,
  { clients, crowd, rounds, random, patienceMs }: CampaignPlan,
): Promise<CampaignOutcome> {
  const findings = new Set<string>();
  const before = target.descriptorCount();
  const good = new GoodClient(target);
  const serving = good.serve((finding) => findings.add(finding));
  for (let round = 0; round < rounds; round++) {
    const drawn = Array.from(
      { length: crowd },
      (_, index) => clients[round === 0 && index < clients.length ? index : drawnIndex()]!,
    );
    await Promise.all(
      drawn.map(async (client) => {
        const finding = findingOf(client, await play(client, target, patienceMs));
        if (finding !== undefined) findings.add(finding);
      }),
    );
  }
  good.stop();
  await serving;
  if (before !== undefined) {
    const isBack = await settles(() => target.descriptorCount()! <= before + SPARE_DESCRIPTORS);
    if (!isBack) findings.add(`${target.descriptorCount()} files are open; there were ${before}`);
  }
  return {
    findings: [...findings].sort(),
    connectionCount: crowd * rounds,
    servedCount: good.servedCount,
  };

  function drawnIndex(): number {
    return Math.floor(random.next() * clients.length);
  }

  async function settles(isSettled: () => boolean): Promise<boolean> {
    for (let waited = 0; waited < patienceMs; waited += 50) {
      if (isSettled()) return true;
      await wait(50);
    }
    return isSettled();
  }
}

/** What is wrong with what a client experienced; `undefined` if nothing is. */
function findingOf(client: BadClient, experience: Experience): string | undefined {
  const { name, statuses, manner } = client;
  const { answers, endedBy, isOwnFault } = experience;
  if (endedBy === "nobody") return `who ${name} is held`;
  if (isOwnFault) return undefined;
  if (answers === "no HTTP") return `who ${name} gets no HTTP`;
  if (manner.kind === "resets") return undefined;
  const got = answers.map(({ status }) => status);
  if (!statuses.some((list) => String(list) === String(got))) {
    const counted = got.length > 5 ? `${got.length} answers` : `[${got}]`;
    return `who ${name} gets ${counted}`;
  }
  for (const { status, headers, body } of answers) {
    if (!/^[0-9a-f-]{36}$/.test(headers["x-ms-activity-id"] ?? "")) {
      return `who ${name} gets ${status} without an activity id`;
    }
    if (!/^\{"code":"\w+","message":"/.test(body.toString())) {
      return `who ${name} gets ${status} without a code and a message`;
    }
  }
  return undefined;
}

/** Writes and reads, each time by a connection of its own, and never waits long for either. */
class GoodClient {
  readonly #target: Target;
  #isStopped = false;
  servedCount = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async serve(find: (finding: string) => void): Promise<void> {
    for (let round = 0; !this.#isStopped; round++) {
      const beganAt = performance.now();
      const body = JSON.stringify({ id: `good-${round}`, pk: "a" });
      const created = await answerOf(this.#target, "POST", ITEMS, body);
      const read = await answerOf(this.#target, "GET", [...ITEMS, `good-${round}`]);
      if (isLate(this.#target, performance.now() - beganAt)) continue;
      for (const got of [created, read]) {
        if (got === 201 || got === 200) this.servedCount++;
        else find(`a good client gets ${got}`);
      }
    }
  }
}

/** A status, or why there is none. */
export function answerOf(
  { port, key }: Target,
  method: string,
  segments: readonly string[],
  body?: string,
): Promise<number | string> {
  const headers = { ...signatureOf(key, method, segments), ...PARTITION_KEY };
  const path = `/${segments.join("/")}`;
  return new Promise((resolve) => {
    const sent = request(
      { host: "127.0.0.1", port, method, path, headers, agent: false },
      (answer) => {
        answer.resume();
        answer.on("error", () => resolve("half an answer"));
        answer.on("end", () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.setTimeout(SERVED_MS_MAX, () => sent.destroy(new Error("nothing")));
    sent.on("error", (error: Error & { code?: string }) => resolve(error.code ?? error.message));
    sent.end(body);
  });
}

/** Only a server that stands still takes longer. */
const SERVED_MS_MAX = 30_000;
