/**
 * The views of an account, each at work from the moment in which it is created. That there is a
 * view follows from the definition of its container; a record says how far it is, so that it goes
 * on after a restart. Without a record it begins at the beginning, which does no harm.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Lsn } from "../../base/units.ts";
import type { CopyJobEntry, CopyStep, SetAsideItem } from "../../model/copyJob.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import type { ViewReport } from "../../statistics/report.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { setAsideOf } from "../copy/copyReport.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import type { Container } from "../partition/container.ts";
import { isView, newViewRecord } from "./viewRecord.ts";
import { statusOf, viewEntry, viewReport } from "./viewReport.ts";
import type { ViewRunSetting } from "./viewRun.ts";
import { ViewRun } from "./viewRun.ts";

interface ViewsSetting extends ViewRunSetting {
  readonly catalog: Catalog;
  readonly work: BackgroundWork;
}

export class Views {
  readonly #setting: ViewsSetting;
  /** By the rid of the view. */
  readonly #runs = new Map<string, ViewRun>();

  constructor(setting: ViewsSetting) {
    this.#setting = setting;
  }

  /** Forgets views that were deleted just before the server ended. */
  resume(): void {
    const { book, catalog } = this.#setting;
    for (const record of book.open) {
      if (!isView(record) || catalog.containerByRid(record.viewRid) !== undefined) continue;
      // If that fails, the next start does it.
      book.drop(record).catch(() => undefined);
    }
  }

  /** Begins to keep a view up to date, unless that is done already. */
  follow(view: Container): void {
    const { book, catalog, clock, work } = this.#setting;
    const sourceRid = view.definition.view?.sourceCollectionRid;
    const source = sourceRid === undefined ? undefined : catalog.containerByRid(sourceRid);
    if (source === undefined || this.#runs.has(view.rid)) return;
    const known = book.open.find((record) => isView(record) && record.viewRid === view.rid);
    const record =
      known !== undefined && isView(known) ? known : newViewRecord(source, view, clock.wallNow());
    const run = new ViewRun(this.#setting, { source, view }, record, known !== undefined);
    this.#runs.set(view.rid, run);
    const step = (isStopped: () => boolean): ReturnType<ViewRun["step"]> => run.step(isStopped);
    work
      .run({ step })
      .then(({ kind }) => {
        if (kind === "done") this.#runs.delete(view.rid);
      })
      // A defect ends the work here, and is told to whoever stops all work.
      .catch((defect: unknown) => {
        run.failure = `The view stopped following its source: ${String(defect)}`;
      });
  }

  /** The LSN behind which some view still has to read the log of these keys. */
  heldFrom(container: Container, range: EpkRange): Lsn | undefined {
    let lowest: Lsn | undefined;
    for (const { source, stream } of this.#present) {
      if (source !== container) continue;
      const at = stream.terms.positions.of(range);
      if (lowest === undefined || at < lowest) lowest = at;
    }
    return lowest;
  }

  /** How far a view is, in the words of the service. */
  statusOf(view: Container): ViewReport["status"] {
    return statusOf(this.#runs.get(view.rid));
  }

  /** What there is to know about a view; `undefined` of a container that is none. */
  reportOf(view: Container): ViewReport | undefined {
    const run = this.#runs.get(view.rid);
    return run && viewReport(run);
  }

  get entries(): readonly CopyJobEntry[] {
    return this.#present.map(viewEntry);
  }

  find(id: string): ViewRun | undefined {
    return this.#present.find((run) => run.id === id);
  }

  /** Only the share of the rates can be changed: a view begins and ends with its container. */
  async command(
    run: ViewRun,
    step: CopyStep,
    sharePercent: number | undefined,
  ): Promise<Result<CopyJobEntry, Refusal>> {
    if (step !== "throttle" || sharePercent === undefined) return no(ONLY_THROTTLE);
    await run.throttle(sharePercent);
    return ok(viewEntry(run));
  }

  setAsideOf({ record, source }: ViewRun): Promise<readonly SetAsideItem[]> {
    return setAsideOf(this.#setting.store, record, source);
  }

  get #present(): readonly ViewRun[] {
    return [...this.#runs.values()].filter(({ view }) => !view.isDeleted);
  }
}

const ONLY_THROTTLE = badRequest(
  "A view is followed for as long as its container is there: only its share of the rates can be " +
    "changed (throttle). Delete the container to end it.",
);
