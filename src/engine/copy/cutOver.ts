/**
 * The switch from the source to its copy, and back.
 *
 * First everything is applied that can be applied while clients write. Then writes are held, and
 * nothing happens but that the rest is applied and **one** commit of the catalogue says who is who.
 * If the rest takes longer than the deadline, the hold ends by itself and nothing has changed. A
 * write waits in the server for a second at most; then its client is told to come back.
 *
 * A crash before the commit leaves everything as it was; after it the switch has happened.
 */

import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Millis } from "../../base/units.ts";
import { millis } from "../../base/units.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Handover, Renaming } from "../catalog/handover.ts";
import type { JobChange } from "../jobs/jobRecord.ts";
import type { Container } from "../partition/container.ts";
import { viewsProblem } from "./acceptance.ts";
import { endedRecord, withEvent } from "./copyEnding.ts";
import type { CutOver } from "./copyRecord.ts";
import type { CopyRun } from "./copyRun.ts";
import type { CopyStream } from "./copyStream.ts";
import { levelsOf, ownNumbers } from "./copyTerms.ts";
import { noWayBack } from "./copyWay.ts";
import { FormerTerms } from "./formerTerms.ts";
import { copyScripts } from "./scriptCopies.ts";

interface CutOverTerms {
  /** Writes are held no longer than this. */
  readonly deadlineMs: number;
}

/** How many changes may be missing when writers are made to wait. */
const LAG_MAX = 64;
/** A write that is held for longer is told to come back, as a throttled one is. */
const QUEUE_TIME: Millis = millis(1000);
const ROUNDS_MAX = 10;
/** Longer than any request takes from finding its container to being written. */
const MOVED_TIME: Millis = millis(1000);
const MOVED: Refusal = { kind: "nameMoved", retryAfterMs: 1 };

/** Makes the copy the container that clients write to. Only in turn with the steps of the job. */
export async function cutOver(
  run: CopyRun,
  terms: CutOverTerms,
): Promise<Result<CutOver, Refusal>> {
  const { source, target, stream, record } = run;
  if (target === undefined || stream === undefined) return no(notNow("The copy has not begun."));
  const scripts = await copyScripts(run.setting.catalog, source, target);
  if (!scripts.ok) return scripts;
  const attempts = (record.cutOver?.attempts ?? 0) + 1;
  const isByName = record.request.switchBy === "names";
  const renaming = isByName ? (): Renaming => namesForth(run, source, target) : undefined;
  const switching = (done: CutOver): JobChange => {
    const after = run.switchedRecord(done, switchText(done));
    const { apply, ...kept } = run.setting.book.updating(after);
    return {
      ...kept,
      apply: () => {
        apply();
        run.turnBack(after);
        target.closeToClients(undefined);
        rememberFormer(run, source, target);
        if (renaming === undefined) closeOld(run, source, target);
        else leadOn(run, source, target, () => closeOld(run, source, target));
      },
    };
  };
  return hold(run, { container: source, stream, terms, renaming, attempts, switching });
}

/** Makes the old container the one that clients write to again. */
export async function switchBack(
  run: CopyRun,
  terms: CutOverTerms,
): Promise<Result<CutOver, Refusal>> {
  const { source: old, target, stream, record } = run;
  if (target === undefined || stream === undefined) return no(notNow("There is no way back."));
  const attempts = 1;
  const isByName = record.request.switchBy === "names";
  const renaming = isByName ? (): Renaming => namesBack(run, old, target) : undefined;
  const switching = (done: CutOver): JobChange => {
    const text = `Switched back; writes were held for ${Math.round(done.heldMs)} ms.`;
    const told = withEvent(run.record, done.at, text);
    const after = endedRecord(told, { at: done.at, end: "reverted" });
    const { apply, ...kept } = run.setting.book.ending(after);
    return {
      ...kept,
      apply: () => {
        apply();
        run.becomeEnded(after);
        target.former = undefined;
        old.closeToClients(undefined);
        const open = (): void => target.closeToClients(undefined);
        if (renaming !== undefined) leadOn(run, target, old, open);
        else sendBack(run, target, old, open);
      },
    };
  };
  return hold(run, { container: target, stream, terms, renaming, attempts, switching });
}

