/** The admin API of a server that is killed now and then, as far as copies and reshaping go. */
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../src/base/world.ts";
import type { CopyJobEntry, CopyQuestion } from "../../src/model/copyJob.ts";
import type { Site } from "../crash/site.ts";
import { pick } from "../crash/workload.ts";

interface PartitionsAnswer {
  readonly partitions: readonly { readonly id: string }[];
}

interface ReshapeAnswer {
  readonly jobs: readonly { readonly id: string; readonly outcome?: { readonly state: string } }[];
}

/** Reasons for which a split or a merge may fail: they depend on what was written. */
const FAIR =
  /never cut|is empty|Together they hold|no physical partition|not neighbours|another job/;

export class CopyDesk {
  readonly #site: Site;
  readonly #random: Random;
  #id = "";
  readonly reshaped = { split: 0, merge: 0 };

  constructor(site: Site, random: Random) {
    this.#site = site;
    this.#random = random;
  }

  /** A lost answer is asked for again: the token says that it is the same job. */
  async start(question: CopyQuestion): Promise<CopyJobEntry> {
    const { job } = await this.#site.persist(() =>
      this.#fetch<{ job: CopyJobEntry }>("copies", question),
    );
    this.#id = job.id;
    return job;
  }

  async job(): Promise<CopyJobEntry> {
    const answer = await this.#site.persist(() =>
      this.#fetch<{ job: CopyJobEntry }>(`jobs/${this.#id}`),
    );
    return answer.job;
  }

  /** Resolves with the first report that fits. A job that fails or stops for good is an error. */
  async until(isIt: (job: CopyJobEntry) => boolean): Promise<CopyJobEntry> {
    for (;;) {
      const job = await this.job();
      if (isIt(job)) return job;
      if (["failed", "cancelled", "blocked"].includes(job.state)) {
        throw new Error(`the job is ${job.state}: ${job.reason}`);
      }
      await delay(10);
    }
  }

  /** False if it was refused, or lost with the server. */
  async step(step: "verify" | "cutOver" | "revert", body: object = {}): Promise<boolean> {
    const asked = await this.#site.ask(() => this.#fetch(`jobs/${this.#id}/${step}`, body));
    return asked.kind === "answered";
  }

  /** Begins to split or merge something of a container, and waits until that has ended. */
  async reshape(container: string, kind: "split" | "merge"): Promise<void> {
    const path = `containers/${container}`;
    const { partitions } = await this.#site.persist(() =>
      this.#fetch<PartitionsAnswer>(`${path}/report`),
    );
    const isMerge = kind === "merge";
    if (isMerge && partitions.length < 2) return;
    const at = pick(this.#random, partitions.length - (isMerge ? 1 : 0));
    const [one, other] = [partitions[at]!.id, partitions[at + 1]?.id];
    const body = isMerge ? { partitionIds: [one, other] } : { partitionId: one, at: "median" };
    const asked = await this.#site.ask(() =>
      this.#fetch<{ job: { readonly id: string } }>(`${path}/${kind}`, body),
    );
    if (asked.kind !== "answered") return;
    const { id } = asked.value.job;
    for (;;) {
      const { jobs } = await this.#site.persist(() => this.#fetch<ReshapeAnswer>("jobs"));
      const outcome = jobs.find((job) => job.id === id)?.outcome;
      if (outcome === undefined) {
        await delay(10);
        continue;
      }
      if (outcome.state === "done") this.reshaped[kind]++;
      else if (!FAIR.test(JSON.stringify(outcome))) {
        throw new Error(`a ${kind} failed: ${JSON.stringify(outcome)}`);
      }
      return;
    }
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
