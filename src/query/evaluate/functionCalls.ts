/**
 * Calls of user-defined functions from expressions. Expressions are evaluated in one go, and the
 * functions run elsewhere, so they are called ahead: what is about to be evaluated is *rehearsed*.
 * An expression that needs a result notes the call and misses; all that was noted is called at
 * once; and that is repeated until nothing is missing. Then everything is evaluated as ever, and
 * finds the results.
 *
 * Results are remembered for one *unit* of evaluation, an item or a group, by function and
 * arguments: two calls with the same arguments are one there, and are two in two units. A function
 * of the language that depends on chance or the time gives a unit the same each time at the same
 * place of the text, so that the rehearsal asks for what the evaluation will need. Each unit fails
 * when its own turn comes, not when it is rehearsed: a page that is full before gets its rows.
 *
 * Not here: who runs the functions (`CallFunctions`), and what is rehearsed (`rehearsal.ts`).
 */
import { assert } from "../../base/assert.ts";
import type { MaybePromise } from "../../base/result.ts";
import type { JsonValue } from "../../json/value.ts";
import type { UserFunction } from "../bind/binding.ts";
import type { Value } from "../functions/builtIn.ts";
import { checkSize, sizeOf } from "../functions/valueSize.ts";
import type { Holding } from "./held.ts";
import { MISS } from "./misses.ts";
import { QueryFailure } from "./run.ts";

export interface CallBatch {
  readonly functions: readonly UserFunction[];
  readonly calls: readonly {
    /** Into `functions`. */
    readonly function: number;
    readonly args: readonly Value[];
  }[];
}

export type CallOutcome =
  /** Values in the order of the calls. */
  | { readonly kind: "done"; readonly values: readonly Value[] }
  | {
      readonly kind: "threw" | "notCompiled" | "outOfTime" | "outOfMemory" | "stopped";
      /** Names the function. */
      readonly message: string;
      /** What it gave the error that it threw. */
      readonly number?: number | undefined;
    };

/** Calls them all, in whatever order. */
export type CallFunctions = (batch: CallBatch) => Promise<CallOutcome>;

export interface CallSetting {
  readonly functions: readonly UserFunction[];
  readonly callFunctions: CallFunctions;
  readonly held: Holding;
  /** Between two units: lets others have a turn, if it is time. */
  pause(): Promise<void> | undefined;
}

/** What the arguments of one batch may come to, by a rough count of bytes, beside the last call. */
const BATCH_BYTES_MAX = 1024 * 1024;
/** What a call takes besides its arguments. */
const CALL_BYTES = 128;

interface NotedCall {
  readonly unit: Unit;
  readonly function: number;
  readonly args: readonly Value[];
  readonly bytes: number;
  isAnswered: boolean;
  value: Value;
}

/** What is remembered for one item or group. */
class Unit {
  readonly calls: Map<string, NotedCall> = new Map();
  /** By their places in the text: what chance and the clock gave. */
  readonly chances: Map<object, Value> = new Map();
  bytes = 0;
  isMissing = false;
  failure: { readonly thrown: unknown } | undefined;
}

export class FunctionCalls {
  readonly #setting: CallSetting;
  readonly #units = new Map<object, Unit>();
  /** Texts of arrays and objects that were arguments: each is written down once. */
  readonly #texts = new WeakMap<object, string>();
  #unit: Unit | undefined;
  #noted: NotedCall[] = [];
  #notedBytes = 0;
  #isRehearsing = false;

  constructor(setting: CallSetting) {
    this.#setting = setting;
  }

  /** The result of a call in the unit that is being evaluated; misses if it is not known. */
  call(index: number, args: readonly Value[]): Value {
    const unit = this.#unit;
    if (unit === undefined) {
      throw new QueryFailure("User-defined functions cannot be called in this kind of query.");
    }
    const key = this.#keyOf(index, args);
    const known = unit.calls.get(key);
    if (known?.isAnswered === true) return known.value;
    assert(this.#isRehearsing, "every call of a unit is known when it is evaluated");
    if (known === undefined) this.#note(unit, index, args, key);
    throw MISS;
  }

  /** What chance or the clock gives at a place in the text: the same as long as the unit lasts. */
  once(place: object, make: () => Value): Value {
    const unit = this.#unit;
    if (unit === undefined) return make();
    const known = unit.chances.get(place);
    if (known !== undefined) return known;
    const made = make();
    unit.chances.set(place, made);
    return made;
  }

  /** Finds out what the evaluation of these units will call, and calls it. */
  async rehearse<T extends object>(
    subjects: readonly T[],
    evaluate: (subject: T) => MaybePromise<void>,
  ): Promise<void> {
    const { pause } = this.#setting;
    this.#forgetCurrent();
    for (const subject of subjects) this.#units.set(subject, new Unit());
    for (let waiting = subjects; waiting.length > 0; ) {
      const missing: T[] = [];
      for (const subject of waiting) {
        const unit = this.#units.get(subject)!;
        if (unit.failure !== undefined) continue;
        const trying = this.#try(unit, () => evaluate(subject));
        if (trying instanceof Promise) await trying;
        if (unit.isMissing) missing.push(subject);
        if (this.#notedBytes > BATCH_BYTES_MAX) await this.#answer();
        const pausing = pause();
        if (pausing !== undefined) await pausing;
      }
      await this.#answer();
      waiting = missing;
    }
  }

  /** From here on this unit is evaluated. What was known of the one before is forgotten. */
  begin(subject: object): void {
    this.#forgetCurrent();
    this.#unit = this.#units.get(subject);
    this.#units.delete(subject);
    const failure = this.#unit?.failure;
    if (failure !== undefined) throw failure.thrown;
  }

  #forgetCurrent(): void {
    if (this.#unit !== undefined) this.#setting.held.release(this.#unit.bytes);
    this.#unit = undefined;
  }

  /** Finds out whether something is missing, without a promise if the evaluation needs none. */
  #try(unit: Unit, evaluate: () => MaybePromise<void>): MaybePromise<void> {
    this.#unit = unit;
    this.#isRehearsing = true;
    try {
      const evaluating = evaluate();
      if (evaluating instanceof Promise) {
        return evaluating.then(
          () => this.#ended(unit, undefined),
          (thrown: unknown) => this.#ended(unit, { thrown }),
        );
      }
    } catch (thrown) {
      return this.#ended(unit, { thrown });
    }
    this.#ended(unit, undefined);
  }

  /** A failure is kept for when the turn of the unit comes. */
  #ended(unit: Unit, end: Unit["failure"]): void {
    this.#unit = undefined;
    this.#isRehearsing = false;
    unit.isMissing = end?.thrown === MISS;
    unit.failure = unit.isMissing ? undefined : end;
  }

