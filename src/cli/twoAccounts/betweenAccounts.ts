/**
 * A copy from one account to another through the official client: Orrery, the service or an
 * emulator on either side, by documented operations only. It runs in this process.
 */
import { pause } from "../../base/retry.ts";
import { millis } from "../../base/units.ts";
import { realClock, realTimer } from "../../server/surroundings/realWorld.ts";
import { officialClient } from "../connect/officialClient.ts";
import type { ContainerName, Environment, ServerAccount } from "../connect/serverOptions.ts";
import { placementOf } from "../import/placement.ts";
import { verificationSections } from "../jobs/proofText.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { Interruption } from "../terminal/interruption.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { ProgressTicker } from "../terminal/progressTicker.ts";
import { CopyAccount } from "./account.ts";
import { AccountMapping } from "./mapping.ts";
import type { TwoAccounts } from "./options.ts";
import { RuPace } from "./pace.ts";
import { PageCopier } from "./pages.ts";
import { PageWriter } from "./pageWriter.ts";
import { SourceRanges } from "./ranges.ts";
import { Reconciling } from "./reconciling.ts";
import { SetAsideLog } from "./setAsideLog.ts";
import { type NotedCopy, readState, writeState } from "./stateFile.ts";
import { AccountTally } from "./tally.ts";
import {
  checkTarget,
  type EndContainer,
  endOf,
  isSameContainer,
  keyPlan,
  makeTarget,
} from "./target.ts";
import { pagesOf, verified } from "./verification.ts";

const INTERRUPTED_CODE = 130;
const NOTE_MS = 500;
/** Stamps are in whole seconds. */
const STAMP_MS = 1100;
/** Clocks of source and client may differ by this; what was written before needs no second look. */
const MOVED_SLACK_SECONDS = 300;

interface Telling {
  readonly environment: Environment;
  readonly isJson: boolean;
}

export async function copyBetween(two: TwoAccounts, telling: Telling): Promise<void> {
  const official = await officialClient(process.cwd());
  const from = await CopyAccount.open(official, two.from);
  try {
    const to = await CopyAccount.open(official, two.to);
    try {
      await new BetweenAccounts(two, from, to, telling).run();
    } finally {
      to.close();
    }
  } finally {
    from.close();
  }
}

class BetweenAccounts {
  readonly #two: TwoAccounts;
  readonly #from: CopyAccount;
  readonly #to: CopyAccount;
  readonly #telling: Telling;
  readonly #tally = new AccountTally();
  readonly #beganAt = realClock.now();
  readonly #interruption = new Interruption();
  readonly #ticker: ProgressTicker;

  constructor(two: TwoAccounts, from: CopyAccount, to: CopyAccount, telling: Telling) {
    this.#two = two;
    this.#from = from;
    this.#to = to;
    this.#telling = telling;
    this.#ticker = new ProgressTicker(telling.environment, () => this.#tally.line(this.#seconds));
  }

  get #seconds(): number {
    return (realClock.now() - this.#beganAt) / 1000;
  }

