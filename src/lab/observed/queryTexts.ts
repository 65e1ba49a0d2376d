/**
 * Requests of queries and the texts of queries, which are logged apart. They are matched by the id
 * of their activity, whichever comes first, as far as a bounded number of them can wait.
 *
 * Texts are kept as they are. When there are too many, values have been written into them; from
 * then on texts that differ only in such values count as one.
 */
import type { Expression } from "../../query/language/ast.ts";
import { parseQuery } from "../../query/language/parser.ts";
import { printQuery } from "../../query/language/printer.ts";
import { mapExpression } from "../../query/language/visitor.ts";
import type { RequestRow, TextRow } from "./logRow.ts";
import { RequestTally } from "./requestTally.ts";
import { WaitingRoom } from "./waitingRoom.ts";

const WAITING_MAX = 50_000;
/** More texts than a program has queries. */
const TEXT_COUNT_PLAIN = 200;
const TEXT_COUNT_MAX = 2000;

interface KnownText {
  readonly sql: string;
  readonly at: number;
  isMatched: boolean;
}

export class QueryTexts {
  #byText = new Map<string, RequestTally>();
  /** Requests whose text was not logged. */
  readonly withoutText: RequestTally = new RequestTally();
  readonly #requests: WaitingRoom<readonly RequestRow[]>;
  readonly #texts: WaitingRoom<KnownText>;
  readonly #queryIds: WaitingRoom<true>;
  #isGeneral = false;

  constructor(waitingMax: number = WAITING_MAX) {
    this.#requests = new WaitingRoom(waitingMax);
    this.#texts = new WaitingRoom(waitingMax);
    this.#queryIds = new WaitingRoom(waitingMax);
  }

  addRequest(row: RequestRow): void {
    const { activityId } = row;
    const text = activityId === undefined ? undefined : this.#texts.get(activityId);
    if (text !== undefined) {
      text.isMatched = true;
      count(this.#tallyOf(text.sql), row);
    } else if (activityId === undefined) {
      count(this.withoutText, row);
    } else {
      const rows = [...(this.#requests.get(activityId) ?? []), row];
      this.#giveUp(this.#requests.set(activityId, rows));
    }
  }

  addText({ sql, at, activityId, queryId }: TextRow): void {
    if (queryId !== undefined && this.#queryIds.get(queryId) === undefined) {
      this.#tallyOf(sql).queryCount += 1;
      this.#queryIds.set(queryId, true);
    }
    if (activityId === undefined) {
      this.#tallyOf(sql).add(at, 1);
      return;
    }
    if (this.#texts.get(activityId) !== undefined) return;
    const requests = this.#requests.get(activityId) ?? [];
    this.#requests.delete(activityId);
    for (const request of requests) count(this.#tallyOf(sql), request);
    const text = { sql, at, isMatched: requests.length > 0 };
    this.#countUnmatched(this.#texts.set(activityId, text));
  }

  get isGeneral(): boolean {
    return this.#isGeneral;
  }

  /**
   * Returns all texts. Texts and requests that still wait for each other are counted with what is
   * known.
   */
  close(): ReadonlyMap<string, RequestTally> {
    this.#giveUp(this.#requests.clear());
    this.#countUnmatched(this.#texts.clear());
    return this.#byText;
  }

  #giveUp(waiting: Iterable<readonly RequestRow[]>): void {
    for (const requests of waiting) {
      for (const request of requests) count(this.withoutText, request);
    }
  }

  /** Counts a text without a request as one that was asked once. */
  #countUnmatched(texts: Iterable<KnownText>): void {
    for (const { sql, at, isMatched } of texts) {
      if (!isMatched) this.#tallyOf(sql).add(at, 1);
    }
  }

  #tallyOf(sql: string): RequestTally {
    const name = this.#isGeneral ? generalText(sql) : sql;
    const known = this.#byText.get(name);
    if (known !== undefined) return known;
    if (this.#byText.size >= TEXT_COUNT_MAX) return this.withoutText;
    if (!this.#isGeneral && this.#byText.size >= TEXT_COUNT_PLAIN) {
      this.#generalize();
      return this.#tallyOf(sql);
    }
    const tally = new RequestTally();
    this.#byText.set(name, tally);
    return tally;
  }

  #generalize(): void {
    this.#isGeneral = true;
    const former = this.#byText;
    this.#byText = new Map();
    for (const [sql, tally] of former) this.#tallyOf(sql).merge(tally);
  }
}

function count(tally: RequestTally, row: RequestRow): void {
  tally.add(row.at, row.count);
  tally.charge(row.charge, row.count);
}

/** Replaces the values in the filter by parameters; returns a text that is no query unchanged. */
function generalText(sql: string): string {
  const parsed = parseQuery(sql);
  if (!parsed.ok || parsed.value.where === undefined) return sql;
  let valueCount = 0;
  const where = mapExpression(parsed.value.where, (expression): Expression | undefined => {
    if (expression.kind !== "string" && expression.kind !== "number") return undefined;
    valueCount += 1;
    return { kind: "parameter", span: expression.span, name: `@value${valueCount}` };
  });
  return printQuery({ ...parsed.value, where });
}
