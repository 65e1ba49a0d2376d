/** Which paths matter: what operations ask for, what belongs together, what can be a key. */
import type { DataFacts, PropertyFacts } from "../data/facts.ts";
import type { OperationModel } from "../simulate/operationModel.ts";

export interface Interest {
  /** Can be a key by itself, the most asked for first, then the most different. */
  readonly suitable: readonly string[];
  /** Named by filters, by rate. */
  readonly asked: readonly string[];
  /** Named together by one operation, coarsest first, the most frequent groups first. */
  readonly together: readonly string[][];
  /** Finer paths that divide the items of a path further. */
  within(path: string): readonly string[];
  readonly id: string;
  /** When items are written. */
  readonly time: string | undefined;
}

const ID = "/id";
/** A key that so many items lack is none. */
const MISSING_MAX = 0.5;
const BYTES_MAX = 2048;
/** Texts that nobody asks for and that are mostly different are content, not keys. */
const CONTENT_BYTES = 100;

export function interestOf({
  facts,
  models,
}: {
  readonly facts: DataFacts;
  readonly models: readonly OperationModel[];
}): Interest {
  const rates = ratesOf(models);
  const properties = [...facts.properties.values()];
  const usable = properties.filter((each) => isUsable(each, rates.get(each.path) ?? 0));
  const distinctOf = (path: string): number => facts.properties.get(path)?.distinct.value ?? 1;
  const suitable = usable
    .filter(({ time }) => time === undefined)
    .map(({ path }) => path)
    .sort((a, b) => (rates.get(b) ?? 0) - (rates.get(a) ?? 0) || distinctOf(b) - distinctOf(a));
  const asked = suitable.filter((path) => rates.has(path));
  return {
    suitable,
    asked: asked.length > 0 ? asked : suitable.filter((path) => path !== ID).slice(0, 2),
    together: groupsOf(models, suitable, distinctOf),
    within: (path) => finerThan(path, suitable, asked, distinctOf),
    id: ID,
    time: timeOf(facts, models),
  };
}

/** How often a path is named by filters and known by callers. */
function ratesOf(models: readonly OperationModel[]): ReadonlyMap<string, number> {
  const rates = new Map<string, number>();
  for (const { access, operation } of models) {
    const named = new Set([
      ...access.equal.keys(),
      ...(operation.knows ?? []),
      ...(operation.transactionScope ?? []),
    ]);
    for (const path of named) {
      rates.set(path, (rates.get(path) ?? 0) + operation.ratePerSecond);
    }
  }
  return rates;
}

function isUsable(
  { isScalar, isNumber, missingShare, bytesMax, path }: PropertyFacts,
  rate: number,
): boolean {
  if (!isScalar || path === "/_ts") return false;
  if (rate > 0) return true;
  if (isNumber) return false;
  return missingShare <= MISSING_MAX && bytesMax <= Math.min(BYTES_MAX, CONTENT_BYTES);
}

const GROUP_MAX = 3;

function groupsOf(
  models: readonly OperationModel[],
  suitable: readonly string[],
  distinctOf: (path: string) => number,
): readonly string[][] {
  const rates = new Map<string, { paths: string[]; rate: number }>();
  for (const { access, operation } of models) {
    const named = [...access.equal.keys()].filter((path) => suitable.includes(path));
    const scope = operation.transactionScope?.filter((path) => suitable.includes(path)) ?? [];
    for (const group of [named, scope]) {
      const paths = [...new Set(group)]
        .sort((a, b) => distinctOf(a) - distinctOf(b))
        .slice(0, GROUP_MAX);
      if (paths.length < 2) continue;
      const name = paths.join("\n");
      const known = rates.get(name);
      if (known === undefined) rates.set(name, { paths, rate: operation.ratePerSecond });
      else known.rate += operation.ratePerSecond;
    }
  }
  return [...rates.values()].sort((a, b) => b.rate - a.rate).map(({ paths }) => paths);
}

const ID_LIKE = 0.3;

/** Those that are asked for come first; two are enough. */
function finerThan(
  path: string,
  suitable: readonly string[],
  asked: readonly string[],
  distinctOf: (path: string) => number,
): readonly string[] {
  const finer = suitable.filter(
    (other) =>
      other !== path &&
      other !== ID &&
      distinctOf(other) > 4 * distinctOf(path) &&
      // What nearly every item has its own of divides no better than the id.
      (asked.includes(other) || distinctOf(other) < ID_LIKE * distinctOf(ID)),
  );
  const isAsked = (other: string): number => (asked.includes(other) ? 1 : 0);
  return finer.sort((a, b) => isAsked(b) - isAsked(a)).slice(0, 2);
}

/** Of all times the one that ranges and orders use; else the most precise. */
function timeOf(facts: DataFacts, models: readonly OperationModel[]): string | undefined {
  const times = [...facts.properties.values()].filter(({ time }) => time !== undefined);
  if (times.length === 0) return undefined;
  const score = ({ path, time }: PropertyFacts): number => {
    const isUsed = models.some(
      ({ access }) =>
        access.order?.path === path || access.ranges.some((range) => range.path === path),
    );
    return (isUsed ? 2 : 0) + (time === "second" ? 1 : 0);
  };
  return times.reduce((best, each) => (score(each) > score(best) ? each : best)).path;
}
