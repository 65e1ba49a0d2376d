/**
 * One run of a stored procedure or trigger, from its text to its outcome, in steps: a step ends
 * with operations that the script waits for, or with the outcome.
 *
 * Always: operations come out in the order in which the script asked for them, and none comes out
 * after the script has failed. Everything that comes out of the sandbox is checked here, because
 * the script may have replaced whatever the prelude relies on.
 *
 * Not here: the sandbox (`sandbox.ts`), who performs the operations (the runner's `ScriptHost`).
 */
import type { NotCompiled } from "./compiling.ts";
import { compile, messageOf } from "./compiling.ts";
import { parseBodies, parseFailure, parseLog, parseOperations, replyText } from "./crossing.ts";
import type { MonotonicClock, Ran, Realm, RealmTrouble } from "./sandbox.ts";
import type { ScriptOperation, ScriptOutcome, ScriptReply, ScriptRun } from "./scriptRunner.ts";

/**
 * Share of its time after which a script is told "not accepted", so that it can end in good order.
 */
const LATE_SHARE = 0.9;

/** Four integers, different for every run. */
export type Seed = readonly [number, number, number, number];

export type ScriptStep =
  | { readonly kind: "operations"; readonly operations: readonly ScriptOperation[] }
  | { readonly kind: "outcome"; readonly outcome: ScriptOutcome };

const TAMPERED: RealmTrouble = {
  kind: "threw",
  message: "The script replaced built-in functions with others that do not do the same.",
};

export class ScriptSession {
  readonly #script: ScriptRun;
  readonly #realm: Realm;
  readonly #clock: MonotonicClock;
  readonly #seed: Seed;

  /** `realm` must have `SCRIPT_PROGRAM` loaded, and no other code may have run in it. */
  constructor(script: ScriptRun, realm: Realm, clock: MonotonicClock, seed: Seed) {
    this.#script = script;
    this.#realm = realm;
    this.#clock = clock;
    this.#seed = seed;
  }

  begin(): ScriptStep {
    const { kind, name, body, args, container, quota, request, response, isLogging, timeMsMax } =
      this.#script;
    // The time of the script begins when the realm is ready.
    let startedAt = this.#clock.now();
    const { ruMax, timeMsMeant = timeMsMax } = this.#script;
    const facts = { kind, args, container, quota, request, response, ruMax, isLogging };
    const settings = { ...facts, seed: this.#seed };
    const isLate = (): boolean => this.#clock.now() - startedAt > timeMsMeant * LATE_SHARE;
    const installed = this.#realm.install([isLate], [JSON.stringify(settings)]);
    if (!installed.ok) return this.#ended(installed.error);
    startedAt = this.#clock.now();
    this.#realm.deadline = startedAt + timeMsMax;

    const compiled = compile(this.#realm, name, body);
    if (!compiled.ok) return this.#ended(compiled.error);
    const step = this.#step([() => this.#realm.call("begin", compiled.value)]);
    compiled.value.dispose();
    return step;
  }

  resume(replies: readonly ScriptReply[]): ScriptStep {
    return this.#step(replies.map((reply) => () => this.#realm.call("deliver", replyText(reply))));
  }

  /** Runs actions. Promise jobs run after each action, as they would if replies came one by one. */
  #step(actions: readonly (() => Ran<unknown>)[]): ScriptStep {
    for (const action of actions) {
      const trouble = this.#run(action);
      if (trouble !== undefined) return this.#ended(trouble);
    }
    const taken = this.#realm.call("take");
    if (!taken.ok) return this.#ended(taken.error);
    const operations = parseOperations(taken.value);
    if (operations === undefined) return this.#ended(TAMPERED);
    return operations.length > 0 ? { kind: "operations", operations } : this.#done();
  }

  #run(action: () => Ran<unknown>): RealmTrouble | undefined {
    const ran = action();
    if (!ran.ok) return ran.error;
    const jobs = this.#realm.runJobs();
    if (!jobs.ok) return jobs.error;
    const failure = this.#realm.call("failureOf");
    if (!failure.ok) return failure.error;
    if (failure.value === "") return undefined;
    return this.#realm.judged(parseFailure(failure.value) ?? TAMPERED);
  }

  #done(): ScriptStep {
    const answer = this.#realm.call("bodiesOf");
    if (!answer.ok) return this.#ended(answer.error);
    const bodies = parseBodies(answer.value);
    if (bodies === undefined) return this.#ended(TAMPERED);
    const facts = { log: this.#log(), cpuMs: this.#realm.spentMs };
    return { kind: "outcome", outcome: { kind: "done", ...bodies, ...facts } };
  }

  #ended(trouble: RealmTrouble | NotCompiled): ScriptStep {
    const facts = { log: this.#log(), cpuMs: this.#realm.spentMs };
    const message = messageOf(this.#script, trouble);
    const number = trouble.kind === "threw" ? trouble.number : undefined;
    return { kind: "outcome", outcome: { kind: trouble.kind, message, number, ...facts } };
  }

  #log(): string {
    return this.#script.isLogging ? parseLog(this.#realm.lastWord("logOf")) : "";
  }
}