/** After the switch the old container is written by the job alone. */
export function closeOld(run: CopyRun, old: Container, target: Container): void {
  const { id } = target.definition;
  const message =
    `The copy job ${run.id} has moved this container to '${id}' of the database ` +
    `'${target.databaseId}'. Write there.`;
  old.closeToClients({ refusal: { kind: "forbidden", message } });
}

/** Clients that know the old key only are understood until the job is completed. */
export function rememberFormer(run: CopyRun, old: Container, container: Container): void {
  const { request } = run.record;
  const levels = levelsOf(request);
  if (request.switchBy !== "names" || !levels.ok) return;
  const { store, limits } = run.setting;
  const caughtUp = (): Promise<boolean> => run.caughtUp();
  container.former = new FormerTerms({
    store,
    limits,
    container,
    old,
    levels: levels.value ?? [],
    isFollowed: noWayBack(run.record) === undefined,
    caughtUp,
    moves: run.movesIn(container),
  });
}

/**
 * Leads requests on that found a container by its name just before the name moved. Who comes later
 * means this container, by the name that it has now.
 */
function leadOn(run: CopyRun, from: Container, to: Container, later: () => void): void {
  closeFor(run, from, { refusal: MOVED, movedTo: to }, later);
}

/**
 * Refuses what waited for the switch back, and what comes just after it: the application has to
 * write to the old container again, under the key of that one.
 */
function sendBack(run: CopyRun, from: Container, to: Container, later: () => void): void {
  const message =
    `The copy job ${run.id} was reverted. Write to '${to.definition.id}' of the database ` +
    `'${to.databaseId}' again.`;
  closeFor(run, from, { refusal: { kind: "forbidden", message } }, later);
}

function closeFor(
  run: CopyRun,
  container: Container,
  closure: NonNullable<Container["closure"]>,
  later: () => void,
): void {
  container.closeToClients(closure);
  run.setting.timer.after(MOVED_TIME, () => {
    if (container.closure === closure) later();
  });
}

interface Hold {
  /** Whose writes wait. */
  readonly container: Container;
  readonly stream: CopyStream;
  readonly terms: CutOverTerms;
  /** Which name goes where, as of when it is called; absent where none does. */
  readonly renaming: (() => Renaming) | undefined;
  readonly attempts: number;
  /** What the commit says of the job. */
  switching(done: CutOver): JobChange;
}

async function hold(run: CopyRun, terms: Hold): Promise<Result<CutOver, Refusal>> {
  const { stream, container } = terms;
  for (let round = 0; round < ROUNDS_MAX && stream.lag > LAG_MAX; round++) {
    await stream.catchUp(() => false, false);
  }
  let outcome: Result<CutOver, Refusal> = no(notNow("The container was deleted."));
  run.hold = { isRevoked: false };
  try {
    await run.setting.catalog.handOver(container, async (handover) => {
      const held = new HeldWrites(run, terms, handover);
      try {
        outcome = await whileHeld(run, terms, handover, held);
      } finally {
        held.end();
      }
    });
  } finally {
    run.hold = undefined;
  }
  if (!outcome.ok) {
    run.change({}, `The switch was given up: ${textOf(outcome.error)}`);
    await run.keep();
  }
  return outcome;
}

/** The writes that wait while others change places. */
class HeldWrites {
  readonly #container: Container;
  readonly #handover: Handover;
  readonly #cancel: () => void;
  #closure: NonNullable<Container["closure"]> | undefined;
  #sentAwayCount = 0;

  constructor({ setting }: CopyRun, { container, terms }: Hold, handover: Handover) {
    this.#container = container;
    this.#handover = handover;
    const retryAfterMs = Math.max(1, Math.min(QUEUE_TIME, terms.deadlineMs - QUEUE_TIME));
    this.#cancel = setting.timer.after(QUEUE_TIME, () => this.#sendAway(retryAfterMs));
  }

