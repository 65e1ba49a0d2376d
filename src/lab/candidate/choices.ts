/**
 * The ways that the choices of a key go, and who goes which: keys of one way are made of the same
 * expressions, so that they begin anew together and the same is asked of them.
 */
import type { KeyExpression } from "../../keys/expression.ts";
import { visitParts } from "../../keys/paths.ts";
import type { Population, PopulationRow, TimeResolution } from "../data/facts.ts";
import { valuesIn, wayOf } from "./chosenRows.ts";
import { grainOf, type KeyShape } from "./keyShape.ts";

/** For each `choose` of a key, the expression that is taken. */
export type Choices = ReadonlyMap<KeyExpression, KeyExpression>;

interface WayRows {
  readonly choices: Choices;
  readonly grain: TimeResolution | undefined;
  readonly rows: readonly PopulationRow[];
}

export function rowsByWay(shape: KeyShape, { paths, rows }: Population): readonly WayRows[] {
  if (!shape.hasChoice) {
    return [{ choices: new Map(), grain: grainOf(shape, () => undefined), rows }];
  }
  const byName = new Map<string, WayRows & { readonly rows: PopulationRow[] }>();
  for (const row of rows) {
    const choices = choicesOf(shape, valuesIn(paths, row));
    const grain = grainOf(shape, (path) => row.values[paths.indexOf(path)]);
    const ways = [...choices].map(
      ([part, taken]) => part.kind === "choose" && part.chosen === taken,
    );
    const name = JSON.stringify([grain, ways]);
    const known = byName.get(name);
    if (known === undefined) byName.set(name, { choices, grain, rows: [row] });
    else known.rows.push(row);
  }
  return [...byName.values()];
}

/** For who has these values. */
function choicesOf(
  { candidate }: Pick<KeyShape, "candidate">,
  valueAt: (path: string) => unknown,
): Choices {
  const choices = new Map<KeyExpression, KeyExpression>();
  for (const level of candidate.levels) {
    visitParts(level, (part) => {
      if (part.kind === "choose") choices.set(part, wayOf(part, valueAt));
    });
  }
  return choices;
}
