/** How a query was answered, in a sentence or two: what the plan's tree says, in words. */
import { counted } from "../../../base/wording.ts";
import type { Explained, PlanStep } from "./explained.ts";

export function planSummary({ plan, work }: Pick<Explained, "plan" | "work">): string {
  const steps = stepsOf(plan);
  const access = steps.find(({ step }) => step === "access");
  const where = counted(work.partitions.length, "physical partition");
  const later = [
    ...(steps.some(({ step }) => step === "group" || step === "aggregate") ? ["added up"] : []),
    ...(steps.some(({ step }) => step === "distinct") ? ["taken once each"] : []),
    ...(steps.some(({ step }) => step === "sort") ? ["sorted"] : []),
  ];
  const end = later.length === 0 ? "" : ` Rows were then ${later.join(" and ")}.`;
  if (access === undefined) return `The answer needed no item.${end}`;
  return `${accessSentence(access, steps)} It was asked of ${where}.${end}`;
}

function accessSentence(access: PlanStep, steps: readonly PlanStep[]): string {
  const read = String(access["read"]);
  const { used, unused } = lookupsOf(access);
  const isFiltered = steps.some(({ step }) => step === "filter");
  const order = Array.isArray(access["order"]) ? ` of ${access["order"].join(", ")}` : "";
  if (read.includes("index only")) return "The index had the answer, and no item was read.";
  if (read.startsWith("order by")) {
    const kind = read.includes("composite") ? "composite index" : "index";
    const tried = isFiltered ? " The filter was tried on each." : "";
    const way = `Items were read in the order${order} from the ${kind}`;
    return `${way}, so none had to be sorted.${tried}`;
  }
  if (read === "nothing") return "No item could pass, so none was read.";
  if (used.length === 0) {
    const all =
      access["scope"] === "placement"
        ? "Every item of the logical partition was read."
        : "Every item was read.";
    return isFiltered ? `${all} The filter was tried on each, because no index answers it.` : all;
  }
  const rest = unused.length === 0 ? "" : `; ${listed(unused)} was checked on each of them`;
  return `The index found the items by ${listed(used)}${rest}.`;
}

interface Lookups {
  readonly used: readonly string[];
  readonly unused: readonly string[];
}

/** The conditions of all lookups, however they are nested. */
function lookupsOf(access: PlanStep): Lookups {
  const [used, unused]: [string[], string[]] = [[], []];
  const take = (list: unknown): void => {
    if (!Array.isArray(list)) return;
    for (const lookup of list as readonly Readonly<Record<string, unknown>>[]) {
      const { path, condition } = lookup;
      if (typeof path === "string") {
        (lookup["used"] === false ? unused : used).push(`\`${path} ${String(condition)}\``);
      } else Object.values(lookup).forEach(take);
    }
  };
  take(access["lookups"]);
  return { used: [...new Set(used)], unused: [...new Set(unused)] };
}

function stepsOf(plan: PlanStep): readonly PlanStep[] {
  return plan.of === undefined ? [plan] : [plan, ...stepsOf(plan.of)];
}

function listed(texts: readonly string[]): string {
  return texts.length < 2
    ? (texts[0] ?? "")
    : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}
