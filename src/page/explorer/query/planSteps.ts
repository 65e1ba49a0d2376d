/** The plan of a query in words, a line a step, the last step first. */
import { counted, countText } from "../../../base/wording.ts";
import type { ChargeAdvice, Explained, PlanStep } from "./explained.ts";

interface PlanLine {
  readonly depth: number;
  readonly words: string;
  /** What the step took or gave, where it was counted. */
  readonly counts?: string | undefined;
}

type CountedWork = Pick<Explained["work"], "items" | "misses" | "rows">;

export function planLines(plan: PlanStep, work?: CountedWork): readonly PlanLine[] {
  const lines: PlanLine[] = [];
  let depth = 0;
  for (let step: PlanStep | undefined = plan; step !== undefined; step = step.of) {
    lines.push({ depth, words: wordsOf(step), counts: work && countsOf(step, depth, work) });
    depth++;
    if (step.step === "access") lines.push(...lookupLines(step["lookups"], depth));
  }
  return lines;
}

function countsOf(
  { step }: PlanStep,
  depth: number,
  { items, misses, rows }: CountedWork,
): string | undefined {
  if (step === "access") return `${counted(items, "item")} read`;
  if (step === "filter" && items > 0) return `${countText(misses)} in vain`;
  return depth === 0 ? counted(rows, "row") : undefined;
}

function wordsOf(whole: PlanStep): string {
  const { step, condition, rows, by, top, offset, limit } = whole;
  if (step === "access") return accessWords(whole);
  const joined = [whole["with"], whole["aggregates"]].flatMap((list) =>
    Array.isArray(list) ? [list.join(", ")] : [],
  );
  return [
    step,
    ...(by === undefined ? [] : [`by ${String(by)}`]),
    ...(top === undefined ? [] : [`top ${String(top)}`]),
    ...(offset === undefined ? [] : [`offset ${String(offset)} limit ${String(limit)}`]),
    ...[condition, rows].filter((each) => typeof each === "string"),
    ...joined,
  ].join(" ");
}

function accessWords({ read, scope, order }: PlanStep): string {
  const ordered = Array.isArray(order) ? `, in the order of ${order.join(", ")}` : "";
  const confined = scope === "placement" ? ", within one logical partition" : "";
  const way = String(read).startsWith("order by ") ? String(read).slice(9) : String(read);
  return `read by ${way}${ordered}${confined}`;
}

/** Lookups may be nested: all of some, or any of some. */
function lookupLines(lookups: unknown, depth: number): readonly PlanLine[] {
  if (!Array.isArray(lookups)) return [];
  return (lookups as readonly Readonly<Record<string, unknown>>[]).flatMap((lookup) => {
    const { path, condition, used } = lookup;
    if (typeof path === "string") {
      const unused = used === false ? " (not used)" : "";
      return [{ depth, words: `${path} ${String(condition)}${unused}` }];
    }
    return Object.entries(lookup).flatMap(([kind, parts]) => [
      { depth, words: kind === "or" ? "any of" : "all of" },
      ...lookupLines(parts, depth + 1),
    ]);
  });
}

export function adviceWords({ index, paths, orderBy, ru, saving }: ChargeAdvice): string {
  const what =
    index === "composite"
      ? `A composite index on (${paths.join(", ")})`
      : `An index on ${paths.join(", ")}`;
  const how = orderBy === undefined ? "" : ` with ORDER BY ${orderBy.map(orderText).join(", ")}`;
  return `${what}${how} would save ${saving.toFixed(2)} RU: ${ru.toFixed(2)} RU instead.`;
}

/** `/a/b DESC` as it stands in a query. */
function orderText(text: string): string {
  const [path = "", direction] = text.split(" ");
  return `c${path.replaceAll("/", ".")}${direction === "DESC" ? " DESC" : ""}`;
}
