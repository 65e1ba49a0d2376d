/** The `operations` of a workload file. */

import { nearestName } from "../../base/nearestName.ts";
import { parseQuery } from "../../query/language/parser.ts";
import { jsonOf, type SourceNode } from "../../yaml/sourceTree.ts";
import { accessOf } from "./access.ts";
import { distributionOf } from "./distributionField.ts";
import { pathFrom, pathsFrom } from "./pathField.ts";
import { agoDaysIn } from "./quantities.ts";
import { parametersOf, sqlOfFilters, sqlProblem } from "./queryText.ts";
import {
  amountOf,
  COUNT,
  choiceOf,
  DAYS,
  elementsOf,
  FACTOR,
  Fields,
  hoursOf,
  membersOf,
  oneOrMore,
  RATE,
  type Reading,
  textOf,
} from "./reading.ts";
import type { Operation, OperationKind, ParameterShape } from "./workload.ts";

export const OPERATION_KINDS: readonly OperationKind[] = [
  "create",
  "upsert",
  "replace",
  "patch",
  "delete",
  "pointRead",
  "query",
];

/** The page size of the official clients when none is given. */
export const PAGE_SIZE = 100;

const WHOLE = { ...COUNT, what: "a whole number of at least 1", min: 1, isWhole: true };

export function operationsOf(node: SourceNode | undefined, reading: Reading): readonly Operation[] {
  const operations: Operation[] = [];
  const ids = new Map<string, SourceNode>();
  (elementsOf(node, reading) ?? []).forEach((element, at) => {
    const operation = operationOf(element, at, reading);
    if (operation === undefined) return;
    const { id } = operation;
    if (ids.has(id)) reading.problem(element, `There is another operation with the id '${id}'.`);
    ids.set(id, element);
    operations.push(operation);
  });
  return operations;
}

function operationOf(node: SourceNode, at: number, reading: Reading): Operation | undefined {
  const fields = new Fields(node, reading);
  const id = textOf(fields.take("id", "name"), reading);
  const kindNode = fields.take("kind");
  const kind = choiceOf(kindNode, OPERATION_KINDS, reading);
  const rateNode = fields.take("rate", "ratePerSecond", "ratePerSec");
  const ratePerSecond = amountOf(rateNode, RATE, reading);
  if (kindNode === undefined) {
    reading.problem(node, `It has no kind: ${OPERATION_KINDS.join(", ")}.`);
  }
  if (rateNode === undefined) {
    reading.problem(node, "It has no rate; say how often, as 12.5 (per second) or 300/min.");
  }
  const query = queryOf(fields, kind, reading);
  const operation = {
    id: id ?? `${kind ?? "operation"}-${at + 1}`,
    peakFactor: amountOf(fields.take("peakFactor"), FACTOR, reading),
    hours: hoursOf(fields.take("hours"), reading),
    ...query,
    resultItems: amountOf(fields.take("resultItems", "resultDocs"), COUNT, reading),
    pageSize: amountOf(fields.take("pageSize"), WHOLE, reading) ?? PAGE_SIZE,
    ru: amountOf(fields.take("ru"), { ...COUNT, what: "a charge in RU" }, reading),
    ruPartitions: amountOf(fields.take("ruPartitions"), WHOLE, reading),
    changes: pathsFrom(fields.take("changes"), reading) ?? [],
    transactionScope: pathsFrom(fields.take("transactionScope"), reading),
    ageDays: amountOf(fields.take("ageDays"), DAYS, reading),
  };
  fields.close();
  if (kind === undefined || ratePerSecond === undefined) return undefined;
  return { ...operation, kind, ratePerSecond };
}

