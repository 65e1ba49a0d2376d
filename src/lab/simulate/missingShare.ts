/** How many items have nothing, or null, in their key. */
import { keyOf } from "../../keys/component.ts";
import { itemOf } from "../candidate/itemOf.ts";
import type { KeyShape } from "../candidate/keyShape.ts";
import type { Population } from "../data/facts.ts";
import { isMissingKey } from "./keyLabel.ts";

/** Share of the items whose key has nothing, or null, at some level. */
export function missingShareOf(
  shape: KeyShape,
  { paths, rows }: Population,
  millis: number,
): number {
  const draw = { random: () => 0, turn: () => 0 };
  return rows
    .filter(({ values }) => values.some((value) => value === undefined || value === null))
    .filter(({ values }) =>
      isMissingKey({
        key: keyOf(shape.candidate.levels, itemOf(shape, paths, values, millis), draw),
      }),
    )
    .reduce((total, { itemShare }) => total + itemShare, 0);
}
