/**
 * Somebody who splits and merges physical partitions by the admin API, one after the other, and
 * somebody who kills the server, half of the time in the middle of that.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/base/world.ts";
import type { JobAnswer, JobEntry, JobsAnswer } from "../../src/protocol/admin.ts";
import type { ContainerReport } from "../../src/statistics/report.ts";
import type { Site } from "./site.ts";
import { pick } from "./workload.ts";

/** More physical partitions than this are merged again. */
const PARTITIONS_MAX = 10;
/** Answers that say why it cannot be, with what clients have written meanwhile. */
const FAIR = /never cut|is empty|Together they hold|no physical partition|not neighbours/;

export interface SplitTarget {
  readonly splitCount: number;
  readonly killCount: number;
}

export class SplitLoop {
  readonly #site: Site;
  readonly #random: Random;
  readonly #path: string;
  splitCount = 0;
  mergeCount = 0;
  bySizeCount = 0;
  /** Kills while a split or a merge was being done. */
  killedJobCount = 0;
  readonly #seen = new Set<string>();

  constructor(site: Site, random: Random, path: string) {
    this.#site = site;
    this.#random = random;
    this.#path = path;
  }

  /** Until there were as many as asked for. */
  async run(target: SplitTarget): Promise<void> {
    let isOver = false;
    const reshaping = this.#reshape(() => isOver);
    for (let kill = 1; kill <= target.killCount; kill++) {
      const due = (kill * target.splitCount) / (target.killCount + 1);
      while (this.splitCount < due) await Promise.race([delay(10), reshaping]);
      await this.#kill();
    }
    while (this.splitCount < target.splitCount) await Promise.race([delay(10), reshaping]);
    isOver = true;
    await reshaping;
  }

  async #kill(): Promise<void> {
    if (this.#random.next() < 0.7) {
      for (let tries = 0; tries < 200 && !(await this.#isAtWork()); tries++) await delay(1);
      await delay(pick(this.#random, 4));
      if (await this.#isAtWork()) this.killedJobCount++;
    } else await delay(pick(this.#random, 100));
    await this.#site.kill();
  }

  async #isAtWork(): Promise<boolean> {
    const { jobs } = await this.#ask<JobsAnswer>("jobs");
    return jobs.some(({ state, outcome }) => outcome === undefined && state !== "waiting");
  }

  async #reshape(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { partitions } = await this.report();
      const at = pick(this.#random, partitions.length);
      const [one, other] = [partitions[at]!.id, partitions[at + 1]?.id];
      const isMerge = other !== undefined && pick(this.#random, PARTITIONS_MAX) < partitions.length;
      const path = `${this.#path}/${isMerge ? "merge" : "split"}`;
      const place = this.#random.next() < 0.5 ? "median" : "middle";
      const body = isMerge ? { partitionIds: [one, other] } : { partitionId: one, at: place };
      const asked = await this.#site.ask(() => this.#fetch<JobAnswer>(path, body));
      if (asked.kind !== "answered") continue;
      await this.#endOf(asked.value.job);
    }
  }

  /** Jobs that were accepted outlive the process. */
  async #endOf({ id }: JobEntry): Promise<void> {
    for (;;) {
      const { jobs } = await this.#ask<JobsAnswer>("jobs");
      this.#count(jobs);
      const job = jobs.find((one) => one.id === id);
      if (job === undefined) throw new Error(`job ${id} was accepted and is forgotten`);
      const { outcome } = job;
      if (outcome?.state === "failed" && !FAIR.test(outcome.reason)) {
        throw new Error(`a split or merge failed: ${outcome.reason}`);
      }
      if (outcome !== undefined) return;
      await delay(2);
    }
  }

  #count(jobs: readonly JobEntry[]): void {
    for (const { id, kind, reason, outcome } of jobs) {
      if (outcome?.state !== "done" || this.#seen.has(id)) continue;
      this.#seen.add(id);
      if (kind === "merge") this.mergeCount++;
      else this.splitCount++;
      if (reason === "storage") this.bySizeCount++;
    }
  }

  report(): Promise<ContainerReport> {
    return this.#ask(`${this.#path}/report`);
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
    // A partition that is no more by now is no reason to stop.
    throw Object.assign(new Error(`${path}: ${text}`), { code: answer.status });
  }
}
