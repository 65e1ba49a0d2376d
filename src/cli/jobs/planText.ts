/** What the look at all items found before the first write, for people. */
import { bytesText, counted, countText, durationText } from "../../base/wording.ts";
import type { JsonValue } from "../../json/value.ts";
import type { CopyPlan, FullKey, ItemExample } from "../../model/copyJob.ts";
import type { LiveRow, Section } from "../terminal/liveTable.ts";

/** Without the obstacles there is nothing that keeps the job from being started. */
export function planSections(plan: CopyPlan): readonly Section[] {
  return [
    { kind: "table", rows: planRows(plan), right: [] },
    ...examples("Items that share their new key and id with another one", plan.clashes),
    ...examples("Items without the new key", plan.missingKeys),
    ...examples("Items that cannot be copied for another reason", plan.unfit),
    ...fullKeys(plan.fullKeys),
    listed(
      "Steps",
      plan.steps.map((step, at) => `${at + 1}. ${step}`),
    ),
    plan.obstacles.length === 0
      ? { kind: "lines", lines: ["", "Nothing is in the way."], tone: "strong" }
      : { ...listed("In the way", plan.obstacles), tone: "alarm" },
  ];
}

function planRows(plan: CopyPlan): readonly LiveRow[] {
  const { price, largestKey, seconds } = plan;
  const row = (what: string, found: string, isBad = false): LiveRow => ({
    cells: { what, found },
    tone: isBad ? "alarm" : undefined,
  });
  const both = price.readRu + price.writeRu;
  return [
    row("items", `${countText(plan.itemCount)}, ${bytesText(plan.itemBytes)}`),
    row("to be copied", `${countText(plan.copiedCount)}, ${bytesText(plan.copiedBytes)}`),
    row("clashes", countText(plan.clashCount), plan.clashCount > 0),
    row("without the key", countText(plan.missingKeyCount), plan.missingKeyCount > 0),
    ...(plan.unfitCount === 0 ? [] : [row("unfit", countText(plan.unfitCount), true)]),
    row("full keys", countText(plan.fullKeys.length), plan.fullKeys.length > 0),
    row("logical partitions", countText(plan.logicalPartitionCount)),
    ...(largestKey === undefined
      ? []
      : [row("largest of them", `${keyText(largestKey.newKey)}, ${bytesText(largestKey.bytes)}`)]),
    row("price", `${countText(both)} ± ${countText(price.errorRu)} RU`),
    row("of it reading", `${countText(price.readRu)} RU`),
    row("of it writing", `${countText(price.writeRu)} RU`),
    row("priced by", counted(price.sampleCount, "item")),
    row("time", seconds === undefined ? "no rate limits it" : durationText(seconds)),
  ];
}

/** Lines and no table: a reason is a sentence, and no cell has room for one. */
function examples(title: string, found: readonly ItemExample[]): readonly Section[] {
  if (found.length === 0) return [];
  return [
    { kind: "lines", lines: ["", `${title}, some of them:`], tone: "strong" },
    { kind: "lines", lines: found.map((item) => `  ${exampleText(item)}`) },
  ];
}

export function exampleText({ id, key, newKey, reason }: ItemExample): string {
  const led = newKey === undefined ? "" : `, new key ${keyText(newKey)}`;
  const why = reason === undefined ? "" : `: ${reason}`;
  return `${keyText(id)} with key ${keyText(key)}${led}${why}`;
}

function fullKeys(found: readonly FullKey[]): readonly Section[] {
  if (found.length === 0) return [];
  const rows = found.map(({ newKey, bytes }) => ({
    cells: { "new key": keyText(newKey), bytes: bytesText(bytes) },
  }));
  const title = "Logical partitions that would hold more than one may:";
  return [
    { kind: "lines", lines: ["", title], tone: "strong" },
    { kind: "table", rows, right: ["bytes"] },
  ];
}

function listed(title: string, lines: readonly string[]): Extract<Section, { kind: "lines" }> {
  return { kind: "lines", lines: ["", `${title}:`, ...lines.map((line) => `  ${line}`)] };
}

export function keyText(key: JsonValue): string {
  return JSON.stringify(key);
}
