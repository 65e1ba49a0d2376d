/** What came of a seed: how much was made, how much was there, and what is there but differs. */
import { counted } from "../../base/wording.ts";

export interface InitCounts {
  databases: number;
  containers: number;
  scripts: number;
  items: number;
}

export interface InitReport {
  /** The files it came from. */
  readonly from: readonly string[];
  readonly made: Readonly<InitCounts>;
  /** What was there already, and was left as it was. */
  readonly found: Readonly<InitCounts>;
  /** Items among those that were found which are not what the seed says. */
  readonly differingItems: number;
  /** Sentences about databases, containers and scripts that are not what the seed says. */
  readonly differences: readonly string[];
}

export function noCounts(): InitCounts {
  return { databases: 0, containers: 0, scripts: 0, items: 0 };
}

/** `1 database, 2 containers and 300 items`, or `nothing`. */
export function countsText(counts: InitCounts): string {
  const parts = [
    ["database", counts.databases],
    ["container", counts.containers],
    ["script", counts.scripts],
    ["item", counts.items],
  ] as const;
  const told = parts.flatMap(([word, count]) => (count === 0 ? [] : counted(count, word)));
  const last = told.pop();
  if (last === undefined) return "nothing";
  return told.length === 0 ? last : `${told.join(", ")} and ${last}`;
}

export function reportText({ made, found, differingItems }: InitReport): string {
  const differing =
    differingItems === 0
      ? ""
      : `; ${counted(differingItems, "item")} of these ${differingItems === 1 ? "is" : "are"} ` +
        "not what the seed says";
  const there = countsText(found);
  return `made ${countsText(made)}${there === "nothing" ? "" : `; found ${there}${differing}`}`;
}
