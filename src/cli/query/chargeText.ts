/** A charge as lines of text: what of it was for what, and which index would have made it less. */
import { countText, grouped } from "../../base/wording.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";

/** What a part is called, by the name that servers give it, and how its count is written. */
const PARTS: Readonly<Record<string, (count: number) => string>> = {
  open: (count) => `${countText(count)} ${count === 1 ? "partition" : "partitions"} opened`,
  lookups: (count) =>
    `${countText(count)} ${count === 1 ? "range" : "ranges"} of the index asked for`,
  postings: (count) => `${countText(count)} items reached through the index`,
  scannedEntries: (count) => `${countText(count)} entries of the index read for their values`,
  orderedEntries: (count) => `${countText(count)} entries passed for ORDER BY`,
  items: (count) => `${countText(count)} items read`,
  loaded: (count) => `${kib(count)} KiB of items read`,
  largeItems: (count) => `${kib(count)} KiB of items beyond 512 KiB`,
  rows: (count) => `${kib(count)} KiB of rows given out`,
  textCalls: (count) => `${countText(count)} calls of functions that read texts through`,
  otherCalls: (count) => `${countText(count)} calls of other functions`,
};

/** Of all pages together. None of a server that does not tell. */
export function chargeLines(charges: readonly JsonObject[]): readonly string[] {
  const total = charges.reduce((sum, charge) => sum + numberIn(charge, "ru"), 0);
  const parts = summed(charges, "parts", (part) => String(property(part, "part")), ["count", "ru"]);
  if (parts.length === 0) return [];
  const advice = summed(charges, "advice", adviceName, ["ru", "saving"]);
  const lines = parts
    .sort((a, b) => b.sums["ru"]! - a.sums["ru"]!)
    .map(({ name, sums }) => {
      const say = PARTS[name] ?? ((count: number) => `${countText(count)} ${name}`);
      return `${sums["ru"]!.toFixed(2).padStart(12)} RU  ${say(sums["count"]!)}`;
    });
  const advised = advice.map(({ first, sums }) => adviceLine(first, sums, parts, total));
  return ["", `charge       ${total.toFixed(2)} RU`, ...lines, ...advised];
}

/** What the advice is about comes first: so much of the whole, for what. */
function adviceLine(
  advice: JsonObject,
  sums: Readonly<Record<string, number>>,
  parts: readonly Summed[],
  total: number,
): string {
  const paths = textsIn(advice, "paths");
  const order = textsIn(advice, "orderBy");
  const isComposite = property(advice, "index") === "composite";
  const index = isComposite
    ? `a composite index on (${paths.join(", ")}) with ORDER BY ${order.map(orderText).join(", ")}`
    : `an index on ${paths.join(", ")}`;
  const cause = causeOf(isComposite, parts);
  const [saving, rest] = [sums["saving"]!, total - sums["saving"]!];
  return (
    `advice       ${saving.toFixed(2)} of ${total.toFixed(2)} RU${cause}; ${index} ` +
    `would avoid it: ${rest.toFixed(2)} RU instead`
  );
}

function causeOf(isComposite: boolean, parts: readonly Summed[]): string {
  const name = isComposite && parts.some((part) => part.name === "orderedEntries");
  const cause = parts.find((part) => part.name === (name ? "orderedEntries" : "items"));
  return cause === undefined ? "" : `: ${PARTS[cause.name]!(cause.sums["count"]!)}`;
}

/** "/a/b DESC" as it stands in a query. */
function orderText(text: string): string {
  const [path = "", direction] = text.split(" ");
  return `c${path.replaceAll("/", ".")}${direction === "DESC" ? " DESC" : ""}`;
}

interface Summed {
  readonly name: string;
  readonly first: JsonObject;
  readonly sums: Record<string, number>;
}

/** Members of the lists of all pages, by name, with these amounts added up. */
function summed(
  pages: readonly JsonObject[],
  list: string,
  nameOf: (member: JsonObject) => string,
  amounts: readonly string[],
): Summed[] {
  const found = new Map<string, Summed>();
  for (const member of pages.flatMap((page) => listIn(page, list)).filter(isObject)) {
    const name = nameOf(member);
    const known = found.get(name) ?? { name, first: member, sums: {} };
    for (const amount of amounts) {
      known.sums[amount] = (known.sums[amount] ?? 0) + numberIn(member, amount);
    }
    found.set(name, known);
  }
  return [...found.values()];
}

function adviceName(advice: JsonObject): string {
  return JSON.stringify([property(advice, "index"), property(advice, "paths")]);
}

function listIn(object: JsonObject, name: string): readonly JsonValue[] {
  const value = property(object, name);
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function textsIn(object: JsonObject, name: string): readonly string[] {
  return listIn(object, name).map(String);
}

function numberIn(object: JsonObject, name: string): number {
  const amount = Number(property(object, name) ?? 0);
  return Number.isFinite(amount) ? amount : 0;
}

function kib(bytes: number): string {
  return grouped(Math.round((bytes / 1024) * 10) / 10);
}
