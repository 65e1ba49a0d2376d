/** A profile for people: what was read, when items came, a table of properties and one of keys. */

import { counted, countText, shortBytesText } from "../../base/wording.ts";
import type { Estimate } from "../../lab/counting/estimate.ts";
import type { KeyProfile, Profile, PropertyProfile } from "../../lab/profile/profile.ts";
import type { LiveRow, Section } from "../terminal/liveTable.ts";
import { numberText, percentText } from "../terminal/liveTable.ts";

const PROPERTIES_SHOWN = 60;

export function profileSections(profile: Profile): readonly Section[] {
  const { properties, keys } = profile;
  return [
    { kind: "lines", lines: [coverageText(profile)], tone: "strong" },
    { kind: "lines", lines: [...itemLines(profile), ...timeLines(profile), ""] },
    {
      kind: "table",
      rows: properties.slice(0, PROPERTIES_SHOWN).map(propertyRow),
      right: ["in items", "different", "bytes", "order", "changes"],
    },
    { kind: "lines", lines: moreLine(properties.length), tone: "faint" },
    {
      kind: "table",
      rows: [...keys, ...profile.expressions].sort(byUse).map(keyRow),
      right: ["keys", "heaviest", "effective", "null", "Gini", "minute", "hour", "day"],
    },
    { kind: "lines", lines: ["", ...KEY_NOTES], tone: "faint" },
    { kind: "lines", lines: problemLines(profile), tone: "warning" },
    { kind: "lines", lines: profile.remarks ?? [] },
  ];
}

/** "all 1,000,000 items of x", or which part of them. */
function coverageText({ source, itemCount, coverage }: Profile): string {
  const count = countText(itemCount);
  const items = itemCount === 1 ? "item" : "items";
  if (coverage === "all") return `${source}: all ${count} ${items}`;
  const share = percentText(coverage.sampledShare);
  return `${source}: a sample of ${count} ${items}, ${share} % of what is there`;
}

function itemLines({ itemBytes, leafCountMean }: Profile): readonly string[] {
  const { mean, p50, p99, max } = itemBytes;
  return [
    `items of ${shortBytesText(Math.round(mean))} on average, half below ${shortBytesText(p50)}, ` +
      `1 in 100 above ${shortBytesText(p99)}, at most ${shortBytesText(max)}; ` +
      `${numberText(leafCountMean)} indexed values each`,
  ];
}

function timeLines({ time }: Profile): readonly string[] {
  if (time === null) return ["no property says when items came to be (name one with --time)"];
  const growth =
    time.growthPerMonth === null
      ? "too short to tell growth"
      : `${time.growthPerMonth < 0 ? "falling" : "growing"} ` +
        `${percentText(Math.abs(time.growthPerMonth))} % a month`;
  const perDay = numberText(time.itemsPerDay);
  return [
    `${time.path} from ${time.first} to ${time.last}: ${perDay} items a day, ` +
      `the busiest minute ${numberText(time.minutePeakFactor)} times the mean, ${growth}`,
  ];
}

function propertyRow(property: PropertyProfile): LiveRow {
  const { presence, types, distinct, bytesMean, time, monotonicity, mutability } = property;
  const names = Object.entries(types).sort(([, a], [, b]) => b - a);
  const kind = names.map(([type]) => type).join(", ");
  return {
    cells: {
      property: property.path,
      "in items": `${percentText(presence)} %`,
      type: time === null ? kind : `${kind}, time by the ${time.resolution}`,
      different: estimateText(distinct),
      bytes: numberText(bytesMean),
      order: monotonicity === null ? "" : monotonicity.toFixed(2),
      changes: mutability === null ? "" : `${percentText(mutability)} %`,
      examples: property.examples.map((example) => JSON.stringify(example)).join(" "),
    },
  };
}

function keyRow(key: KeyProfile): LiveRow {
  const [heaviest] = key.heaviest;
  const share = key.largestShare.value;
  const { minute, hour, day } = key.hottestShare ?? {};
  const shown = (part: number | undefined): string =>
    part === undefined ? "" : `${percentText(part)} %`;
  return {
    cells: {
      key: key.expression ?? key.paths.join(" + "),
      keys: estimateText(key.distinct),
      heaviest: `${percentText(share)} %`,
      is: heaviest === undefined ? "" : heaviest.values.map(valueText).join(" "),
      effective: numberText(key.effectiveKeys),
      null: `${percentText(key.nullShare)} %`,
      Gini: key.giniItems.toFixed(2),
      growth: key.growth.model,
      minute: shown(minute),
      hour: shown(hour),
      day: shown(day),
    },
  };
}

const KEY_NOTES: readonly string[] = [
  "effective: as many equal keys would be as concentrated. minute, hour, day: the share of the " +
    "busiest key",
  "within one. growth: a fixed set, or new ones with the items, with time, or one for each item;",
  "--json has the evidence. ~ is an estimate; --json has its interval.",
];

function estimateText({ value, low, high }: Estimate): string {
  return low === high ? countText(value) : `~${countText(value)}`;
}

function valueText(value: KeyProfile["heaviest"][number]["values"][number]): string {
  return value === undefined ? "none" : JSON.stringify(value);
}

/** Single paths first, then pairs and triples; the more even first. */
function byUse(a: KeyProfile, b: KeyProfile): number {
  return a.paths.length - b.paths.length || b.effectiveKeys - a.effectiveKeys;
}

function moreLine(count: number): readonly string[] {
  const more = count - PROPERTIES_SHOWN;
  return more > 0 ? [`and ${more} more properties, all of them in --json`, ""] : [""];
}

function problemLines({ problems }: Profile): readonly string[] {
  const { count, first } = problems;
  if (count === 0) return [];
  const rest = count - first.length;
  return [
    `${counted(count, "problem")}:`,
    ...first.map(({ place, problem }) => `  ${place}: ${problem}`),
    ...(rest > 0 ? [`  and ${countText(rest)} more`] : []),
  ];
}