  async run(): Promise<void> {
    const { question, resume } = this.#two;
    try {
      const source = await endOf(this.#from, question.source);
      if (source === undefined) throw missing(question.source, this.#from.origin);
      const plan = keyPlan(this.#two, source.key);
      const found = await endOf(this.#to, question.target);
      if (found !== undefined) {
        if (isSameContainer(source, found)) throw new CommandFailure(SAME);
        checkTargetFits(this.#two, found, plan.key, resume);
      }
      if (isQueried(this.#two)) await this.#tryQuery(source);
      const target = found ?? (await makeTarget(this.#to, this.#two, source, plan.key));
      const mapping = new AccountMapping({
        source: placementOf(source.key),
        target: placementOf(target.key),
        madeUp: plan.madeUp,
        question,
        defaultTtl: source.defaultTtl,
        isTargetMortal: target.defaultTtl !== undefined,
        wallNow: () => this.#from.wallNow(),
      });
      const noted = await this.#noted(source, target, found === undefined);
      await this.#copy(source, target, mapping, noted);
    } finally {
      this.#ticker.stop();
      this.#interruption.close();
    }
  }

  /** What an earlier run has noted, or what is noted first. */
  async #noted(source: EndContainer, target: EndContainer, isMade: boolean): Promise<NotedCopy> {
    const { resume, question, from, to } = this.#two;
    const about =
      `${placeText(from, question.source)} (${source.rid}) to ` +
      `${placeText(to, question.target)} (${target.rid}) as ${JSON.stringify(asked(this.#two))}`;
    const state = resume === undefined ? undefined : readState(resume, about);
    if (state !== undefined) return state;
    const newest = isMade ? undefined : await newestStamp(this.#to, target);
    // From the next second on, what is written can be told from what was there.
    if (newest !== undefined) await pause(realTimer, STAMP_MS);
    const fresh: NotedCopy = {
      about,
      startedAt: Math.floor(this.#from.wallNow() / 1000),
      ownSince: newest === undefined ? 0 : newest + 1,
      isOwn: newest === undefined,
      setAsideCount: 0,
      ranges: [],
      isWhole: false,
    };
    if (resume !== undefined) writeState(resume, fresh);
    return fresh;
  }

  async #copy(
    source: EndContainer,
    target: EndContainer,
    mapping: AccountMapping,
    noted: NotedCopy,
  ): Promise<void> {
    const { question, setAside, ruMax } = this.#two;
    const tally = this.#tally;
    const { from, to } = this.#two;
    const job = `${placeText(from, question.source)} to ${placeText(to, question.target)}`;
    const wallNow = (): number => realClock.wallNow();
    const log = new SetAsideLog(setAside, question, { job, count: noted.setAsideCount, wallNow });
    const ends = {
      from: this.#from,
      to: this.#to,
      source: source.container,
      target: target.container,
    };
    const reconciling = noted.isOwn ? new Reconciling({ ...ends, mapping, tally }) : undefined;
    const writer = new PageWriter({
      account: this.#to,
      container: target.container,
      mapping,
      pace: new RuPace(ruMax, realClock, (ms) => pause(realTimer, ms)),
      tally,
      ownSince: noted.ownSince,
    });
    const isByQuery = isQueried(this.#two);
    const moves = this.#two.levels === undefined || isByQuery ? undefined : reconciling;
    const movedSince = noted.startedAt - MOVED_SLACK_SECONDS;
    const copier = new PageCopier({ mapping, writer, log, tally, moves, movedSince });
    if (!this.#telling.isJson) this.#ticker.start();
    let isWhole: boolean;
    try {
      isWhole = isByQuery
        ? await this.#copyQuery(source, copier)
        : await this.#copyFeed(source, copier, reconciling, noted, log);
    } catch (error) {
      throw error instanceof CommandFailure ? this.#withAdvice(error) : error;
    }
    const sql = sqlOf(this.#two);
    const isOwn = noted.isOwn;
    await this.#end(isWhole, {
      ...ends,
      isOwn,
      mapping,
      tally,
      sql,
      placement: placementOf(target.key),
    });
  }

  /** Before anything is made: what is wrong with it is for the source to say. */
  async #tryQuery(source: EndContainer): Promise<void> {
    for await (const { ru } of pagesOf(this.#from, source.container, sqlOf(this.#two))) {
      this.#tally.readRu += ru;
      return;
    }
  }

  async #copyQuery(source: EndContainer, copier: PageCopier): Promise<boolean> {
    const pages = pagesOf(this.#from, source.container, sqlOf(this.#two));
    for await (const { rows, ru } of pages) {
      this.#tally.readRu += ru;
      await copier.copy(rows);
      if (this.#interruption.isOver) return false;
    }
    return true;
  }

  async #copyFeed(
    source: EndContainer,
    copier: PageCopier,
    reconciling: Reconciling | undefined,
    noted: NotedCopy,
    log: SetAsideLog,
  ): Promise<boolean> {
    const isOffline = this.#two.question.mode !== "online";
    const seesEnds = keepsVersions(source);
    if (!isOffline || !seesEnds) this.#tellEnds(seesEnds, reconciling !== undefined);
    const notes = new Notes(this.#two.resume, noted, log);
    const ranges: SourceRanges = await SourceRanges.open(
      {
        account: this.#from,
        container: source.container,
        copier,
        ends: seesEnds ? reconciling : undefined,
        tally: this.#tally,
        interruption: this.#interruption,
        onSettled: () => notes.later(ranges),
      },
      noted.isWhole ? noted.ranges : undefined,
    );
    try {
      const isWhole = await ranges.copyAll(isOffline);
      if (isWhole && !isOffline) {
        this.#ticker.tell("Everything that was there is copied; changes are followed now.");
        await ranges.follow(this.#two.untilLag);
      }
      return isWhole;
    } finally {
      notes.write(ranges);
    }
  }

  #tellEnds(seesEnds: boolean, isOwn: boolean): void {
    if (seesEnds && isOwn) return;
    const why = seesEnds
      ? "The target held items before this copy, so that nothing is removed from it"
      : "The source keeps no versions (changeFeedPolicy), so that deletes are not seen";
    this.#ticker.tell(
      `${why}: what is deleted in the source during the copy stays in the target. ` +
        "--verify names it.",
    );
  }

  async #end(
    isWhole: boolean,
    setting: Omit<Parameters<typeof verified>[0], "isInterrupted">,
  ): Promise<void> {
    const { isJson, environment } = this.#telling;
    if (!isWhole) {
      this.#tellSummary({});
      process.stderr.write(`Interrupted before the end. ${this.#advice()}\n`);
      process.exitCode = INTERRUPTED_CODE;
      return;
    }
    // The one that has ended the following is no reason to end this.
    const wasOver = this.#interruption.isOver;
    const isInterrupted = (): boolean => !wasOver && this.#interruption.isOver;
    const report = this.#two.isVerified ? await verified({ ...setting, isInterrupted }) : undefined;
    this.#ticker.stop();
    this.#tellSummary(report === undefined ? {} : { verification: report });
    if (report !== undefined && !isJson) {
      new LiveTable(process.stdout, environment).print(verificationSections(report));
    }
    if (report?.state === "differs") {
      throw new CommandFailure("The target differs from what the source is now.");
    }
  }

  #tellSummary(more: object): void {
    this.#ticker.stop();
    const summary = this.#tally.summary(this.#seconds);
    if (this.#telling.isJson) {
      process.stdout.write(`${JSON.stringify({ ...summary, ...more })}\n`);
      return;
    }
    const lines = Object.entries(summary).map(([name, count]) => `${name.padEnd(10)} ${count}`);
    process.stdout.write(`${lines.join("\n")}\n`);
  }

  #withAdvice(error: CommandFailure): CommandFailure {
    return new CommandFailure(
      `${error.message}\n${this.#tally.itemCount} items are in the target. ${this.#advice()}`,
    );
  }

  #advice(): string {
    const { resume } = this.#two;
    return resume === undefined
      ? "With --resume it could go on from here; without it, begin with an empty target."
      : `The same command goes on from here: ${resume} knows how far it is.`;
  }
}

const SAME = "Source and target are the same container, by two addresses.";

function missing({ database, container }: ContainerName, origin: string): CommandFailure {
  return new CommandFailure(`There is no container '${database}/${container}' at ${origin}.`);
}

/** A run that goes on finds its own target, which was made as the options say. */
function checkTargetFits(
  two: TwoAccounts,
  found: EndContainer,
  key: EndContainer["key"],
  resume: string | undefined,
): void {
  const { definition: _definition, throughput: _throughput, ...question } = two.question;
  checkTarget(resume === undefined ? two : { ...two, question }, found, key);
}

function placeText({ endpoint }: ServerAccount, { database, container }: ContainerName): string {
  return `${endpoint.origin} ${database}/${container}`;
}

/** Of what was asked, that which decides what is in the copy. */
function asked({ question }: TwoAccounts): object {
  const { key, keyProperties, samplePercent, ttl, onMissingKey } = question;
  return { key, keyProperties, samplePercent, ttl, onMissingKey };
}

function isQueried({ question: { where, select } }: TwoAccounts): boolean {
  return where !== undefined || select !== undefined;
}

function sqlOf({ question: { select = "*", where } }: TwoAccounts): string {
  return `SELECT ${select} FROM c${where === undefined ? "" : ` WHERE (${where})`}`;
}

/** Of all items that are there; undefined when there are none. */
async function newestStamp(
  account: CopyAccount,
  { container }: EndContainer,
): Promise<number | undefined> {
  let newest: number | undefined;
  for await (const { rows } of pagesOf(account, container, "SELECT VALUE MAX(c._ts) FROM c")) {
    for (const stamp of rows as readonly unknown[]) {
      if (typeof stamp === "number") newest = Math.max(newest ?? 0, stamp);
    }
  }
  return newest;
}

function keepsVersions({ body }: EndContainer): boolean {
  const policy = body["changeFeedPolicy"] as { readonly retentionDuration?: unknown } | undefined;
  return typeof policy?.retentionDuration === "number" && policy.retentionDuration > 0;
}

/** Writes the state file now and then, and at the end. */
class Notes {
  readonly #file: string | undefined;
  readonly #first: NotedCopy;
  readonly #log: SetAsideLog;
  #cancel: (() => void) | undefined;

  constructor(file: string | undefined, first: NotedCopy, log: SetAsideLog) {
    this.#file = file;
    this.#first = first;
    this.#log = log;
  }

  later(ranges: SourceRanges): void {
    if (this.#file === undefined || this.#cancel !== undefined) return;
    this.#cancel = realTimer.after(millis(NOTE_MS), () => {
      this.#cancel = undefined;
      try {
        this.#write(ranges);
      } catch {
        // What cannot be written now is written at the end, or else it is told there.
      }
    });
  }

  write(ranges: SourceRanges): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#write(ranges);
  }

  #write(ranges: SourceRanges): void {
    const places = ranges.noted();
    if (this.#file === undefined) return;
    const setAsideCount = this.#log.count;
    const state =
      places === undefined
        ? { ...this.#first, setAsideCount }
        : { ...this.#first, setAsideCount, ranges: places, isWhole: true };
    writeState(this.#file, state);
  }
}
