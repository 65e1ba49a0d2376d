/**
 * What the data says of a key, for people and programs: counted on all items, or from a sample of
 * them, and then each figure with what it lies between and the words that say so.
 */
import { countText } from "../../base/wording.ts";
import type { JsonObject } from "../../json/value.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { Estimate } from "../counting/estimate.ts";
import type { MeasuredKey } from "../data/measuredKeys.ts";
import type { GrowthModel } from "../profile/profile.ts";
import { percentText, plural } from "../wording/plain.ts";

/** "counted on 100,000 items", or "from a sample of 2,000". */
function basisText({ basis }: MeasuredKey): string {
  if (basis.kind === "counted") return `counted on ${plural(basis.items, "item")}`;
  return `from a sample of ${countText(basis.items)}`;
}

export function measuredText(measured: MeasuredKey): string {
  const { distinct, largest, nullShare, gini } = measured;
  const name = largest.values === undefined ? "" : `, ${valuesText(largest.values)},`;
  const keys = distinct.value === 1 ? "key" : "keys";
  return (
    `In the data: ${rangeText(distinct, countText)} ${keys}; the largest${name} has ` +
    `${rangeText(largest.share, percentText)} of the items, ` +
    `${rangeText(nullShare, percentText)} have null or no value in it; ` +
    `Gini ${rangeText(gini, (value) => value.toFixed(3))} (${basisText(measured)}).` +
    growthText(measured)
  );
}

const MODELS: Readonly<Record<GrowthModel, string>> = {
  fixed: "a fixed set",
  items: "new ones come with the items",
  time: "new ones come with time",
  unique: "one for each item",
};

/** What is taken to become of their number, and why. */
function growthText({ growth }: MeasuredKey): string {
  if (growth === undefined) return "";
  return ` How they go on: ${MODELS[growth.model]}. ${growth.evidence}`;
}

/** The figure alone where it is certain; else what it lies between, too. */
function rangeText({ value, low, high }: Estimate, text: (value: number) => string): string {
  if (text(low) === text(high)) return text(value);
  return `about ${text(value)} (${text(low)} to ${text(high)})`;
}

function valuesText(values: readonly KeyComponent[]): string {
  return values
    .map((value) => (value === undefined ? "no value" : JSON.stringify(value)))
    .join(" + ");
}

export function measuredJson(measured: MeasuredKey): JsonObject {
  const { basis, distinct, largest, nullShare, gini, growth } = measured;
  return {
    basis: basis.kind,
    items: basis.items,
    label: basisText(measured),
    distinct: estimateJson(distinct),
    largestShare: estimateJson(largest.share),
    largestKey: largest.values?.map((value) => (value === undefined ? {} : value)) ?? null,
    nullShare: estimateJson(nullShare),
    gini: estimateJson(gini),
    growth: growth === undefined ? null : { model: growth.model, evidence: growth.evidence },
  };
}

function estimateJson({ value, low, high }: Estimate): JsonObject {
  return { value, low, high };
}
