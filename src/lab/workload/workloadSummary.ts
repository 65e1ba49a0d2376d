/** How a workload was understood, as text for people, before anything is concluded from it. */
import { bytesText } from "../../base/wording.ts";
import { cut, numberText, percentText, plural, rateText, visible } from "../wording/plain.ts";
import { textTable } from "../wording/textTable.ts";
import { type Access, accessOf } from "./access.ts";
import { totalItems } from "./totalItems.ts";
import type { Distribution, Operation, PropertyShape, Workload } from "./workload.ts";

/** `width` is that of the terminal, if there is one. */
export function workloadSummary(workload: Workload, width: number | undefined): string {
  const { name, title, operations, properties, candidates, remarks } = workload;
  const lines = [
    name === title ? visible(name) : `${visible(name)}: ${visible(title)}`,
    "",
    ...volumeLines(workload),
    "",
    ...operationLines(operations, width),
  ];
  if (properties.size > 0) lines.push("", ...propertyLines([...properties.values()], width));
  if (candidates.length > 0) {
    lines.push("", "candidates");
    for (const { id, levels } of candidates) {
      const key = levels.length === 1 ? levels[0]! : `[${levels.join(", ")}]`;
      lines.push(`  ${visible(id === key ? key : `${id}: ${key}`)}`);
    }
  }
  if (remarks.length > 0) {
    lines.push("", "remarks", ...remarks.map((remark) => `  ${visible(remark)}`));
  }
  return `${lines.join("\n")}\n`;
}

function volumeLines({ item, growth, throughput, consistency, ...others }: Workload): string[] {
  const example = item.example === undefined ? undefined : JSON.stringify(item.example).length;
  const bytes = item.bytes ?? example;
  const months = others.horizonMonths;
  const itemCount = totalItems(growth, months);
  const kept =
    growth.retentionDays === undefined
      ? "for ever"
      : `for ${plural(Math.round(growth.retentionDays), "day")}`;
  const stored = bytes === undefined ? "" : `, ${bytesText(itemCount * bytes)}`;
  const growing = growth.perMonth === 0 ? "" : `, ${percentText(growth.perMonth)} more each month`;
  return [
    `item        ${bytes === undefined ? "as in the profile" : bytesText(bytes)}`,
    `growth      ${numberText(growth.itemsPerDay)} items a day${growing}, kept ${kept}; ` +
      `after ${plural(months, "month")} ${numberText(itemCount)} items${stored}`,
    `peak        ${numberText(growth.peakFactor)} times the mean`,
    `throughput  ${
      throughput === undefined
        ? "as much as is needed"
        : `${throughput.mode}, ${rateText(throughput.ratePerSecond)}`
    }, ${consistency} consistency`,
  ];
}

function operationLines(operations: readonly Operation[], width: number | undefined): string[] {
  const total = operations.reduce((sum, { ratePerSecond }) => sum + ratePerSecond, 0);
  const columns = [
    { name: "operation", isRight: false, cells: operations.map(({ id }) => visible(cut(id, 32))) },
    { name: "kind", isRight: false, cells: operations.map(({ kind }) => kind) },
    {
      name: "per second",
      isRight: true,
      cells: operations.map((operation) => numberText(operation.ratePerSecond)),
    },
    {
      name: "share",
      isRight: true,
      cells: operations.map(({ ratePerSecond }) => percentText(ratePerSecond / total)),
    },
    { name: "finds its items by", isRight: false, cells: operations.map(foundBy) },
  ];
  return [...textTable(columns, width)];
}

function foundBy(operation: Operation): string {
  const { kind, changes, transactionScope, knows } = operation;
  const parts =
    kind === "query"
      ? accessWords(accessOf(operation))
      : [kind === "create" ? "what is written" : "id and key"];
  if (knows !== undefined)
    parts.push(`knowing ${knows.length === 0 ? "nothing" : knows.join(", ")}`);
  if (changes.length > 0) parts.push(`changing ${changes.join(", ")}`);
  if (transactionScope !== undefined) parts.push(`together by ${transactionScope.join(", ")}`);
  return visible(cut(parts.join("; "), 100));
}

function accessWords({ equal, ranges, order, top, ...others }: Access): string[] {
  const parts = [...equal].map(([path, { count }]) => (count === 1 ? path : `${path} (${count})`));
  for (const { path, spanDays } of ranges) {
    const span = spanDays === undefined ? "" : ` over ${numberText(spanDays)} days`;
    parts.push(`a range of ${path}${span}`);
  }
  const found = parts.length === 0 ? ["looking at everything"] : [parts.join(", ")];
  if (others.usesContains) found.push("searching in texts");
  if (others.isAggregate) found.push("aggregated");
  if (order !== undefined) found.push(`by ${order.path}`);
  if (top !== undefined) found.push(`the first ${top}`);
  return found;
}

function propertyLines(shapes: readonly PropertyShape[], width: number | undefined): string[] {
  const columns = [
    { name: "property", isRight: false, cells: shapes.map(({ path }) => visible(cut(path, 40))) },
    { name: "values", isRight: true, cells: shapes.map(valuesText) },
    { name: "items", isRight: false, cells: shapes.map(({ items }) => distributionText(items)) },
    { name: "besides", isRight: false, cells: shapes.map(besides) },
  ];
  return [...textTable(columns, width)];
}

function valuesText({ distinct, isUnique, time }: PropertyShape): string {
  if (distinct !== undefined) return numberText(distinct);
  if (isUnique) return "unique";
  return time === undefined ? "not known" : `by the ${time}`;
}

function distributionText(distribution: Distribution): string {
  switch (distribution.kind) {
    case "uniform":
      return "even";
    case "zipf":
      return `Zipf, s = ${numberText(distribution.s)}`;
    case "shares": {
      const [first] = [...distribution.shares].sort(([, a], [, b]) => b - a);
      return visible(cut(`${first![0]} ${percentText(first![1])}, …`, 40));
    }
    case "classes":
      return distribution.classes
        .map(({ values, weight }) => `${percentText(values)} × ${numberText(weight)}`)
        .join(", ");
  }
}

function besides(shape: PropertyShape): string {
  const parts: string[] = [];
  if (shape.time !== undefined) parts.push(`time of writing, by the ${shape.time}`);
  if (shape.within !== undefined) parts.push(`within ${shape.within}`);
  if (shape.requests !== undefined) parts.push(`requests: ${distributionText(shape.requests)}`);
  if (shape.changes) parts.push("changes");
  if (shape.missingShare > 0) parts.push(`missing in ${percentText(shape.missingShare)}`);
  return visible(parts.join("; "));
}
