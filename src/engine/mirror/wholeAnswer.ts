/**
 * Asks a query of one side and follows it to its end, within bounds on rows, bytes, RU and time.
 * The side pays from what its callers left over; no request is counted and nobody is admitted.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { parseJson } from "../../json/parse.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { ItemScope } from "../../model/request/itemScope.ts";
import { printQuery } from "../../query/language/printer.ts";
import type { Container } from "../partition/container.ts";
import type { QueryAnswer, QueryCommand } from "../query/queryItems.ts";
import type { ParsedQuestion } from "./oldKeyCondition.ts";
import type { MirroredSide, PairSetting, SideResult } from "./pairedRead.ts";

/** Asks for one page, as no request of a client; whoever calls it pays. */
export type AskPage = (
  container: Container,
  command: QueryCommand,
) => Promise<Result<QueryAnswer, Refusal>>;

/** What one side came to. */
export interface SideAnswer {
  readonly rows: readonly JsonValue[];
  readonly ru: number;
  readonly ms: number;
  readonly partitionCount: number;
}

export interface SideQuestion extends ParsedQuestion {
  readonly scope: ItemScope;
  readonly consistency: Consistency | undefined;
}

const PAGE_ROWS = 1_000;
const ROWS_MAX = 10_000;
const BYTES_MAX = 8 * 1024 * 1024;
const RU_MAX = 5_000;

export async function wholeAnswer(
  { ask, clock, isOver }: PairSetting,
  { container, allowance }: MirroredSide,
  { query, text, parameters, scope, consistency }: SideQuestion,
): Promise<SideResult> {
  const command = {
    text: text ?? printQuery(query),
    parameters,
    parameterNames: new Set(parameters.keys()),
    scope,
    isFanOutAllowed: true,
    countMax: PAGE_ROWS,
    consistency,
    isGone: isOver,
  };
  const rows: JsonValue[] = [];
  const visited = new Set<string>();
  let [bytes, ru, continuation] = [0, 0, undefined as string | undefined];
  const beganAt = clock.now();
  do {
    const page = await ask(container, { ...command, continuation });
    if (isOver()) return no({ kind: "failed", reason: "takes too long to compare" });
    if (!page.ok) return no({ kind: "refused", reason: wordsOf(page.error) });
    const { charge, charges, partitions } = page.value;
    for (const [{ spending }, share] of charges) spending.settleLeftOver(share);
    for (const { entry } of partitions) visited.add(entry.id);
    allowance.spend(charge);
    ru += charge;
    for (const row of page.value.rows) {
      bytes += row.length;
      rows.push(parseJson(row.toString()));
    }
    if (rows.length > ROWS_MAX || bytes > BYTES_MAX || ru > RU_MAX) {
      return no({ kind: "failed", reason: "too large to compare" });
    }
    ({ continuation } = page.value);
  } while (continuation !== undefined);
  return ok({ rows, ru, ms: clock.now() - beganAt, partitionCount: visited.size });
}

function wordsOf(refusal: Refusal): string {
  if (refusal.kind === "badQuery") {
    return refusal.diagnostics.map(({ message }) => message).join(" ");
  }
  return "message" in refusal ? refusal.message : refusal.kind;
}
