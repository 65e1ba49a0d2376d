/**
 * All that an account does by itself: splits and merges, rates that wait for partitions, indexing
 * anew, sweeping, housekeeping. This puts them together over the catalogue, which tells what work
 * there is, and stops them together. With them goes what a client asks for and waits for, but has
 * to be done in many small steps.
 */
import type { ArchiveShelf } from "../archive/archiveFolder.ts";
import type { Result } from "../base/result.ts";
import { no } from "../base/result.ts";
import type { Lsn } from "../base/units.ts";
import type { Refusal } from "../model/refusal.ts";
import type { PartitionStore } from "../store/partitionStore.ts";
import { Archiving } from "./archive/archiving.ts";
import type { Catalog, CatalogSetting } from "./catalog/catalog.ts";
import type { WorkNeeded } from "./catalog/workNeeded.ts";
import { Copying } from "./copy/copying.ts";
import { BackgroundWork } from "./jobs/backgroundWork.ts";
import { JobBook } from "./jobs/jobBook.ts";
import { Lifecycles } from "./lifecycle/lifecycles.ts";
import type { Container } from "./partition/container.ts";
import type { RoutedKey } from "./partition/itemRouting.ts";
import { Reshaping } from "./reshape/reshaping.ts";
import { Scaling } from "./reshape/scaling.ts";
import { Housekeeping } from "./upkeep/housekeeping.ts";
import type { KeptStatistics } from "./upkeep/keptStatistics.ts";
import { deleteKey } from "./upkeep/keyDeletion.ts";
import { Reindexing } from "./upkeep/reindex.ts";
import type { SweepingSetting } from "./upkeep/sweeping.ts";
import { Sweeping } from "./upkeep/sweeping.ts";
import { Views } from "./views/views.ts";

interface AccountJobsSetting extends CatalogSetting {
  readonly catalog: Catalog;
  /** Absent where statistics are not kept. */
  readonly kept: KeptStatistics | undefined;
  /** Where archives go; absent where nothing is kept on disk. */
  readonly archives?: ArchiveShelf | undefined;
}

export class AccountJobs {
  /** Splits and merges. */
  readonly reshaping: Reshaping;
  /** Copies of containers, under the same key or another. */
  readonly copying: Copying;
  /** Containers that are kept up to date from others. */
  readonly views: Views;
  /** Pairs of containers between which items move as they age. */
  readonly lifecycles: Lifecycles;
  /** Logical partitions that are put away in files, and got back from there. */
  readonly archiving: Archiving;
  readonly #catalog: Catalog;
  readonly #store: PartitionStore;
  readonly #work: BackgroundWork;
  readonly #scaling: Scaling;
  readonly #reindexing: Reindexing;
  readonly #sweeping: Sweeping;
  readonly #housekeeping: Housekeeping;

  constructor(setting: AccountJobsSetting) {
    const { catalog } = setting;
    const work = new BackgroundWork(setting);
    const book = new JobBook(catalog.jobs);
    const heldFrom: SweepingSetting["heldFrom"] = (container, range) =>
      lowestOf(
        lowestOf(copying.heldFrom(container, range), views.heldFrom(container, range)),
        lifecycles.heldFrom(container, range),
      );
    const reshaping = new Reshaping({ ...setting, work, book, heldFrom });
    const copying: Copying = new Copying({
      ...setting,
      work,
      book,
      lifecycleClaimOf: (container) => lifecycles.claimOf(container),
    });
    const views = new Views({ ...setting, work, book });
    const lifecycles = new Lifecycles({
      ...setting,
      work,
      book,
      copyClaimOf: (container) => copying.claimOf(container),
    });
    const isReshaped: SweepingSetting["isReshaped"] = (container) =>
      reshaping.jobsOf(container).length > 0;
    this.#catalog = catalog;
    this.#store = setting.store;
    this.#work = work;
    this.reshaping = reshaping;
    this.copying = copying;
    this.views = views;
    this.lifecycles = lifecycles;
    this.archiving = new Archiving({ ...setting, work, book });
    this.#scaling = new Scaling({ ...setting, work, reshaping });
    this.#reindexing = new Reindexing({ ...setting, work });
    this.#sweeping = new Sweeping({ ...setting, work, isReshaped, heldFrom });
    this.#housekeeping = new Housekeeping({ ...setting, work });
  }

  /** See `upkeep/keyDeletion.ts`. Whoever asks waits for the end. */
  deleteKey(container: Container, routed: RoutedKey): Promise<Result<void, Refusal>> {
    const { closedFor } = container;
    if (closedFor !== undefined) return Promise.resolve(no(closedFor));
    return deleteKey({ store: this.#store, work: this.#work }, container, routed);
  }

  /** Goes on with everything that what is stored gives rise to. */
  start(): void {
    this.reshaping.resume();
    this.copying.resume();
    this.views.resume();
    // Before anything is swept: hot containers have to be guarded.
    this.lifecycles.resume();
    this.archiving.resume();
    this.#catalog.tellWork((work) => this.#seeTo(work));
    this.#sweeping.start();
    this.#housekeeping.start();
  }

  /** Resolves when nothing is under way; what was not finished goes on after the next opening. */
  stop(): Promise<void> {
    return this.#work.stop();
  }

  /** Keeps what was counted; for the last time, when nothing else is under way any more. */
  putAway(): Promise<void> {
    return this.#housekeeping.putAway();
  }

  #seeTo(needed: WorkNeeded): void {
    switch (needed.kind) {
      case "overgrown":
        this.reshaping.splitOvergrown(needed.partition);
        break;
      case "indexedAnew":
        this.#reindexing.start(needed.container);
        break;
      case "followed":
        this.views.follow(needed.view);
        break;
      case "ratePending":
        this.#scaling.start(needed.owner);
        break;
    }
  }
}

function lowestOf(one: Lsn | undefined, other: Lsn | undefined): Lsn | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
