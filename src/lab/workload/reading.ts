/**
 * One reading of a workload file: values are taken from the tree member by member, and all problems
 * are noted with their places, so that they can be reported at once.
 *
 * A value that cannot be used is a problem and becomes `undefined`; reading goes on. An unknown
 * name is a problem if it looks like a typing error, and is otherwise left out and named in one
 * remark, because files may contain members for other readers.
 */
import { nearestName } from "../../base/nearestName.ts";
import { placeOf, type SourceNode, type SourceProblem } from "../../yaml/sourceTree.ts";
import { bytesIn, countIn, daysIn, ratePerSecondIn, shareIn } from "./quantities.ts";

/** Members for people, allowed everywhere. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(["note", "comment", "description", "$schema"]);

export class Reading {
  readonly #problems: SourceProblem[] = [];
  readonly #remarks = new Set<string>();
  readonly #leftOut: string[] = [];

  problem(node: SourceNode, message: string): undefined {
    this.#problems.push({ place: placeOf(node), message });
    return undefined;
  }

  remark(sentence: string): void {
    this.#remarks.add(sentence);
  }

  leaveOut(path: string): void {
    this.#leftOut.push(path);
  }

  /** The problems in the order of the file. */
  get problems(): readonly SourceProblem[] {
    const inOrder = this.#problems.map((problem) => {
      const [line, column] = problem.place.split(/[: ]/, 2).map(Number);
      return { problem, line: line!, column: column! };
    });
    inOrder.sort((a, b) => a.line - b.line || a.column - b.column);
    return inOrder.map(({ problem }) => problem);
  }

  get remarks(): readonly string[] {
    if (this.#leftOut.length === 0) return [...this.#remarks];
    const sentence = `Members that say nothing here were left out: ${this.#leftOut.join(", ")}.`;
    return [...new Set([...this.#remarks, sentence])];
  }
}

/** The members of an object. Call `close` after the last one was taken. */
export class Fields {
  readonly node: SourceNode;
  readonly #reading: Reading;
  readonly #members: ReadonlyMap<string, SourceNode>;
  readonly #known = new Set<string>();

  constructor(node: SourceNode, reading: Reading) {
    this.node = node;
    this.#reading = reading;
    const isObject = node.content.kind === "object";
    this.#members = isObject ? node.content.members : new Map();
    if (!isObject) reading.problem(node, `This must be an object, not ${kindOf(node)}.`);
  }

  /** Takes one value under any of its spellings; null counts as absent. */
  take(...spellings: readonly string[]): SourceNode | undefined {
    for (const name of spellings) this.#known.add(name);
    const written = spellings.filter((name) => this.#members.has(name));
    if (written.length > 1) {
      const [first, second] = written;
      const message = `'${first}' and '${second}' are two spellings of the same; keep one.`;
      this.#reading.problem(this.#members.get(second!)!, message);
    }
    const found = written.length === 0 ? undefined : this.#members.get(written[0]!);
    return found === undefined || isNull(found) ? undefined : found;
  }

  close(): void {
    for (const [name, member] of this.#members) {
      if (this.#known.has(name) || FOR_PEOPLE.has(name)) continue;
      const meant = nearestName(name, this.#known);
      if (meant === undefined) this.#reading.leaveOut(member.path);
      else {
        this.#reading.problem(member, `'${name}' is not known. Did you mean '${meant}'?`);
      }
    }
  }
}

export function textOf(node: SourceNode | undefined, reading: Reading): string | undefined {
  if (node === undefined) return undefined;
  const { content } = node;
  if (content.kind === "scalar" && typeof content.value === "string") return content.value;
  if (content.kind === "scalar" && typeof content.value === "number") return `${content.value}`;
  return reading.problem(node, `This must be a text, not ${kindOf(node)}.`);
}

export function booleanOf(node: SourceNode | undefined, reading: Reading): boolean | undefined {
  if (node === undefined) return undefined;
  const { content } = node;
  if (content.kind === "scalar" && typeof content.value === "boolean") return content.value;
  return reading.problem(node, `This must be true or false, not ${kindOf(node)}.`);
}

export interface AmountRule {
  /** Parses a text that stands for the amount. */
  readonly parse: (text: string) => number | undefined;
  /** What is expected, as in "a rate such as 100 or 5/min". */
  readonly what: string;
  readonly min?: number;
  readonly max?: number;
  readonly isWhole?: boolean;
}

export const COUNT: AmountRule = { parse: countIn, what: "a number", min: 0 };
export const FACTOR: AmountRule = { parse: countIn, what: "a factor of at least 1", min: 1 };
export const SHARE: AmountRule = {
  parse: shareIn,
  what: "a share from 0 to 1, or a percentage such as 80 %",
  min: 0,
  max: 1,
};
export const BYTES: AmountRule = {
  parse: bytesIn,
  what: "a number of bytes, or a size such as 4 KB",
  min: 1,
};
export const DAYS: AmountRule = {
  parse: daysIn,
  what: "a number of days, or a time such as 13 months",
  min: 0,
};
export const RATE: AmountRule = {
  parse: ratePerSecondIn,
  what: "a rate: operations per second, or a text such as 5/min or 2 million/day",
  min: 0,
};

export function amountOf(
  node: SourceNode | undefined,
  rule: AmountRule,
  reading: Reading,
): number | undefined {
  if (node === undefined) return undefined;
  const { content } = node;
  const written = content.kind === "scalar" ? content.value : undefined;
  const amount = typeof written === "string" ? rule.parse(written) : written;
  if (typeof amount !== "number" || !Number.isFinite(amount)) {
    return reading.problem(node, `This must be ${rule.what}, not ${kindOf(node)}.`);
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = rule;
  if (amount < min || amount > max) {
    return reading.problem(node, `${amount} cannot be: this must be ${rule.what}.`);
  }
  if (rule.isWhole === true && !Number.isInteger(amount)) {
    return reading.problem(node, `${amount} cannot be: this must be a whole number.`);
  }
  return amount;
}

/** Parses one of several words, in any case. */
export function choiceOf<T extends string>(
  node: SourceNode | undefined,
  choices: readonly T[],
  reading: Reading,
): T | undefined {
  const written = textOf(node, reading);
  if (node === undefined || written === undefined) return undefined;
  const plain = written.toLowerCase().replace(/[-_ ]/g, "");
  const found = choices.find((choice) => choice.toLowerCase() === plain);
  if (found !== undefined) return found;
  const meant = nearestName(written, choices);
  const hint = meant === undefined ? `It is one of ${choices.join(", ")}` : `Did you mean ${meant}`;
  return reading.problem(node, `'${written}' is not known. ${hint}${meant ? "?" : "."}`);
}

export function elementsOf(
  node: SourceNode | undefined,
  reading: Reading,
): readonly SourceNode[] | undefined {
  if (node === undefined) return undefined;
  if (node.content.kind === "list") return node.content.elements;
  return reading.problem(node, `This must be a list, not ${kindOf(node)}.`);
}

/** Returns the elements of a list, or the node itself as the only element. */
export function oneOrMore(node: SourceNode | undefined): readonly SourceNode[] | undefined {
  if (node === undefined) return undefined;
  return node.content.kind === "list" ? node.content.elements : [node];
}

export function membersOf(
  node: SourceNode | undefined,
  reading: Reading,
): ReadonlyMap<string, SourceNode> | undefined {
  if (node === undefined) return undefined;
  if (node.content.kind === "object") return node.content.members;
  return reading.problem(node, `This must be an object, not ${kindOf(node)}.`);
}

/** Parses 24 weights, hour by hour. */
export function hoursOf(
  node: SourceNode | undefined,
  reading: Reading,
): readonly number[] | undefined {
  const elements = elementsOf(node, reading);
  if (node === undefined || elements === undefined) return undefined;
  if (elements.length !== 24) {
    const message = `These must be 24 numbers, one for each hour (UTC), not ${elements.length}.`;
    return reading.problem(node, message);
  }
  const hours = elements.map((element) => amountOf(element, COUNT, reading));
  if (hours.some((hour) => hour === undefined)) return undefined;
  const weights = hours as number[];
  if (weights.some((weight) => weight > 0)) return weights;
  return reading.problem(node, "At least one hour must be more than 0.");
}

export function kindOf({ content }: SourceNode): string {
  if (content.kind === "object") return "an object";
  if (content.kind === "list") return "a list";
  const { value } = content;
  if (value === null) return "nothing";
  return typeof value === "string" ? `'${cut(value)}'` : String(value);
}

function cut(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

function isNull({ content }: SourceNode): boolean {
  return content.kind === "scalar" && content.value === null;
}
