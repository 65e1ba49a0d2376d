/**
 * Queries: which shape a request belongs to, and which requests belong to one query.
 *
 * A client that asks each range itself sends one request for each range and page, all with the same
 * query id, and often with a text that the server made for it (the plan). Together these are one
 * operation of the text that the application wrote. A page that continues from a continuation is no
 * operation of its own. The latest 4,096 queries are remembered as under way.
 */
import { DAY_MS } from "../base/units.ts";
import type { JsonValue } from "../json/value.ts";
import type { Answered, ObservedQueryPage } from "./observation.ts";
import type { OperationTable, Shape } from "./operationTable.ts";
import type { OperationTally, ParameterValues } from "./operationTally.ts";
import { PARAMETER_COUNT_MAX } from "./operationTally.ts";
import type { ParameterUse, ShapeSetting } from "./queryShape.ts";
import { queryShapeOf } from "./queryShape.ts";
import type { SaltedHash } from "./saltedHash.ts";
import { timeIn } from "./timeValue.ts";
import { secretText, valueText } from "./valueText.ts";

const OPEN_COUNT_MAX = 4_096;
const QUERY_ID_LENGTH_MAX = 64;
const KEPT_COUNT_MAX = 512;
const TEXT_LENGTH_MAX = 4_096;
/** Number of elements that are counted of a list in one parameter. */
const ELEMENT_COUNT_MAX = 64;

/** The place in a text made for a client at which the client inserts a filter of its own. */
const FILTER_PLACE = "{documentdb-formattableorderbyquery-filter}";

interface OpenQuery {
  readonly tally: OperationTally;
  ru: number;
  rows: number;
}

/** What is kept of a text; of literals only digests. */
interface KeptText {
  readonly text: string;
  readonly uses: ReadonlyMap<string, ParameterUse>;
  readonly literals: readonly (readonly [name: string, digest: string])[];
}

interface QueryLogSetting extends ShapeSetting {
  readonly table: OperationTable;
  readonly hash: SaltedHash;
}

interface PageFacts {
  readonly isOperation: boolean;
  /** The texts of a full partition key. */
  readonly texts: readonly string[] | undefined;
  readonly now: number;
}

export class QueryLog {
  readonly #setting: QueryLogSetting;
  readonly #open = new Map<string, OpenQuery>();
  readonly #openIds: string[] = [];
  #openAt = 0;
  /** By hash of the text as it came, because the text itself may hold secrets. */
  readonly #kept = new Map<number, KeptText>();

  constructor(setting: QueryLogSetting) {
    this.#setting = setting;
  }

  /** Makes requests with the rewritten text count as queries of `text`. */
  expect(text: string, rewritten: string): void {
    const kept = this.#prepare(text);
    const sent = rewritten.replaceAll(FILTER_PLACE, "true");
    if (kept !== undefined && sent !== "") this.#keep(this.#setting.hash.numberOf(sent), kept);
  }

  /** Records a page; returns true if it begins a query. */
  add(page: ObservedQueryPage & Answered, facts: PageFacts): boolean {
    const id = page.queryId !== undefined && page.queryId.length <= QUERY_ID_LENGTH_MAX;
    const open = id ? this.#open.get(page.queryId) : undefined;
    if (open !== undefined) {
      open.tally.addStatus(page.status);
      if (facts.isOperation) grow(open, page);
      return false;
    }
    const { shape, kept } = this.#shapeOf(page.text, facts.isOperation);
    shape?.tally.addStatus(page.status);
    if (!facts.isOperation) return false;
    if (shape === undefined) this.#setting.table.addOther(page.ru, !page.isContinued);
    else if (page.isContinued) shape.tally.extendQuery(page.ru, page.rows);
    else {
      this.#begin(page, shape, kept, facts);
      if (id) this.#remember(page.queryId, { tally: shape.tally, ru: page.ru, rows: page.rows });
    }
    return !page.isContinued;
  }

