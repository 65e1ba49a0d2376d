/**
 * Calls of user-defined functions from expressions. Expressions are evaluated in one go, and the
 * functions run in another thread, so they are called ahead: what is about to be evaluated is
 * *rehearsed*. An expression that needs a result notes the call and misses; all noted calls are
 * made at once; and both steps are repeated until no result is missing. Then everything is
 * evaluated as usual, and finds the results.
 *
 * Results are remembered for one *unit* of evaluation, an item or a group, by function and
 * arguments: two calls with the same arguments are one call within a unit, and two in two units. A
 * built-in function that depends on chance or the time gives the same value to a unit each time at
 * the same place of the text, so that the rehearsal asks for what the evaluation will need. A unit
 * that fails does so when it is evaluated, not when it is rehearsed: a page that is full before
 * then gets its rows.
 *
 * Not here: who runs the functions (`CallFunctions`), and what is rehearsed (`rehearsal.ts`).
 */
import { assert } from "../../base/assert.ts";
import type { MaybePromise } from "../../base/result.ts";
import type { JsonValue } from "../../json/value.ts";
import type { UserFunction } from "../bind/binding.ts";
import type { Value } from "../functions/builtIn.ts";
import { checkSize, sizeOf } from "../functions/valueSize.ts";
import type { MemoryHolding } from "./held.ts";
import { MISS } from "./misses.ts";
import { QueryFailure } from "./run.ts";

export interface CallBatch {
  readonly functions: readonly UserFunction[];
  readonly calls: readonly {
    /** Index of the function in `functions`. */
    readonly function: number;
    readonly args: readonly Value[];
  }[];
}

export type CallOutcome =
  /** The results, in the order of the calls. */
  | { readonly kind: "done"; readonly values: readonly Value[] }
  | {
      readonly kind: "threw" | "notCompiled" | "outOfTime" | "outOfMemory" | "stopped";
      /** A message that names the function. */
      readonly message: string;
      /** The number that the script gave to the error it threw. */
      readonly number?: number | undefined;
    };

/** Makes all calls of a batch, in whatever order. */
export type CallFunctions = (batch: CallBatch) => Promise<CallOutcome>;

interface CallSetting {
  readonly functions: readonly UserFunction[];
  readonly callFunctions: CallFunctions;
  readonly held: MemoryHolding;
  /** Called between two units: lets other requests have a turn, if it is time. */
  pause(): Promise<void> | undefined;
}

/** Rough size of the arguments of one batch, in bytes; only its last call may exceed it. */
const BATCH_BYTES_MAX = 1024 * 1024;
/** Memory that a call takes besides its arguments, in bytes. */
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
  /** Values that chance or the clock gave, by their places in the text. */
  readonly chances: Map<object, Value> = new Map();
  bytes = 0;
  isMissing = false;
  failure: { readonly thrown: unknown } | undefined;
}

export class FunctionCalls {
  readonly #setting: CallSetting;
  readonly #units = new Map<object, Unit>();
  /** Texts of arrays and objects that were arguments, so that each is written only once. */
  readonly #texts = new WeakMap<object, string>();
  #unit: Unit | undefined;
  #noted: NotedCall[] = [];
  #notedBytes = 0;
  #isRehearsing = false;

  constructor(setting: CallSetting) {
    this.#setting = setting;
  }

  /**
   * Returns the result of a call in the unit that is being evaluated; throws `MISS` if it is not
   * known.
   */
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

  /**
   * Returns what chance or the clock gives at a place in the text: the same value as long as the
   * unit lasts.
   */
  once(place: object, make: () => Value): Value {
    const unit = this.#unit;
    if (unit === undefined) return make();
    const known = unit.chances.get(place);
    if (known !== undefined) return known;
    const made = make();
    unit.chances.set(place, made);
    return made;
  }

  /** Finds out what the evaluation of these subjects will call, and makes the calls. */
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

  /** Begins the evaluation of a unit. What was known of the unit before is forgotten. */
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

  /**
   * Evaluates a unit to see whether a result is missing; gives a promise only if the evaluation
   * does.
   */
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

  /** Notes how a rehearsal ended. A failure is kept until the unit is evaluated. */
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
    // A batch that threw does not say whose call it was, so the calls of each unit are made again,
    // unit by unit. Units behind the one that failed will never be evaluated, and get the same
    // failure.
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

  /** Returns a text that is the same for the same function and arguments, and for no others. */
  #keyOf(index: number, args: readonly Value[]): string {
    let key = `${index}`;
    for (const arg of args) key += this.#textOf(arg);
    return key;
  }

  /**
   * Returns a text that cannot run into the next one: numbers and words end at the comma, and
   * strings, arrays and objects begin with their length.
   */
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
