/**
 * Somebody who splits and merges physical partitions by the admin API and kills the server, at
 * moments that are spread over all the changes that are made meanwhile; half of the kills come in
 * the middle of a split. The last changes are made undisturbed.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/base/world.ts";
import type { JobAnswer, JobsAnswer } from "../../src/protocol/admin.ts";
import type { ContainerReport } from "../../src/statistics/report.ts";
import type { Site } from "../crash/site.ts";
import { pick } from "../crash/workload.ts";

export interface DisturbanceCounts {
  readonly splits: number;
  readonly merges: number;
  readonly kills: number;
}

type Kind = "split" | "merge" | "kill";

interface Disturbance {
  readonly kind: Kind;
  /** How many changes there have to be, of 1. */
  readonly due: number;
}

const [FIRST_DUE, LAST_DUE] = [0.03, 0.92];
/** How far writers may get ahead of what is due, of 1: it is to happen while they write. */
const AHEAD_MAX = 0.05;
const KILL_DELAY_MS = 30;
const TRIES_MAX = 100;
/** Answers that say why it cannot be, with what is there by now. */
const FAIR = /never cut|is empty|Together they hold|no physical partition|not neighbours/;

export class Disturbances {
  readonly #site: Site;
  readonly #random: Random;
  readonly #path: string;
  readonly done = { split: 0, merge: 0, kill: 0 };
  /** Kills while a split was being done. */
  killedJobCount = 0;
  #nextDue = FIRST_DUE;

  constructor(site: Site, random: Random, containerPath: string) {
    this.#site = site;
    this.#random = random;
    this.#path = `containers/${containerPath}`;
  }

  /** How many of all changes may be made by now, of 1. */
  get progressMax(): number {
    return this.#nextDue + AHEAD_MAX;
  }

  /** `progress` says how many of all changes were made, of 1. */
  async run(
    counts: DisturbanceCounts,
    progress: () => number,
    isOver: () => boolean,
  ): Promise<void> {
    for (const { kind, due } of this.#plan(counts)) {
      this.#nextDue = due;
      while (progress() < due) {
        if (isOver()) return;
        await delay(5);
      }
      if (kind === "kill") await this.#kill();
      else await this.#reshapeOnce(kind);
    }
    this.#nextDue = 1;
  }

  #plan({ splits, merges, kills }: DisturbanceCounts): readonly Disturbance[] {
    const spread = (kind: Kind, count: number, start = FIRST_DUE): Disturbance[] =>
      Array.from({ length: count }, (_, index) => {
        const place = (index + this.#random.next()) / count;
        return { kind, due: start + place * (LAST_DUE - start) };
      });
    // Before there were splits the container has as many physical partitions as its rate needs.
    const mergesStart = (FIRST_DUE + LAST_DUE) / 2;
    const all = [
      ...spread("split", splits),
      ...spread("merge", merges, mergesStart),
      ...spread("kill", kills),
    ];
    return all.toSorted((one, other) => one.due - other.due);
  }

  async #kill(): Promise<void> {
    if (this.#random.next() < 0.5) {
      await this.#start("split");
      const { jobs } = await this.#ask<JobsAnswer>("jobs");
      if (jobs.some(({ outcome }) => outcome === undefined)) this.killedJobCount++;
    }
    // It has to hit those who write.
    this.#nextDue = 1;
    await delay(pick(this.#random, KILL_DELAY_MS));
    await this.#site.kill();
    this.done.kill++;
  }

  /** Until one succeeds: which can be depends on what was written. */
  async #reshapeOnce(kind: "split" | "merge"): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const { job } = await this.#start(kind);
      if (job !== undefined && (await this.#isDone(job.id))) {
        this.done[kind]++;
        return;
      }
    }
    throw new Error(`no physical partition could be ${kind === "split" ? "split" : "merged"}`);
  }

  /** False if it could not be done, for a good reason. */
  async #isDone(id: string): Promise<boolean> {
    for (;;) {
      const { jobs } = await this.#ask<JobsAnswer>("jobs");
      const outcome = jobs.find((job) => job.id === id)?.outcome;
      if (outcome?.state === "done") return true;
      if (outcome !== undefined) {
        if (!FAIR.test(outcome.reason)) throw new Error(`a job failed: ${outcome.reason}`);
        return false;
      }
      await delay(5);
    }
  }

  /** Without a job if it could not even begin. */
  async #start(kind: "split" | "merge"): Promise<Partial<JobAnswer>> {
    const { partitions } = await this.#ask<ContainerReport>(`${this.#path}/report`);
    const isMerge = kind === "merge";
    if (isMerge && partitions.length < 2) throw new Error("there is nothing left to merge");
    const at = pick(this.#random, partitions.length - (isMerge ? 1 : 0));
    const [one, other] = [partitions[at]!.id, partitions[at + 1]?.id];
    const place = this.#random.next() < 0.5 ? "median" : "middle";
    const body = isMerge ? { partitionIds: [one, other] } : { partitionId: one, at: place };
    const asked = await this.#site.ask(() => this.#fetch<JobAnswer>(`${this.#path}/${kind}`, body));
    return asked.kind === "answered" ? asked.value : {};
  }

  #ask<T>(path: string): Promise<T> {
    return this.#site.persist(() => this.#fetch<T>(path));
  }

  async #fetch<T>(path: string, body?: object): Promise<T> {
    const headers = { "content-type": "application/json" };
    const post = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${this.#site.endpoint}/_orrery/v1/${path}`, body && post);
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text) as T;
    throw Object.assign(new Error(`${path}: ${text}`), { code: answer.status });
  }
}
