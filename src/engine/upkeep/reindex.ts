/**
 * Indexing containers anew, in the background, after their indexing policy changed, or after an
 * older version wrote terms that are made in another way now.
 *
 * A container whose items may be indexed under other policies than its own remembers those
 * (`formerPolicies`). The job of such a container walks its physical partitions (`reindexWalk.ts`);
 * when it has been through, the catalogue forgets the former policies.
 *
 * Nothing of it is recorded but the end: after a restart, or when the policy changes once more, the
 * walk starts again, and finds less to do. Items written meanwhile have the right terms already.
 */
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { isIndexedAnew } from "../item/itemTerms.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import type { JobStep } from "../jobs/job.ts";
import { AGAIN, DONE } from "../jobs/job.ts";
import { JobPerSubject } from "../jobs/jobPerSubject.ts";
import type { Container } from "../partition/container.ts";
import { ReindexWalk } from "./reindexWalk.ts";

interface ReindexSetting {
  readonly store: PartitionStore;
  readonly catalog: Pick<Catalog, "forgetFormerPolicies">;
  readonly work: BackgroundWork;
}

export class Reindexing {
  readonly #setting: ReindexSetting;
  readonly #jobs: JobPerSubject<Container>;
  readonly #walks = new WeakMap<Container, ReindexWalk>();

  constructor(setting: ReindexSetting) {
    this.#setting = setting;
    this.#jobs = new JobPerSubject(setting.work, (container) => this.#step(container));
  }

  /** Does nothing if there is nothing to do; a job that runs sees by itself that there is more. */
  start(container: Container): void {
    this.#jobs.start(container);
  }

  async #step(container: Container): Promise<JobStep<void>> {
    if (container.isDeleted || !isIndexedAnew(container)) return DONE;
    const { store, catalog } = this.#setting;
    let walk = this.#walks.get(container);
    if (walk === undefined || !walk.holds) {
      walk = new ReindexWalk(store, container);
      this.#walks.set(container, walk);
    }
    if (await walk.step()) return AGAIN;
    await catalog.forgetFormerPolicies(container, walk.formerPolicies);
    return AGAIN;
  }
}
