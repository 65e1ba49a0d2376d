/** What a lifecycle would do, for people. */
import { bytesText, counted, countText, durationText } from "../../base/wording.ts";
import type { LifecyclePlan } from "../../model/lifecycle.ts";
import { exampleText } from "../jobs/planText.ts";
import type { LiveRow, Section } from "../terminal/liveTable.ts";

/** Without obstacles there is nothing that keeps the lifecycle from being started. */
export function planSections(plan: LifecyclePlan): readonly Section[] {
  const { checks, setAside, steps, obstacles } = plan;
  return [
    { kind: "table", rows: rowsOf(plan), right: [] },
    { kind: "lines", lines: ["", "Checks:"], tone: "strong" },
    ...checks.map(
      ({ isMet, says }): Section => ({
        kind: "lines",
        lines: [`  ${isMet ? "ok  " : "no  "}${says}`],
        tone: isMet ? undefined : "alarm",
      }),
    ),
    ...(setAside.length === 0
      ? []
      : [titled("Items that would be set aside, some of them", setAside.map(exampleText))]),
    titled(
      "Steps",
      steps.map((step, at) => `${at + 1}. ${step}`),
    ),
    {
      kind: "lines",
      lines: [
        "",
        obstacles.length === 0
          ? "Nothing is in the way."
          : `${counted(obstacles.length, "check is", "checks are")} not met.`,
      ],
      tone: obstacles.length === 0 ? "strong" : "alarm",
    },
  ];
}

function rowsOf(plan: LifecyclePlan): readonly LiveRow[] {
  const { price, seconds, setAsideCount } = plan;
  const row = (what: string, found: string): LiveRow => ({ cells: { what, found } });
  return [
    row("items of hot", `${countText(plan.itemCount)}, ${bytesText(plan.itemBytes)}`),
    row("due now", `${countText(plan.dueCount)}, ${bytesText(plan.dueBytes)}`),
    row("to be set aside", countText(setAsideCount)),
    row("price", `${countText(price.hotRu + price.warmRu)} RU`),
    row("of it in hot", `${countText(price.hotRu)} RU, reading and marking`),
    row("of it in warm", `${countText(price.warmRu)} RU`),
    row("time", seconds === undefined ? "no rate limits it" : durationText(seconds)),
  ];
}

function titled(title: string, lines: readonly string[]): Section {
  return { kind: "lines", lines: ["", `${title}:`, ...lines.map((line) => `  ${line}`)] };
}
