/**
 * Runs scripts on the thread that it is made on: it owns the sandbox, replaces a spoiled one, and
 * keeps the realm of the functions that were called last.
 *
 * Always: one script or batch runs at a time. A script has a realm of its own, which is discarded
 * when the script has ended. The batches of one page share a realm, because making a realm takes as
 * long as some hundred small calls. Functions are pure by agreement; whatever they leave behind
 * nevertheless is gone with the page, after `BATCHES_PER_REALM` batches, or when a batch fails.
 *
 * Not here: threads (`scriptWorker.ts`, `scriptThread.ts`).
 */
import { assert } from "../base/assert.ts";
import type { BatchText, OutcomeText } from "./functionCalls.ts";
import { callInstalled, installFunctions } from "./functionCalls.ts";
import { FUNCTION_PROGRAM, SCRIPT_PROGRAM } from "./prelude/programs.ts";
import type { MonotonicClock, Realm } from "./sandbox.ts";
import { Sandbox } from "./sandbox.ts";
import type { ScriptReply, ScriptRun } from "./scriptRunner.ts";
import type { ScriptStep, Seed } from "./scriptSession.ts";
import { ScriptSession } from "./scriptSession.ts";

const BATCHES_PER_REALM = 64;

interface KeptFunctions {
  readonly realm: Realm;
  readonly texts: string;
  readonly page: number;
  batchCount: number;
}

export class Interpreter {
  readonly #clock: MonotonicClock;
  #sandbox: Sandbox | undefined;
  #kept: KeptFunctions | undefined;
  /** A realm for the next script, loaded while nobody waits. */
  #next: Realm | undefined;
  /** A realm for the next functions, loaded while nobody waits. */
  #nextKept: Realm | undefined;
  #running: { readonly session: ScriptSession; readonly realm: Realm } | undefined;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  /** Loads the engine, unless the sandbox there is has the same bound and is not spoiled. */
  async prepare(memoryBytesMax: number): Promise<Sandbox> {
    const isFitting = this.#sandbox?.memoryBytesMax === memoryBytesMax;
    if (this.#sandbox === undefined || this.#sandbox.isSpoiled || !isFitting) {
      this.#kept = undefined;
      this.#next = undefined;
      this.#nextKept = undefined;
      this.#sandbox = await Sandbox.open(this.#clock, memoryBytesMax);
    }
    return this.#sandbox;
  }

  async begin(script: ScriptRun, seed: Seed): Promise<ScriptStep> {
    assert(this.#running === undefined, "one script at a time");
    const sandbox = await this.prepare(script.memoryBytesMax);
    const realm = this.#next ?? sandbox.openRealm(SCRIPT_PROGRAM);
    this.#next = undefined;
    const session = new ScriptSession(script, realm, this.#clock, seed);
    this.#running = { session, realm };
    return session.begin();
  }

  resume(replies: readonly ScriptReply[]): ScriptStep {
    assert(this.#running !== undefined, "no script is running");
    return this.#running.session.resume(replies);
  }

  /** Clears up after a script, be its outcome known or no longer wanted. */
  end(): void {
    if (this.#running === undefined) return;
    this.#sandbox?.discard(this.#running.realm);
    this.#running = undefined;
    if (this.#sandbox?.isSpoiled === false) this.#next = this.#sandbox.openRealm(SCRIPT_PROGRAM);
  }

  async callFunctions(batch: BatchText, seed: Seed): Promise<OutcomeText> {
    await this.prepare(batch.memoryBytesMax);
    const texts = JSON.stringify(batch.functions);
    const kept = this.#kept;
    const isFitting = kept?.texts === texts && kept.page === batch.page;
    if (kept !== undefined && !isFitting) this.#forget(kept);
    if (kept !== undefined && isFitting) {
      const outcome = this.#call(kept, batch);
      // Earlier batches may have filled the memory, but each batch may use all of it: it is run
      // again.
      if (outcome.kind !== "outOfMemory") return outcome;
    }
    const sandbox = await this.prepare(batch.memoryBytesMax);
    const realm = this.#nextKept ?? sandbox.openRealm(FUNCTION_PROGRAM);
    this.#nextKept = undefined;
    const fresh = { realm, texts, page: batch.page, batchCount: 0 };
    realm.deadline = this.#clock.now() + batch.timeMsMax;
    const problem = installFunctions(realm, batch, seed);
    if (problem !== undefined) {
      this.#forget(fresh);
      return problem;
    }
    this.#kept = fresh;
    return this.#call(fresh, batch);
  }

  /** Loads a realm for the functions of the next page, while nobody waits. */
  prepareFunctions(): void {
    if (this.#sandbox?.isSpoiled === false) {
      this.#nextKept ??= this.#sandbox.openRealm(FUNCTION_PROGRAM);
    }
  }

  #call(kept: KeptFunctions, batch: BatchText): OutcomeText {
    kept.realm.deadline = this.#clock.now() + batch.timeMsMax;
    kept.batchCount++;
    const outcome = callInstalled(kept.realm, batch);
    if (outcome.kind !== "done" || kept.batchCount === BATCHES_PER_REALM) this.#forget(kept);
    return outcome;
  }

  #forget(kept: KeptFunctions): void {
    this.#sandbox?.discard(kept.realm);
    this.#kept = undefined;
  }
}
