/**
 * How items or requests are divided among the values of a property, in the forms that a file may
 * use: a word ("uniform", "zipf 0.8"), an object by kind, or shares of values by name.
 *
 * Sentences cannot be understood in general. Two kinds are in part: those that begin with
 * "uniform", and shares of values with the load of each ("99 % at 90 min/day, 1 % at 360 min/day").
 * A remark says how a sentence was understood.
 */

import type { SourceNode } from "../../yaml/sourceTree.ts";
import {
  amountOf,
  COUNT,
  choiceOf,
  elementsOf,
  Fields,
  kindOf,
  membersOf,
  type Reading,
  SHARE,
} from "./reading.ts";
import type { Distribution } from "./workload.ts";

export const UNIFORM: Distribution = { kind: "uniform" };

/** Shares written with two or three digits seldom add up exactly. */
const SHARE_TOLERANCE = 0.005;

export function distributionOf(
  node: SourceNode | undefined,
  reading: Reading,
): Distribution | undefined {
  if (node === undefined) return undefined;
  const { content } = node;
  if (content.kind === "object") return distributionByKind(node, reading);
  if (content.kind === "scalar" && typeof content.value === "string") {
    return distributionInText(content.value, node, reading);
  }
  const forms = "uniform, zipf with its s, or shares by value";
  return reading.problem(node, `This must be ${forms}, not ${kindOf(node)}.`);
}

/**
 * Checks that named shares are possible: not above 1, and not below it when all values are named.
 */
export function checkShares(
  distribution: Distribution | undefined,
  distinct: number | undefined,
  { node, reading }: { readonly node: SourceNode; readonly reading: Reading },
): void {
  if (distribution?.kind !== "shares") return;
  const { shares } = distribution;
  const sum = [...shares.values()].reduce((total, share) => total + share, 0);
  const shown = Number(sum.toPrecision(6));
  if (sum > 1 + SHARE_TOLERANCE) {
    reading.problem(node, `The shares add up to ${shown}; together they can be at most 1.`);
  } else if (distinct !== undefined && distinct < shares.size) {
    reading.problem(node, `There are ${shares.size} shares for ${distinct} distinct values.`);
  } else if (sum < 1 - SHARE_TOLERANCE && distinct === undefined) {
    const rest = "say by 'distinct' how many values share the rest";
    reading.problem(node, `The shares add up to ${shown}; ${rest}.`);
  } else if (sum < 1 - SHARE_TOLERANCE && distinct === shares.size) {
    reading.problem(node, `The shares add up to ${shown}, not to 1, and no other value is left.`);
  }
}

export function sharesOf(node: SourceNode | undefined, reading: Reading): Distribution | undefined {
  const members = membersOf(node, reading);
  if (node === undefined || members === undefined) return undefined;
  if (members.size === 0) return reading.problem(node, "No value has a share here.");
  const shares = new Map<string, number>();
  for (const [value, written] of members) {
    const share = amountOf(written, SHARE, reading);
    if (share !== undefined) shares.set(value, share);
  }
  return { kind: "shares", shares };
}

function distributionByKind(node: SourceNode, reading: Reading): Distribution | undefined {
  const fields = new Fields(node, reading);
  const kindNode = fields.take("kind");
  const [s, shares, classes] = [fields.take("s"), fields.take("shares"), fields.take("classes")];
  fields.close();
  const kind = choiceOf(kindNode, ["uniform", "zipf", "shares", "classes"], reading);
  if (kindNode !== undefined && kind === undefined) return undefined;
  if (kind === "uniform") return UNIFORM;
  if (kind === "zipf" || (kind === undefined && s !== undefined)) {
    if (s === undefined) return reading.problem(node, "zipf needs its exponent: s.");
    const exponent = amountOf(s, COUNT, reading);
    return exponent === undefined ? undefined : { kind: "zipf", s: exponent };
  }
  if (shares !== undefined) return sharesOf(shares, reading);
  if (classes !== undefined) return classesOf(classes, reading);
  return reading.problem(node, "This needs a kind: uniform, zipf, shares or classes.");
}

function classesOf(node: SourceNode, reading: Reading): Distribution | undefined {
  const classes = (elementsOf(node, reading) ?? []).flatMap((element) => {
    const fields = new Fields(element, reading);
    const values = amountOf(fields.take("values"), SHARE, reading);
    const weight = amountOf(fields.take("weight"), COUNT, reading);
    fields.close();
    if (values !== undefined && weight !== undefined) return [{ values, weight }];
    reading.problem(element, "A class needs 'values', a share of them, and 'weight'.");
    return [];
  });
  const sum = classes.reduce((total, { values }) => total + values, 0);
  if (Math.abs(sum - 1) > SHARE_TOLERANCE) {
    const shown = Number(sum.toPrecision(6));
    return reading.problem(node, `The classes cover ${shown} of the values; it must be 1.`);
  }
  if (classes.every(({ weight }) => weight === 0)) {
    return reading.problem(node, "At least one class must weigh more than 0.");
  }
  return { kind: "classes", classes };
}

function distributionInText(text: string, node: SourceNode, reading: Reading): Distribution {
  const plain = text.trim().toLowerCase();
  if (plain === "uniform" || plain === "even" || plain === "evenly") return UNIFORM;
  const zipf = /^zipf\s*\(?\s*(?:s\s*=\s*)?([\d.]+)\s*\)?$/.exec(plain);
  if (zipf !== null && Number.isFinite(Number(zipf[1]))) {
    return { kind: "zipf", s: Number(zipf[1]) };
  }
  const classes = classesInText(plain);
  const said = `${node.path} is a sentence ('${text}')`;
  if (classes === undefined) {
    const meaning = plain.startsWith("uniform") ? "its first word" : "an even distribution";
    reading.remark(`${said}; it was taken as ${meaning}. docs/lab/workload.md lists the forms.`);
    return UNIFORM;
  }
  const words = classes.map(({ values, weight }) => `${values * 100} % with weight ${weight}`);
  reading.remark(`${said}; it was taken as classes of values: ${words.join(", ")}.`);
  return { kind: "classes", classes };
}

/**
 * Parses "99 % at 90 min/day, 1 % at 360 min/day": all values, each class with a load in the same
 * unit.
 */
function classesInText(
  text: string,
): readonly { readonly values: number; readonly weight: number }[] | undefined {
  const parts = text.split(/[,;]\s*|\s+and\s+/).map((part) => {
    const match = /^([\d.]+)\s*%\s*(?:at|with)\s*([\d.]+)\s*(\S.*)?$/.exec(part.trim());
    if (match === null) return undefined;
    return { values: Number(match[1]) / 100, weight: Number(match[2]), unit: match[3] ?? "" };
  });
  const [first] = parts;
  const sum = parts.reduce((total, part) => total + (part?.values ?? 0), 0);
  const isWhole = parts.length > 1 && Math.abs(sum - 1) <= SHARE_TOLERANCE;
  if (!isWhole || parts.some((part) => part === undefined || part.unit !== first?.unit)) {
    return undefined;
  }
  return parts.map((part) => ({ values: part!.values, weight: part!.weight }));
}
