/**
 * What runs scripts on the thread it lives on: it owns the sandbox, replaces it when it is spoiled,
 * and keeps the realm of the functions that were called last.
 *
 * Always: one script or batch at a time. A script has a realm of its own, gone when it has ended.
 * Functions share theirs from batch to batch of one page, because making one takes as long as some
 * hundred small calls; they are pure by agreement, and what they leave behind in spite of it is
 * gone with the page, after `BATCHES_PER_REALM` batches, or when one fails.
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
  /** For the next script, loaded while nobody waits. */
  #next: Realm | undefined;
  /** The same for functions. */
  #nextKept: Realm | undefined;
  #running: { readonly session: ScriptSession; readonly realm: Realm } | undefined;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  /** Loads the engine, or a fresh one in place of one that is spoiled or has other bounds. */
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

  /** Clears up after a script whose outcome is known, or of which nobody wants to know it. */
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
      // It may be former batches that filled the memory: this one has a right to all of it.
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

  /** For the functions of the next page, while nobody waits. */
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