  /** How many wait or were sent away. */
  get count(): number {
    return this.#sentAwayCount + this.#handover.waitingCount;
  }

  /** Lets clients write again, unless somebody else has decided about that. */
  end(): void {
    this.#cancel();
    const { closure } = this.#container;
    if (closure !== undefined && closure === this.#closure) {
      this.#container.closeToClients(undefined);
    }
  }

  #sendAway(retryAfterMs: number): void {
    const refusal = { kind: "throttled", retryAfterMs } as const;
    this.#closure = { refusal };
    this.#container.closeToClients(this.#closure);
    this.#sentAwayCount += this.#handover.refuseWaiting(refusal);
  }
}

async function whileHeld(
  run: CopyRun,
  { stream, terms, renaming, attempts, switching }: Hold,
  handover: Handover,
  held: HeldWrites,
): Promise<Result<CutOver, Refusal>> {
  const { clock, catalog } = run.setting;
  if (run.source.isDeleted || run.target?.isDeleted === true) {
    return no(notNow("A container of the job was deleted."));
  }
  // Views and names may have been made since the job was accepted; from here on none can be.
  const names = renaming?.();
  const viewed = names && (viewsProblem(catalog, names.to) ?? viewsProblem(catalog, names.from));
  if (viewed !== undefined) return no(notNow(viewed));
  const heldMs = (): number => clock.now() - handover.heldSince;
  const isLate = (): boolean => heldMs() > terms.deadlineMs;
  const isRevoked = (): boolean => run.hold?.isRevoked === true;
  const isDrained = await stream.catchUp(() => isLate() || isRevoked(), false);
  if (isRevoked()) return no(notNow("Somebody has stopped it."));
  if (!isDrained || stream.mustPrune) {
    return no(notNow(`The last changes took longer than ${terms.deadlineMs} ms. Try again.`));
  }
  const before = run.setAside.confirmed.length;
  if (run.setAside.count > before) {
    await stream.retrySetAside();
    if (run.setAside.count > before) {
      return no(notNow("An item that was written last cannot be copied; see what is set aside."));
    }
  }
  if (isLate()) return no(notNow(`It took longer than ${terms.deadlineMs} ms. Try again.`));
  if (isRevoked()) return no(notNow("Somebody has stopped it."));
  const { switchBy } = run.record.request;
  const waitedCount = held.count;
  const done: CutOver = {
    at: clock.wallNow(),
    attempts,
    heldMs: heldMs(),
    longestWaitMs: waitedCount > 0 ? Math.min(heldMs(), QUEUE_TIME) : 0,
    waitedCount,
    switchBy,
  };
  await handover.commit({ renaming: names, reservation: ownNumbers(run.source) }, switching(done));
  return ok(done);
}

function namesForth(run: CopyRun, source: Container, target: Container): Renaming {
  const { id } = source.definition;
  return { from: source, to: target, taken: id, left: freeName(run, `${id}-former`) };
}

/** The copy is called as before, unless another container has got that name meanwhile. */
function namesBack(run: CopyRun, old: Container, target: Container): Renaming {
  const { source, target: copy } = run.record.request;
  return { from: target, to: old, taken: source.container, left: freeName(run, copy.container) };
}

function freeName(run: CopyRun, wanted: string): string {
  const { containers } = run.setting.catalog.databaseOf(run.source);
  let name = wanted;
  for (let count = 1; containers.has(name); count++) {
    name = `${wanted}-${run.id}${count === 1 ? "" : `-${count}`}`;
  }
  return name;
}

function switchText({ heldMs, waitedCount, switchBy }: CutOver): string {
  const held = `writes were held for ${Math.round(heldMs)} ms, and ${waitedCount} waited`;
  return switchBy === "names"
    ? `The copy has the name of the source now; ${held}.`
    : `Writes go to the copy now, and are refused by the source; ${held}.`;
}

function notNow(message: string): Refusal {
  return { kind: "badRequest", message };
}

function textOf(refusal: Refusal): string {
  return "message" in refusal ? refusal.message : refusal.kind;
}
