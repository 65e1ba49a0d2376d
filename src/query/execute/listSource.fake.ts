/**
 * For tests only: a container that is a list of items, and queries run over it. Its sources are as
 * naive as can be: every answer is worked out from the list anew.
 *
 * An item's place in the key space is a function of its number, so the same list can be looked at
 * as one source or as several, and looks split when the next page is given other ranges.
 */
import { type Millis, millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import { type CompiledPolicy, compilePolicy } from "../../index/compiledPolicy.ts";
import type { IndexingPolicy } from "../../index/policy.ts";
import { spatialPlaceOf } from "../../index/spatialTerm.ts";
import { TERM_BYTES } from "../../index/termSpace.ts";
import { termsOf } from "../../index/terms.ts";
import { wordPlaceOf } from "../../index/wordTerm.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import { contains, WHOLE_RANGE } from "../../partition/epkRange.ts";
import { DEFAULT_LANGUAGE } from "../../text/language.ts";
import { bindProgram } from "../bind/bind.ts";
import type { ComputedExpression } from "../bind/binding.ts";
import type { CallBatch, CallOutcome } from "../evaluate/functionCalls.ts";
import type { Value } from "../functions/builtIn.ts";
import { parseQuery } from "../language/parser.ts";
import type { IndexView } from "../plan/indexView.ts";
import type { Plan } from "../plan/plan.ts";
import { planOf } from "../plan/plan.ts";
import type { QueryProblem } from "../problem.ts";
import { runPage } from "./page.ts";
import type { Position } from "./position.ts";
import type { Source, SourceItem, SourceScan, SourceTerm } from "./source.ts";
import type { QueryWork } from "./work.ts";

export const INDEX_ALL: IndexingPolicy = {
  indexingMode: "consistent",
  automatic: true,
  includedPaths: [{ path: "/*" }],
  excludedPaths: [],
};

export interface ListOptions {
  readonly policy?: Partial<IndexingPolicy>;
  readonly computed?: Readonly<Record<string, string>>;
  /** User-defined functions, which are called right here. */
  readonly functions?: Readonly<Record<string, (...args: Value[]) => Value>>;
  /** True while the container is indexed anew, when every order has to be sorted. */
  readonly isIncomplete?: boolean;
}

export interface RunOptions {
  readonly parameters?: Readonly<Record<string, JsonValue>>;
  readonly countMax?: number;
  readonly bytesMax?: number;
  readonly ranges?: readonly EpkRange[];
  /** True when the ranges are scopes within one source, found by their placement terms. */
  readonly isScoped?: boolean;
  readonly isOfOneSource?: boolean;
  readonly timeSliceMs?: number;
  /** Milliseconds that every batch of calls takes. */
  readonly functionMs?: number;
  /** Called before each page but the first. */
  readonly betweenPages?: () => void;
}

interface ListPage {
  readonly rows: readonly JsonValue[];
  readonly next: Position | undefined;
  readonly work: QueryWork;
}

/** What a test sees of a query that is refused. */
export class Refused extends Error {
  readonly problem: QueryProblem;

  constructor(problem: QueryProblem) {
    super(problem.kind === "refused" ? problem.message : problem.diagnostics[0]!.message);
    this.problem = problem;
  }
}

/** Thrown by a user-defined function to say how all calls end. */
export class CallEnd extends Error {
  readonly outcome: CallOutcome;

  constructor(outcome: CallOutcome) {
    super("the calls end");
    this.outcome = outcome;
  }
}

export class ListContainer {
  readonly #items = new Map<number, JsonObject>();
  readonly policy: CompiledPolicy;
  readonly #options: ListOptions;
  readonly #terms = new WeakMap<JsonObject, readonly string[]>();
  #entries: readonly SourceTerm[] | undefined;
  /** Called after each look at the index, and before the items it found are loaded. */
  afterScan: () => void = () => undefined;
  /** The sizes of all batches of calls of user-defined functions, in order. */
  readonly batches: number[] = [];

  constructor(items: readonly JsonObject[], options: ListOptions = {}) {
    for (const item of items) this.#items.set(this.#items.size + 1, item);
    this.#options = options;
    this.policy = compilePolicy({ ...INDEX_ALL, ...options.policy });
  }

  get items(): ReadonlyMap<number, JsonObject> {
    return this.#items;
  }

  put(number: number, item: JsonObject): void {
    this.#items.set(number, item);
    this.#entries = undefined;
  }

  remove(number: number): void {
    this.#items.delete(number);
    this.#entries = undefined;
  }

  /** The whole index, in order. */
  get entries(): readonly SourceTerm[] {
    this.#entries ??= [...this.#items]
      .flatMap(([number, item]) => [
        { term: `${PLACEMENT}${epkOfNumber(number)}\x00`, number },
        ...this.#termsOf(item).map((term) => ({ term, number })),
      ])
      .sort((a, b) => (a.term === b.term ? a.number - b.number : a.term < b.term ? -1 : 1));
    return this.#entries;
  }

  #termsOf(item: JsonObject): readonly string[] {
    const terms = this.#terms.get(item) ?? termsOf(this.policy, item).terms;
    this.#terms.set(item, terms);
    return terms;
  }

  get index(): IndexView {
    const { policy } = this;
    return {
      isIndexed: (segments) => policy.isIndexedAt(segments),
      isIncluded: (segments) => policy.isIndexedAt(segments),
      composites: policy.composites,
      spatialPlace: (segments) => spatialPlaceOf(policy.spatials, segments),
      wordPlace: (segments) => wordPlaceOf(policy.words, segments),
      isComplete: this.#options.isIncomplete !== true,
    };
  }

  plan(text: string): Plan {
    const query = parseQuery(text);
    if (!query.ok) throw new Refused(query.error);
    const names = Object.keys(this.#options.functions ?? {});
    const program = bindProgram(query.value, {
      computed: computedOf(this.#options.computed),
      languageAt: (path) => wordPlaceOf(this.policy.words, path)?.language ?? DEFAULT_LANGUAGE,
      functions: new Map(names.map((name) => [name, { name, body: `the text of ${name}` }])),
    });
    if (!program.ok) throw new Refused(program.error);
    const plan = planOf(program.value, this.index);
    if (!plan.ok) throw new Refused(plan.error);
    return plan.value;
  }

  sources({ ranges = [WHOLE_RANGE], isScoped = false }: RunOptions = {}): readonly Source[] {
    return ranges.map((range) => listSource(this, range, isScoped));
  }

  async page(plan: Plan, position?: Position, options: RunOptions = {}): Promise<ListPage> {
    let now = 0;
    const page = await runPage({
      plan,
      position,
      sources: this.sources(options),
      // Every look at the clock takes a millisecond.
      clock: { now: (): Millis => millis(now++), wallNow: () => 1_700_000_000_000 },
      timer: { after: () => () => undefined, soon: () => Promise.resolve() },
      random: seededRandom(1),
      parameters: new Map(Object.entries(options.parameters ?? {})),
      geometry: "Geography",
      callFunctions: (batch) => {
        now += options.functionMs ?? 0;
        return Promise.resolve(this.#call(batch));
      },
      timeSliceMs: options.timeSliceMs ?? Number.POSITIVE_INFINITY,
      limits: {
        countMax: options.countMax ?? 1_000,
        bytesMax: options.bytesMax ?? 4_000_000,
        isOfOneSource: options.isOfOneSource,
      },
    });
    if (!page.ok) throw new Refused(page.error);
    const rows = page.value.rows.map((row) => JSON.parse(row.toString()) as JsonValue);
    return { ...page.value, rows };
  }

  #call({ functions, calls }: CallBatch): CallOutcome {
    this.batches.push(calls.length);
    const values: Value[] = [];
    for (const { function: index, args } of calls) {
      const { name } = functions[index]!;
      try {
        values.push(this.#options.functions![name]!(...args));
      } catch (error) {
        if (error instanceof CallEnd) return error.outcome;
        return { kind: "threw", message: `udf.${name}: ${(error as Error).message}` };
      }
    }
    return { kind: "done", values };
  }

  async pages(text: string, options: RunOptions = {}): Promise<readonly ListPage[]> {
    const plan = this.plan(text);
    const pages: ListPage[] = [];
    for (let isFirst = true; isFirst || pages.at(-1)!.next !== undefined; isFirst = false) {
      if (!isFirst) options.betweenPages?.();
      pages.push(await this.page(plan, pages.at(-1)?.next, options));
      if (pages.length > PAGES_MAX) throw new Error(`there is no end to ${text}`);
    }
    return pages;
  }

  /** The rows of all pages. */
  async rows(text: string, options: RunOptions = {}): Promise<readonly JsonValue[]> {
    return (await this.pages(text, options)).flatMap(({ rows }) => rows);
  }
}

const PAGES_MAX = 2_000;
const PLACEMENT = TERM_BYTES.placement;

/** Rows of a query that needs no container. */
export function rowsOf(
  text: string,
  parameters: Readonly<Record<string, JsonValue>> = {},
): Promise<readonly JsonValue[]> {
  return new ListContainer([]).rows(text, { parameters });
}

export function epkOfNumber(number: number): Epk {
  return ((number * 37) % 240).toString(16).toUpperCase().padStart(2, "0") as Epk;
}

/** The whole key space, cut at these places. */
export function cutAt(...boundaries: readonly string[]): readonly EpkRange[] {
  const { min, max } = WHOLE_RANGE;
  const bounds = [min, ...(boundaries as readonly Epk[]), max];
  return bounds.slice(1).map((bound, index) => ({ min: bounds[index]!, max: bound }));
}

function listSource(list: ListContainer, range: EpkRange, isScoped: boolean): Source {
  const itemOf = (number: number): SourceItem => ({
    number,
    body: Buffer.from(JSON.stringify(list.items.get(number))),
  });
  const isSeen = (number: number): boolean =>
    list.items.has(number) && contains(range, epkOfNumber(number));
  // The index of a scoped source has the terms of all items, not only of those in scope.
  const isIndexed = (number: number): boolean => isScoped || isSeen(number);
  let all: readonly SourceTerm[] = [];
  let entries: readonly SourceTerm[] = [];
  const currentEntries = (): readonly SourceTerm[] => {
    if (all !== list.entries) entries = list.entries.filter(({ number }) => isIndexed(number));
    all = list.entries;
    return entries;
  };
  const numbers = (): readonly number[] => [...list.items.keys()].sort((a, b) => a - b);
  return {
    range,
    placement: isScoped ? [{ min: PLACEMENT + range.min, max: PLACEMENT + range.max }] : undefined,
    itemCount: numbers().filter(isIndexed).length,
    isEveryTermLive: () => true,
    countInScope: () => numbers().filter(isSeen).length,
    scanItems: (afterNumber, countMax) => {
      const all = numbers().filter((number) => number > afterNumber);
      const some = all.slice(0, countMax);
      return {
        items: some.filter(isSeen).map(itemOf),
        lastNumber: some.at(-1) ?? afterNumber,
        isLast: all.length <= countMax,
      };
    },
    scanTerms: (scan) => {
      const found = scanned(currentEntries(), scan);
      list.afterScan();
      return found;
    },
    load: (wanted) => wanted.filter(isSeen).map(itemOf),
    valueOf: ({ body }) => JSON.parse(body.toString()) as JsonObject,
    epkOf: ({ number }) => epkOfNumber(number),
  };
}

function scanned(
  entries: readonly SourceTerm[],
  { bounds, after: resume, isReverse, countMax }: SourceScan,
): { readonly entries: readonly SourceTerm[]; readonly isLast: boolean } {
  const after = (from: SourceTerm): number =>
    firstAt(entries, { ...from, number: from.number + 1 });
  let first = firstAt(entries, { term: bounds.min, number: 0 });
  let end = firstAt(entries, { term: bounds.max, number: 0 });
  if (resume !== undefined && !isReverse) first = Math.max(first, after(resume));
  if (resume !== undefined && isReverse) end = Math.min(end, firstAt(entries, resume));
  const isLast = end - first <= countMax;
  const found = isReverse
    ? entries.slice(isLast ? first : end - countMax, end).reverse()
    : entries.slice(first, isLast ? end : first + countMax);
  return { entries: end > first ? found : [], isLast };
}

function firstAt(entries: readonly SourceTerm[], { term, number }: SourceTerm): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle]!;
    const isBefore = entry.term === term ? entry.number < number : entry.term < term;
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

function computedOf(
  texts: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, ComputedExpression> {
  return new Map(
    Object.entries(texts).map(([name, text]) => {
      const query = parseQuery(`SELECT VALUE ${text} FROM c`);
      if (!query.ok || query.value.select.selection.kind !== "value") throw new Error(text);
      return [name, { alias: "c", expression: query.value.select.selection.expression }];
    }),
  );
}
