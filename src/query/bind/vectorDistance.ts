/**
 * Binding of `VectorDistance(v1, v2 [, bruteForce [, options]])`: which metric and which data type
 * a call is about. The options of the call say so, or the policy of the container for the compared
 * path; without either it is cosine over float32. Both have to be known before a query runs,
 * because an order by distance goes up or down by its metric; so options are written out in the
 * text.
 *
 * Of the options about how to search, `searchListSizeMultiplier` says how thoroughly an approximate
 * search looks. The other options choose between ways to the same rows and are only checked:
 * vectors are not quantized here, and a filter is always answered first if an index can.
 */
import type { ElementType, Metric } from "../functions/vector.ts";
import { ELEMENT_TYPES, METRICS, VECTOR_DISTANCE, vectorDistanceBy } from "../functions/vector.ts";
import type { Call, Expression } from "../language/ast.ts";
import type { Binding } from "./binding.ts";
import { failAt } from "./binding.ts";
import type { Bound } from "./bound.ts";

/** What the container's policy says about the vectors at a path. */
export interface Embedding {
  readonly metric: Metric;
  readonly elementType: ElementType;
  readonly dimensions: number;
}

export function bindVectorDistance(
  call: Call,
  bind: (arg: Expression) => Bound,
  binding: Binding,
): Bound {
  const [, , bruteForce, options] = call.args;
  const args = call.args.slice(0, 3).map((arg) => folded(arg) ?? bind(arg));
  if (bruteForce !== undefined && isLiteral(bruteForce) && !isBoolean(bruteForce)) {
    refuse(call, "Its third argument, whether to search by brute force, must be true or false.");
  }
  const embedding =
    embeddingOf(args[0]!, binding) ?? embeddingOf(args[1]!, binding) ?? VECTOR_DISTANCE;
  const found = options === undefined ? {} : readOptions(options, call);
  const { metric = embedding.metric, elementType = embedding.elementType, thoroughness } = found;
  return { kind: "call", builtIn: vectorDistanceBy(metric, elementType, thoroughness), args };
}

/**
 * Returns a vector that is written out as one constant, so that it is not made anew for each row.
 */
function folded(arg: Expression): Bound | undefined {
  if (arg.kind !== "array") return undefined;
  const values: number[] = [];
  for (const element of arg.elements) {
    const value = numberIn(element);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return { kind: "constant", value: values };
}

/** Returns a number as it is written, with a sign or without. */
function numberIn(written: Expression): number | undefined {
  const isNegative = written.kind === "unary" && written.operator === "-";
  const number = isNegative ? written.operand : written;
  if (number.kind !== "number") return undefined;
  return isNegative ? -number.value : number.value;
}

function embeddingOf(arg: Bound, { itemSlots, setting }: Binding): Embedding | undefined {
  const segments: string[] = [];
  let object = arg;
  for (; object.kind === "member"; object = object.object) segments.unshift(object.name);
  const isInItem = object.kind === "slot" && itemSlots.has(object.slot);
  return isInItem ? setting.embeddingAt?.(segments) : undefined;
}

const MULTIPLIERS: ReadonlySet<string> = new Set([
  "searchListSizeMultiplier",
  "quantizedVectorListMultiplier",
]);
const MULTIPLIER_MAX = 100;
/** The value that the service takes when `searchListSizeMultiplier` is not given. */
const MULTIPLIER_USUAL = 10;

interface Options {
  metric?: Metric;
  elementType?: ElementType;
  thoroughness?: number;
}

function readOptions(options: Expression, call: Call): Options {
  if (options.kind !== "object") {
    return refuse(call, "Its options must be an object that is written out: {dataType: 'int8'}.");
  }
  const found: Options = {};
  for (const { name, value } of options.members) {
    if (name === "distanceFunction") found.metric = wordIn(METRICS, name, value, call);
    else if (name === "dataType") found.elementType = wordIn(ELEMENT_TYPES, name, value, call);
    else if (name === "filterPriority") checkPriority(value, call);
    else if (MULTIPLIERS.has(name)) {
      const multiplier = multiplierIn(name, value, options, call);
      if (name === "searchListSizeMultiplier") found.thoroughness = multiplier / MULTIPLIER_USUAL;
    } else refuse(call, `There is no option '${name}'.`);
  }
  return found;
}

function wordIn<W extends string>(
  words: readonly W[],
  name: string,
  value: Expression,
  call: Call,
): W {
  const text = value.kind === "string" ? value.value.toLowerCase() : undefined;
  const word = words.find((candidate) => candidate === text);
  return (
    word ?? refuse(call, `Its option '${name}' must be one of ${words.join(", ")}, as a string.`)
  );
}

function multiplierIn(name: string, value: Expression, options: Expression, call: Call): number {
  const number = numberIn(value) ?? Number.NaN;
  if (number < 1 || number > MULTIPLIER_MAX) {
    failAt(
      "SC2213",
      `The '${name}' value ${number} specified in the VectorDistance function is outside the ` +
        `supported range. The value must be between 1 and ${MULTIPLIER_MAX}.`,
      options.span,
    );
  }
  if (Number.isInteger(number)) return number;
  return refuse(call, `Its option '${name}' must be a whole number from 1 to ${MULTIPLIER_MAX}.`);
}

function checkPriority(value: Expression, call: Call): void {
  const isFine = value.kind === "number" && value.value >= 0 && value.value <= 1;
  if (!isFine) refuse(call, "Its option 'filterPriority' must be a number from 0 to 1.");
}

function isLiteral({ kind }: Expression): boolean {
  return ["number", "string", "word", "array", "object"].includes(kind);
}

/** True for `true`, `false` and `undefined`: the argument may be left out, and is false then. */
function isBoolean(expression: Expression): boolean {
  return expression.kind === "word" && expression.value !== null;
}

function refuse({ span }: Call, what: string): never {
  return failAt(
    "SC2052",
    `The VECTORDISTANCE function was called with a wrong argument. ${what}`,
    span,
  );
}