  #note(unit: Unit, index: number, args: readonly Value[], key: string): void {
    const bytes = CALL_BYTES + key.length;
    const call = { unit, function: index, args, bytes, isAnswered: false, value: undefined };
    unit.calls.set(key, call);
    this.#noted.push(call);
    this.#notedBytes += bytes;
    this.#hold(unit, bytes);
  }

  #hold(unit: Unit, bytes: number): void {
    unit.bytes += bytes;
    this.#setting.held.hold(bytes);
  }

  async #answer(): Promise<void> {
    const noted = this.#noted;
    this.#noted = [];
    this.#notedBytes = 0;
    for (let start = 0; start < noted.length; ) {
      const end = endOfBatch(noted, start);
      await this.#answerBatch(noted.slice(start, end));
      start = end;
    }
  }

  async #answerBatch(calls: readonly NotedCall[]): Promise<void> {
    const outcome = await this.#callAll(calls);
    if (outcome.kind === "done") return this.#take(calls, outcome.values);
    if (outcome.kind !== "threw") throw failureOf(outcome);
    const units = new Set(calls.map(({ unit }) => unit));
    // Which of them it was, each has to tell for itself; those behind it are never come to.
    let failed: CallOutcome | undefined = units.size === 1 ? outcome : undefined;
    for (const unit of units) {
      const own = calls.filter((call) => call.unit === unit);
      const found: CallOutcome = failed ?? (await this.#callAll(own));
      if (found.kind === "done") this.#take(own, found.values);
      else {
        failed = found;
        unit.failure = { thrown: failureOf(found) };
      }
    }
  }

  #callAll(calls: readonly NotedCall[]): Promise<CallOutcome> {
    const { functions, callFunctions } = this.#setting;
    return callFunctions({
      functions,
      calls: calls.map(({ function: index, args }) => ({ function: index, args })),
    });
  }

  #take(calls: readonly NotedCall[], values: readonly Value[]): void {
    assert(values.length === calls.length, "every call has a result");
    for (const [index, call] of calls.entries()) {
      call.value = values[index];
      call.isAnswered = true;
      if (call.value !== undefined) this.#hold(call.unit, sizeOf(call.value));
    }
  }

  /** One text for the same function and arguments, and no other. */
  #keyOf(index: number, args: readonly Value[]): string {
    let key = `${index}`;
    for (const arg of args) key += this.#textOf(arg);
    return key;
  }

  /** Ends by itself: numbers and words at the next comma, the rest says how long it is. */
  #textOf(arg: Value): string {
    if (typeof arg === "string") return `,"${arg.length}:${arg}`;
    if (typeof arg !== "object" || arg === null) return Object.is(arg, -0) ? ",-0" : `,${arg}`;
    const known = this.#texts.get(arg);
    if (known !== undefined) return known;
    const text = textOfNode(arg);
    this.#texts.set(arg, text);
    return text;
  }
}

function textOfNode(node: JsonValue): string {
  checkSize(node);
  const text = JSON.stringify(node);
  return `,{${text.length}:${text}`;
}

function endOfBatch(calls: readonly NotedCall[], start: number): number {
  let bytes = 0;
  let end = start;
  while (end < calls.length && bytes <= BATCH_BYTES_MAX) bytes += calls[end++]!.bytes;
  return end;
}

function failureOf(outcome: Exclude<CallOutcome, { kind: "done" }>): QueryFailure {
  const { kind, message, number: errorNumber } = outcome;
  const cause = kind === "outOfTime" || kind === "stopped" ? kind : undefined;
  return new QueryFailure({ kind: "refused", message, cause, errorNumber });
}