/** Reads the members that only queries have, and the paths that the caller knows besides. */
function queryOf(
  fields: Fields,
  kind: OperationKind | undefined,
  reading: Reading,
): Pick<Operation, "sql" | "parameters" | "knows"> {
  const sqlNode = fields.take("sql", "query");
  const written = textOf(sqlNode, reading);
  const parametersNode = fields.take("parameters", "params");
  const parameters = parametersFrom(parametersNode, reading);
  const equalNode = fields.take("equalityFilters");
  const rangeNode = fields.take("rangeFilters");
  const equal = pathsFrom(equalNode, reading);
  const ranged = pathsFrom(rangeNode, reading);
  const knows = pathsFrom(fields.take("knows"), reading);
  if (kind !== "query") {
    const stray = sqlNode ?? parametersNode ?? rangeNode;
    if (stray !== undefined && kind !== undefined) {
      reading.problem(stray, `Only a query has this; '${kind}' is about one item.`);
    }
    return { sql: undefined, parameters, knows: joined(knows, equal) };
  }
  if (sqlNode === undefined && equal === undefined && ranged === undefined) {
    reading.problem(fields.node, "A query needs its text: sql: SELECT … FROM c WHERE …");
    return { sql: undefined, parameters, knows };
  }
  const sql = sqlNode === undefined ? sqlOfFilters(equal ?? [], ranged ?? []) : (written ?? "");
  if (sqlNode !== undefined) checkQuery(sql, { sqlNode, parametersNode, reading });
  const { equal: bound } = accessOf({ sql, parameters });
  // The caller may know a path that the text does not compare, and give it as the partition key.
  const besides = equal?.filter((path) => !bound.has(path));
  return { sql, parameters, knows: joined(knows, besides) };
}

function joined(
  knows: readonly string[] | undefined,
  filters: readonly string[] | undefined,
): readonly string[] | undefined {
  if (knows === undefined && (filters === undefined || filters.length === 0)) return undefined;
  return [...new Set([...(knows ?? []), ...(filters ?? [])])];
}

function checkQuery(
  sql: string,
  {
    sqlNode,
    parametersNode,
    reading,
  }: {
    readonly sqlNode: SourceNode;
    readonly parametersNode: SourceNode | undefined;
    readonly reading: Reading;
  },
): void {
  const problem = sqlProblem(sql);
  if (problem !== undefined) {
    reading.problem(sqlNode, problem);
    return;
  }
  const parsed = parseQuery(sql);
  const used: ReadonlySet<string> = parsed.ok ? parametersOf(parsed.value) : new Set();
  for (const [written, member] of membersOf(parametersNode, reading) ?? []) {
    const name = parameterName(written);
    if (used.has(name)) continue;
    const meant = nearestName(name, used);
    const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
    reading.problem(member, `The query has no parameter ${name}.${hint}`);
  }
}

function parameterName(written: string): string {
  return written.startsWith("@") ? written : `@${written}`;
}

function parametersFrom(
  node: SourceNode | undefined,
  reading: Reading,
): ReadonlyMap<string, ParameterShape> {
  const parameters = new Map<string, ParameterShape>();
  for (const [written, member] of membersOf(node, reading) ?? []) {
    const name = parameterName(written);
    if (parameters.has(name)) reading.problem(member, `${name} is described twice.`);
    parameters.set(name, parameterOf(member, reading));
  }
  return parameters;
}

const UNKNOWN: ParameterShape = {
  like: undefined,
  distribution: undefined,
  agoDays: undefined,
  values: undefined,
};

function parameterOf(node: SourceNode, reading: Reading): ParameterShape {
  const { content } = node;
  if (content.kind === "list") return { ...UNKNOWN, values: content.elements.map(jsonOf) };
  if (content.kind === "scalar") {
    const agoDays = typeof content.value === "string" ? agoDaysIn(content.value) : undefined;
    return agoDays === undefined
      ? { ...UNKNOWN, values: [content.value] }
      : { ...UNKNOWN, agoDays };
  }
  const fields = new Fields(node, reading);
  const shape = {
    like: pathFrom(fields.take("like"), reading),
    distribution: distributionOf(fields.take("distribution"), reading),
    agoDays: amountOf(fields.take("agoDays"), DAYS, reading),
    values: oneOrMore(fields.take("values", "value"))?.map(jsonOf),
  };
  fields.close();
  return shape;
}
