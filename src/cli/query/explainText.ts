/**
 * An explanation as lines of text: the plan as a tree, the last step first and each over the step
 * it gets its rows from, and the counted work of all pages together.
 *
 * What a server sends is only read here, so whatever is missing is left out.
 */
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { chargeLines } from "./chargeText.ts";

/** `pages` are the explanations of all pages, in order; the plan is that of the first. */
export function explainText(pages: readonly JsonObject[]): string {
  const plan = objectIn(pages[0], "plan");
  const works = pages.map((page) => objectIn(page, "work"));
  const charges = pages.map((page) => objectIn(page, "charge"));
  return `${[...treeLines(plan), ...workLines(works), ...chargeLines(charges)].join("\n")}\n`;
}

function treeLines(node: JsonObject, indent = ""): readonly string[] {
  const head = indent === "" ? "" : `${indent.slice(0, -3)}└─ `;
  const below = property(node, "of");
  const lookups = listIn(node, "lookups").flatMap((lookup) => lookupLines(lookup, `${indent}  `));
  const leftOut = property(node, "lookupsLeftOut");
  if (leftOut !== undefined) lookups.push(`${indent}  · and ${leftOut} more`);
  return [
    `${head}${labelOf(node)}`,
    ...lookups,
    ...(isObject(below) ? treeLines(below, `${indent}   `) : []),
  ];
}

function labelOf(node: JsonObject): string {
  const text = (name: string): string => textIn(node, name);
  switch (text("step")) {
    case "cut": {
      const top = text("top");
      const counts = [
        ...(top === "" ? [] : [`top ${top}`]),
        ...(text("limit") === "" ? [] : [`offset ${text("offset")} limit ${text("limit")}`]),
      ];
      return counts.join(", ");
    }
    case "sort":
      return `sort by ${text("by")}`;
    case "project":
      return `project ${text("rows")}`;
    case "filter":
      return `filter ${text("condition")}`;
    case "join":
      return `join ${text("with")}`;
    case "group":
      return `group by ${text("by")}${after(text("aggregates"), ": ")}`;
    case "aggregate":
      return `aggregate ${text("aggregates")}`;
    case "collect":
      return "collect the rows of a query";
    case "constant":
      return "one row from nothing";
    case "access":
      return `read by ${text("read")}${after(text("order"), " ")}${after(text("scope"), ", ")}`;
    default:
      return text("step");
  }
}

function after(text: string, separator: string): string {
  return text === "" ? "" : separator + text;
}

const GROUPS = { and: "all of", or: "any of" } as const;

function lookupLines(lookup: JsonValue, indent: string): string[] {
  if (!isObject(lookup)) return [];
  for (const kind of ["and", "or"] as const) {
    const parts = listIn(lookup, kind);
    if (parts.length > 0) {
      const inner = parts.flatMap((part) => lookupLines(part, `${indent}  `));
      return [`${indent}· ${GROUPS[kind]}`, ...inner];
    }
  }
  const use = property(lookup, "used") === true ? "" : " (not used)";
  return [`${indent}· ${textIn(lookup, "path")} ${textIn(lookup, "condition")}${use}`];
}

function workLines(works: readonly JsonObject[]): readonly string[] {
  const sum = (name: string): number =>
    works.reduce((total, work) => total + Number(property(work, name) ?? 0), 0);
  const ms = (name: string): string => `${sum(name).toFixed(2)} ms`;
  const partitions = distinctIn(works, "partitions");
  return [
    "",
    `pages        ${works.length}`,
    `partitions   ${partitions.length}${after(partitions.join(", "), ": ")}`,
    `read by      ${counted(works.flatMap((work) => listIn(work, "access").map(String)))}`,
    `lookups      ${sum("lookups")}, with ${sum("terms")} terms`,
    `items        ${sum("items")} (${sum("itemBytes")} bytes), ${sum("misses")} of them in vain`,
    `rows         ${sum("rows")} (${sum("rowBytes")} bytes)`,
    `time         ${ms("totalMs")}: index ${ms("indexMs")}, items ${ms("loadMs")}; ` +
      `compiling ${ms("compileMs")}`,
  ];
}

function distinctIn(works: readonly JsonObject[], name: string): readonly string[] {
  return [...new Set(works.flatMap((work) => listIn(work, name).map(String)))];
}

/** `scan, seek ×3`, in the order in which they came up. */
function counted(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const shown = [...counts].slice(0, SHOWN_COUNT_MAX);
  const parts = shown.map(([text, count]) => (count === 1 ? text : `${text} ×${count}`));
  if (counts.size > shown.length) parts.push(`and ${counts.size - shown.length} other ways`);
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

const SHOWN_COUNT_MAX = 12;

function objectIn(object: JsonObject | undefined, name: string): JsonObject {
  const value = object === undefined ? undefined : property(object, name);
  return value !== undefined && isObject(value) ? value : {};
}

function listIn(object: JsonObject, name: string): readonly JsonValue[] {
  const value = property(object, name);
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function textIn(object: JsonObject, name: string): string {
  const value = property(object, name);
  if (value === undefined) return "";
  return Array.isArray(value) ? value.join(", ") : String(value);
}
