/**
 * Composite indexes that would make queries cheaper under the best key: each is tried by simulating
 * the same workload once more with the index in its policy, so reads that save and writes that pay
 * for it are priced by the one price list.
 */
import { DEFAULT_INDEXING_POLICY, type IndexingPolicy } from "../../../index/policy.ts";
import type { CompositeIndex } from "../../../index/policyIndexes.ts";
import { SERVICE_LIMITS } from "../../../model/limits.ts";
import type { OperationOutcome, Simulation } from "../../simulate/simulation.ts";
import { numberText, percentText } from "../../wording/plain.ts";
import { accessOf } from "../../workload/access.ts";
import { stepsOf } from "../../workload/pathField.ts";
import type { Operation, Workload } from "../../workload/workload.ts";
import type { Alternative } from "../advice.ts";
import type { Simulate } from "../sensitivity.ts";

/** What saves less of all is not worth an index. */
const SAVING_MIN = 0.01;

interface IndexIdea {
  readonly operation: Operation;
  readonly paths: readonly { readonly path: string; readonly isDescending: boolean }[];
  readonly orderBy: string;
  /** With the order that the index has. */
  readonly sql: string;
}

export function indexAlternatives(
  best: Simulation | undefined,
  workload: Workload,
  simulate: Simulate,
): readonly Alternative[] {
  if (best === undefined) return [];
  return workload.operations.flatMap((operation): readonly Alternative[] => {
    const idea = ideaFor(operation);
    if (idea === undefined) return [];
    const [other] = simulate(withIndex(workload, idea), [best.candidate]);
    const sentence = other && sentenceOf(best, other, idea);
    return sentence === undefined ? [] : [{ kind: "index", sentence, index: compositeOf(idea) }];
  });
}

/** Where a filter binds paths to values, and rows are wanted in the order of another. */
function ideaFor(operation: Operation): IndexIdea | undefined {
  const { sql, ru } = operation;
  // What a measured price is made of, nobody knows.
  if (sql === undefined || ru !== undefined) return undefined;
  const { equal, order } = accessOf(operation);
  const found = /\border\s+by\s+([A-Za-z_]\w*)(?=[.[])/gi;
  const clauses = [...sql.matchAll(found)];
  if (order === undefined || clauses.length !== 1) return undefined;
  const bound = [...equal].filter(([path, { count }]) => count === 1 && path !== order.path);
  const names = bound.map(([path]) => path);
  if (names.length === 0 || names.length >= SERVICE_LIMITS.compositePathsMax) return undefined;
  const [clause] = clauses;
  const alias = clause![1]!;
  const texts = names.map((path) => expressionOf(alias, path));
  const at = clause!.index + clause![0].length - alias.length;
  const orderBy = [
    ...texts,
    `${expressionOf(alias, order.path)}${order.isDescending ? " DESC" : ""}`,
  ];
  return {
    operation,
    paths: [
      ...names.map((path) => ({ path, isDescending: false })),
      { path: order.path, isDescending: order.isDescending },
    ],
    orderBy: orderBy.join(", "),
    sql: `${sql.slice(0, at)}${texts.join(", ")}, ${sql.slice(at)}`,
  };
}

function expressionOf(alias: string, path: string): string {
  const steps = stepsOf(path) ?? [];
  const isPlain = (step: string): boolean => /^[A-Za-z_]\w*$/.test(step);
  return steps.reduce(
    (text, step) => (isPlain(step) ? `${text}.${step}` : `${text}[${JSON.stringify(step)}]`),
    alias,
  );
}

function compositeOf({ paths }: IndexIdea): CompositeIndex {
  return paths.map(({ path, isDescending }) => ({
    path,
    order: isDescending ? "descending" : "ascending",
  }));
}

function withIndex(workload: Workload, idea: IndexIdea): Workload {
  const { operation, sql } = idea;
  const policy = workload.indexing ?? DEFAULT_INDEXING_POLICY;
  const indexing: IndexingPolicy = {
    ...policy,
    compositeIndexes: [...(policy.compositeIndexes ?? []), compositeOf(idea)],
  };
  return {
    ...workload,
    indexing,
    operations: workload.operations.map((each) => (each === operation ? { ...each, sql } : each)),
  };
}

function sentenceOf(
  best: Simulation,
  other: Simulation,
  { operation, paths, orderBy }: IndexIdea,
): string | undefined {
  const [before, after] = [totalOf(best.operations), totalOf(other.operations)];
  const saved = before === 0 ? 0 : (before - after) / before;
  if (saved < SAVING_MIN) return undefined;
  const index = paths.map(({ path, isDescending }) => `${path} ${isDescending ? "DESC" : "ASC"}`);
  const [was, is] = [ruOf(best, operation), ruOf(other, operation)];
  return (
    `With a composite index on (${index.join(", ")}), and ORDER BY ${orderBy}, '${operation.id}' ` +
    `would cost ${ruText(is)} RU instead of ${ruText(was)} under ${best.candidate.id}; all ` +
    `operations, with what writes pay for the index, ${percentText(saved)} less.`
  );
}

/** RU/s at the mean. */
function totalOf(operations: readonly OperationOutcome[]): number {
  return operations.reduce((sum, { ratePerSecond, ruEach }) => sum + ratePerSecond * ruEach, 0);
}

function ruOf({ operations }: Simulation, { id }: Operation): number {
  return operations.find((each) => each.id === id)?.ruEach ?? 0;
}

function ruText(ru: number): string {
  return ru >= 100 ? numberText(ru) : String(Number(ru.toPrecision(3)));
}