  #begin(
    page: ObservedQueryPage & Answered,
    shape: Shape,
    kept: KeptText | undefined,
    facts: PageFacts,
  ): void {
    const { tally, uses } = shape;
    tally.add(page.ru, facts.now);
    tally.addRows(page.rows, page.pageSize);
    if (facts.texts !== undefined) tally.addKey(facts.texts);
    for (const [name, value] of page.parameters) {
      const use = uses.get(name) ?? this.#unknownUse();
      tally.addParameter(name, use, this.#valuesOf(value, use, facts.now));
    }
    for (const [name, digest] of kept?.literals ?? []) {
      const use = uses.get(name) ?? this.#unknownUse();
      tally.addParameter(name, use, { texts: [digest], agoDays: [] });
    }
  }

  #valuesOf(value: JsonValue, use: ParameterUse, now: number): ParameterValues {
    const { hash } = this.#setting;
    const isList =
      Array.isArray(value) && use.compared.some(({ comparison }) => comparison === "in");
    const values = isList ? (value as readonly JsonValue[]).slice(0, ELEMENT_COUNT_MAX) : [value];
    if (use.isSecret) return { texts: values.map((each) => secretText(each, hash)), agoDays: [] };
    const instants = values.flatMap((each) => timeIn(each, now) ?? []);
    return {
      texts: values.map((each) => valueText(each, hash)),
      agoDays: instants.map(({ at }) => Math.max(0, now - at) / DAY_MS),
    };
  }

  /** The use of a parameter that is not compared with anything, as after TOP. */
  #unknownUse(): ParameterUse {
    return { isSecret: !this.#setting.secrets.isNone, compared: [] };
  }

  #shapeOf(
    text: string,
    isOperation: boolean,
  ): { readonly shape: Shape | undefined; readonly kept: KeptText | undefined } {
    const { table, hash, secrets } = this.#setting;
    const textHash = hash.numberOf(text);
    let kept = this.#kept.get(textHash);
    if (kept === undefined && !secrets.isNone) {
      kept = this.#prepare(text);
      if (kept !== undefined) this.#keep(textHash, kept);
      else return { shape: undefined, kept };
    }
    const shown = kept?.text ?? text;
    const known = table.find("query", shown);
    if (known !== undefined || !isOperation) return { shape: known, kept };
    if (shown.length > TEXT_LENGTH_MAX || !table.admits("query", shown)) {
      return { shape: undefined, kept };
    }
    kept ??= this.#prepare(text);
    return { shape: kept && table.open("query", kept.text, kept.uses), kept };
  }

  #prepare(text: string): KeptText | undefined {
    if (text.length > TEXT_LENGTH_MAX) return undefined;
    const shape = queryShapeOf(text, this.#setting);
    if (shape === undefined) return undefined;
    const { hash } = this.#setting;
    const literals = [...shape.literals].slice(0, PARAMETER_COUNT_MAX);
    return {
      text: shape.text,
      uses: new Map([...shape.parameters].slice(0, PARAMETER_COUNT_MAX)),
      literals: literals.map(([name, value]) => [name, secretText(value, hash)] as const),
    };
  }

  /** Keeps a text. When there is no room all are dropped; those in use are soon kept again. */
  #keep(hash: number, kept: KeptText): void {
    if (this.#kept.size === KEPT_COUNT_MAX) this.#kept.clear();
    this.#kept.set(hash, kept);
  }

  /**
   * Remembers a query by its id, with a ring of ids: asking a map for its oldest entry each time is
   * slow.
   */
  #remember(id: string, query: OpenQuery): void {
    const former = this.#openIds[this.#openAt];
    if (former !== undefined) this.#open.delete(former);
    this.#openIds[this.#openAt] = id;
    this.#openAt = (this.#openAt + 1) % OPEN_COUNT_MAX;
    this.#open.set(id, query);
  }
}

function grow(open: OpenQuery, { ru, rows }: ObservedQueryPage & Answered): void {
  open.tally.growQuery(open, ru, rows);
  open.ru += ru;
  open.rows += rows;
}
