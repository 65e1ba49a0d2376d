/**
 * Which keys are worth a look: found from the data and the operations, not asked for.
 *
 * Every path that can be a key by itself; hierarchies and concatenations of what is asked for
 * together; periods of the time at which items are written, alone and with what is asked for, as
 * one text or as the last level of a hierarchy; and numbered variants of what would be too large or
 * too hot. Periods and numbers are solved for: the coarsest period and the fewest numbers that stay
 * within the limits (`sizing.ts`).
 */
import type { KeyExpression, PathPart, TimeGrain } from "../../keys/expression.ts";
import { printKeyLevels } from "../../keys/expressionText.ts";
import type { DataFacts } from "../data/facts.ts";
import { stepsOfPath } from "../profile/pathSteps.ts";
import type { OperationModel } from "../simulate/operationModel.ts";
import type { Workload } from "../workload/workload.ts";
import type { Candidate } from "./candidate.ts";
import { type Interest, interestOf } from "./interest.ts";
import { Sizing, type SizingInput } from "./sizing.ts";

interface EnumerateInput extends SizingInput {
  readonly workload: Workload;
  readonly facts: DataFacts;
  readonly models: readonly OperationModel[];
}

/** Of each kind, the most promising first. */
const PATHS_MAX = 10;
const ASKED_MAX = 5;
const HIERARCHIES_MAX = 8;
const CONCATENATIONS_MAX = 5;
const PERIODS_MAX = 7;
const PERIOD_HIERARCHIES_MAX = 3;
const SUFFIXES_MAX = 4;

export function enumerate(input: EnumerateInput): readonly Candidate[] {
  const interest = interestOf(input);
  const sizing = new Sizing(input);
  const found = [
    ...paths(interest),
    ...hierarchies(interest),
    ...concatenations(interest),
    ...periods(interest, sizing),
    ...suffixes(interest, sizing),
  ];
  const byText = new Map<string, Candidate>();
  for (const { levels, origin } of found) {
    const id = printKeyLevels(levels);
    if (!byText.has(id)) byText.set(id, { id, levels, origin, stated: undefined });
  }
  return [...byText.values()];
}

type Found = Pick<Candidate, "levels" | "origin">;

function paths({ suitable, id, time }: Interest): readonly Found[] {
  const alone = suitable.filter((path) => path !== id).slice(0, PATHS_MAX);
  return [...alone, id, ...(time === undefined ? [] : [time])].map((path) => ({
    levels: [pathPart(path)],
    origin: "path",
  }));
}

/** What is asked for most comes first: a prefix finds what its first levels name. */
function hierarchies({ asked, together, within, id }: Interest): readonly Found[] {
  const pairs: string[][] = together.filter((group) => group.length >= 2);
  for (const first of asked.slice(0, ASKED_MAX)) {
    for (const second of within(first)) pairs.push([first, second]);
    if (first !== id) pairs.push([first, id]);
  }
  const triples = pairs
    .filter((pair) => pair.length === 2 && !pair.includes(id))
    .slice(0, 2)
    .map((pair) => [...pair, id]);
  return withoutRepeats([...pairs.slice(0, HIERARCHIES_MAX - 2), ...triples])
    .filter((levels) => levels.length <= 3)
    .map((levels) => ({ levels: levels.map(pathPart), origin: "hierarchy" }));
}

function concatenations({ together, asked, within }: Interest): readonly Found[] {
  const groups = together.filter((group) => group.length >= 2);
  for (const first of asked.slice(0, 2)) {
    for (const second of within(first).slice(0, 1)) groups.push([first, second]);
  }
  return withoutRepeats(groups)
    .slice(0, CONCATENATIONS_MAX)
    .map((group) => ({
      levels: [joined(group.map(pathPart))],
      origin: "concatenation",
    }));
}

/** The time by itself, and after what is asked for, as coarse as the limits allow. */
function periods({ asked, together, time, id }: Interest, sizing: Sizing): readonly Found[] {
  if (time === undefined) return [];
  const groups = withoutRepeats([
    ...asked
      .filter((path) => path !== id)
      .slice(0, ASKED_MAX)
      .map((path) => [path]),
    ...together.filter((group) => group.length === 2 && !group.includes(id)),
  ]).slice(0, PERIODS_MAX - 1);
  const alone = sizing.grainFor([]);
  const found: Found[] = [{ levels: [periodPart(time, alone ?? "month")], origin: "period" }];
  const dated = groups.flatMap((group) => {
    const grain = sizing.grainFor(group);
    return grain === undefined ? [] : [[...group.map(pathPart), periodPart(time, grain)]];
  });
  for (const parts of dated) found.push({ levels: [joined(parts)], origin: "period" });
  // The same keys, below a prefix that finds all periods of a value at once.
  for (const levels of dated.slice(0, PERIOD_HIERARCHIES_MAX)) {
    found.push({ levels, origin: "period" });
  }
  return found;
}

/** Numbered by a hash, so that an item can still be read by its own values. */
function suffixes({ asked, time, id }: Interest, sizing: Sizing): readonly Found[] {
  const bases: {
    readonly part: KeyExpression;
    readonly paths: readonly string[];
    readonly grain?: TimeGrain;
  }[] = asked
    .filter((path) => path !== id)
    .slice(0, ASKED_MAX)
    .map((path) => ({ part: pathPart(path), paths: [path] }));
  if (time !== undefined) {
    for (const grain of ["day", "month"] as const) {
      bases.push({ part: periodPart(time, grain), paths: [], grain });
    }
  }
  const found: Found[] = [];
  for (const { part, paths: basePaths, grain } of bases) {
    const count = sizing.suffixFor(basePaths, grain);
    if (count === undefined || count <= 1) continue;
    const by = { hashOf: pathPart(id) };
    found.push({ levels: [{ kind: "suffix", base: part, by, count }], origin: "suffix" });
  }
  return found.slice(0, SUFFIXES_MAX);
}

function pathPart(path: string): PathPart {
  return { kind: "path", steps: stepsOfPath(path) };
}

function periodPart(path: string, grain: TimeGrain): KeyExpression {
  return { kind: "period", grain, of: pathPart(path) };
}

function joined(parts: readonly KeyExpression[]): KeyExpression {
  const separated = parts.flatMap((part, at): KeyExpression[] =>
    at === 0 ? [part] : [{ kind: "text", text: "-" }, part],
  );
  return { kind: "concat", parts: separated };
}

function withoutRepeats(groups: readonly (readonly string[])[]): string[][] {
  const byName = new Map(groups.map((group) => [group.join("\n"), [...group]]));
  return [...byName.values()].filter((group) => new Set(group).size === group.length);
}
