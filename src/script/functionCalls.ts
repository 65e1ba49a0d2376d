/**
 * A batch of calls of user-defined functions: one text goes into the sandbox, and one comes out.
 *
 * Always: undefined and null stay apart in arguments and results, though JSON has only null: the
 * places of undefined values are listed beside them. A result that is no JSON value at all (NaN, a
 * function, a symbol) is undefined. The first call that throws fails the batch.
 *
 * Not here: how long a realm with its functions is kept (`interpreter.ts`).
 */
import { depthExceeds } from "../json/depth.ts";
import type { JsonValue } from "../json/value.ts";
import { compile, messageOf } from "./compiling.ts";
import { failureOf } from "./crossing.ts";
import type { Realm, RealmTrouble } from "./sandbox.ts";
import type { FunctionBatch, FunctionCall, FunctionOutcome } from "./scriptRunner.ts";
import type { Seed } from "./scriptSession.ts";

/** Length of the results; they are parsed in one go, while other requests wait. */
const RESULT_CHARS_MAX = 16 * 1024 * 1024;
/** The depth that an item may have, and of the lists around it. */
const DEPTH_MAX = 258;

/** A batch on its way to another thread. */
export interface BatchText {
  /** A number that identifies the page. */
  readonly page: number;
  readonly functions: FunctionBatch["functions"];
  readonly calls: string;
  readonly callCount: number;
  readonly timeMsMax: number;
  readonly memoryBytesMax: number;
}

/** The outcome on its way back. */
export type OutcomeText =
  | { readonly kind: "done"; readonly results: string; readonly cpuMs: number }
  | Exclude<FunctionOutcome, { readonly kind: "done" }>;

type PageNumbers = (page: object) => number;

export function pageNumbers(): PageNumbers {
  const numbers = new WeakMap<object, number>();
  let count = 0;
  return (page) => {
    const number = numbers.get(page) ?? ++count;
    numbers.set(page, number);
    return number;
  };
}

export function batchText(batch: FunctionBatch, page: number): BatchText {
  const { functions, timeMsMax, memoryBytesMax } = batch;
  const calls = JSON.stringify(batch.calls.map(callEntry));
  return { page, functions, calls, callCount: batch.calls.length, timeMsMax, memoryBytesMax };
}

function callEntry({ function: index, args }: FunctionCall): readonly unknown[] {
  if (!args.includes(undefined)) return [index, args];
  const missing = args.flatMap((argument, place) => (argument === undefined ? [place] : []));
  return [index, args, missing];
}

/**
 * Compiles the functions into a fresh realm of `FUNCTION_PROGRAM`; returns the failure if a text is
 * no function.
 */
export function installFunctions(
  realm: Realm,
  batch: BatchText,
  seed: Seed,
): OutcomeText | undefined {
  const installed = realm.install([], [JSON.stringify(seed)]);
  if (!installed.ok) return failed({ ...batch, name: "functions" }, installed.error);
  for (const { name, body } of batch.functions) {
    const compiled = compile(realm, name, body);
    const named = { ...batch, name };
    if (!compiled.ok) return failed(named, compiled.error);
    const added = realm.call("add", compiled.value);
    compiled.value.dispose();
    if (!added.ok) return failed(named, added.error);
  }
  return undefined;
}

export function callInstalled(realm: Realm, batch: BatchText): OutcomeText {
  const before = realm.spentMs;
  const names = batch.functions.map(({ name }) => name);
  const all = { ...batch, name: names.join("', '") };
  const called = realm.call("call", batch.calls);
  if (!called.ok) return failed(all, called.error);
  const text = called.value;
  if (typeof text !== "string") return failed(all, TAMPERED);
  if (text.length > RESULT_CHARS_MAX) return failed(all, tooMuch(text.length));
  if (text.startsWith(DONE)) {
    if (depthExceeds(Buffer.from(text), DEPTH_MAX)) return failed(all, TOO_DEEP);
    return { kind: "done", results: text, cpuMs: realm.spentMs - before };
  }
  const failure = parsed(text) as Failure | undefined;
  const name = names[Number(failure?.function)] ?? all.name;
  const trouble = failureOf(failure?.told);
  if (trouble === undefined) return failed(all, TAMPERED);
  return failed({ ...batch, name }, realm.judged(trouble));
}

export function outcomeOf(batch: BatchText, outcome: OutcomeText): FunctionOutcome {
  if (outcome.kind !== "done") return outcome;
  const results = parsed(outcome.results) as Results | undefined;
  const values = results?.values;
  const holes = results?.holes;
  if (!Array.isArray(values) || values.length !== batch.callCount || !Array.isArray(holes)) {
    return { kind: "threw", message: "A function replaced built-in functions with others." };
  }
  const absent = new Set<unknown>(holes);
  const told = values.map((value, place) => (absent.has(place) ? undefined : value));
  return { kind: "done", values: absent.size === 0 ? values : told, cpuMs: outcome.cpuMs };
}

interface Results {
  readonly values?: readonly JsonValue[];
  readonly holes?: readonly unknown[];
}

interface Failure {
  readonly function?: unknown;
  readonly told?: unknown;
}

const DONE = '{"kind":"done"';

const TAMPERED: RealmTrouble = {
  kind: "threw",
  message: "It replaced built-in functions with others that do not do the same.",
};

const TOO_DEEP: RealmTrouble = {
  kind: "threw",
  message: `A result nests more than ${DEPTH_MAX - 2} levels deep.`,
};

function tooMuch(chars: number): RealmTrouble {
  const message = `The results have ${chars} characters; ${RESULT_CHARS_MAX} are allowed`;
  return { kind: "threw", message: `${message} at a time.` };
}

function failed(
  run: Parameters<typeof messageOf>[0],
  trouble: Parameters<typeof messageOf>[1],
): OutcomeText {
  const message = messageOf(run, trouble);
  const isNamed = trouble.kind === "threw" || trouble.kind === "notCompiled";
  const number = trouble.kind === "threw" ? trouble.number : undefined;
  return { kind: trouble.kind, message: isNamed ? `'${run.name}': ${message}` : message, number };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
