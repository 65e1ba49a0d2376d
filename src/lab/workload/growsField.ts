/** The `grows` of a property: whether its values become more while items do. */
import { DAY_SECONDS } from "../../base/units.ts";
import type { SourceNode } from "../../yaml/sourceTree.ts";
import { ratePerSecondIn } from "./quantities.ts";
import type { Reading } from "./reading.ts";
import type { PropertyGrowth } from "./workload.ts";

const FORMS = "'fixed', 'with items', or a rate such as '50/day' or '2000/month'";

export function growsOf(
  node: SourceNode | undefined,
  reading: Reading,
): PropertyGrowth | undefined {
  if (node === undefined) return undefined;
  const written = node.content.kind === "scalar" ? node.content.value : undefined;
  const text = String(written ?? "")
    .trim()
    .toLowerCase();
  if (text === "fixed" || text === "false" || text === "no") return { kind: "fixed" };
  if (/^with (?:the )?(?:items|volume|data)$/.test(text)) return { kind: "withItems" };
  const perSecond = /\/|\bper\b/.test(text) ? ratePerSecondIn(text) : undefined;
  if (perSecond === undefined || !(perSecond >= 0)) {
    return reading.problem(node, `It must be ${FORMS}.`);
  }
  return { kind: "perDay", count: perSecond * DAY_SECONDS };
}

export function growsText(grows: PropertyGrowth): string {
  switch (grows.kind) {
    case "fixed":
      return "fixed";
    case "withItems":
      return "with items";
    case "perDay":
      return `${grows.count}/day`;
  }
}
