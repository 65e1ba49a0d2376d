/**
 * What a proof would have to make up: paths that keys are made of, or that operations ask by, and
 * of which neither the data nor the workload says what values they have. Items made without them
 * would show something, but not what was asked.
 */
import { pathsOf, pathText } from "../../keys/paths.ts";
import type { Candidate } from "../candidate/candidate.ts";
import type { DataFacts } from "../data/facts.ts";
import { accessOf } from "../workload/access.ts";
import type { Operation, Workload } from "../workload/workload.ts";

/** Sentences; none: all is described. */
export function undescribed(
  workload: Workload,
  facts: DataFacts,
  candidates: readonly Candidate[],
): readonly string[] {
  const isDescribed = (path: string): boolean =>
    path === "/id" || workload.properties.has(path) || facts.properties.has(path);
  const missing = (paths: readonly string[]): readonly string[] =>
    [...new Set(paths)].filter((path) => !isDescribed(path));
  const ofKeys = candidates.flatMap(({ id, levels }) =>
    missing(levels.flatMap(pathsOf).map(pathText)).map((path) => `${id} is made of ${path}.`),
  );
  const ofOperations = workload.operations
    .filter(({ ratePerSecond }) => ratePerSecond > 0)
    .flatMap((operation) =>
      missing(askedPaths(operation)).map((path) => `'${operation.id}' asks by ${path}.`),
    );
  return [...ofKeys, ...ofOperations];
}

function askedPaths(operation: Operation): readonly string[] {
  const { equal, ranges } = accessOf(operation);
  return [...equal.keys(), ...ranges.map(({ path }) => path), ...(operation.knows ?? [])];
}
