/** What was asked of the lab, read once: members of a body become typed questions. */
import {
  listOf,
  member,
  objectOf,
  optional,
  refuse,
  textNamed,
  wholeNumberNamed,
  wordNamed,
} from "../../../json/reading.ts";
import type { JsonObject, JsonValue } from "../../../json/value.ts";
import type { LabData, LabRunQuestion, PlacementQuestion } from "../../../protocol/adminLab.ts";
import { knownMembers } from "../questions.ts";

const ITEMS_MAX = 5_000;
const RATE_MAX = 10_000_000;
const CANDIDATES_MAX = 20;
const TEXT_LENGTH_MAX = 1024 * 1024;
const SAMPLE_COUNT_MAX = 5_000_000;

export const RUN_MEMBERS: readonly string[] = [
  "kind",
  "workload",
  "data",
  "candidates",
  "onlyMine",
  "current",
  "months",
  "seed",
];

export function placementQuestionOf(members: JsonObject): PlacementQuestion {
  const items = listOf(member(members, "items"), "The member 'items'", ITEMS_MAX);
  const rate = member(members, "ratePerSecond");
  return {
    items: items.map((item) => objectOf(item, "An item")),
    key: textNamed(member(members, "key"), "key"),
    ...optional(
      "ratePerSecond",
      rate === undefined ? undefined : wholeNumberNamed(rate, "ratePerSecond", 1, RATE_MAX),
    ),
  };
}

export function workloadTextOf(members: JsonObject, name: string): string {
  const text = textNamed(member(members, name), name);
  if (text.length <= TEXT_LENGTH_MAX) return text;
  return refuse(`The member '${name}' has more than ${TEXT_LENGTH_MAX} characters.`);
}

export function runQuestionOf(members: JsonObject): LabRunQuestion {
  const [data, candidates] = [member(members, "data"), member(members, "candidates")];
  const [current, months] = [member(members, "current"), member(members, "months")];
  const [seed, onlyMine] = [member(members, "seed"), member(members, "onlyMine")];
  return {
    kind: wordNamed(member(members, "kind"), "kind", ["advise", "prove"]),
    workload: workloadTextOf(members, "workload"),
    ...optional("data", data === undefined ? undefined : dataOf(data)),
    ...optional("candidates", candidates === undefined ? undefined : candidatesOf(candidates)),
    ...optional("onlyMine", onlyMine === undefined ? undefined : flagOf(onlyMine, "onlyMine")),
    ...optional("current", current === undefined ? undefined : textNamed(current, "current")),
    ...optional(
      "months",
      months === undefined ? undefined : wholeNumberNamed(months, "months", 1, 120),
    ),
    ...optional(
      "seed",
      seed === undefined ? undefined : wholeNumberNamed(seed, "seed", 0, 2 ** 32 - 1),
    ),
  };
}

/** One at least: a proof of nothing proves nothing. */
export function proofCandidatesOf(members: JsonObject): readonly string[] {
  const keys = candidatesOf(member(members, "candidates") ?? []);
  return keys.length > 0 ? keys : refuse("The member 'candidates' must name a key to prove.");
}

function candidatesOf(value: JsonValue): readonly string[] {
  return listOf(value, "The member 'candidates'", CANDIDATES_MAX).map((key) =>
    textNamed(key, "candidates"),
  );
}

function flagOf(value: JsonValue, name: string): boolean {
  return typeof value === "boolean" ? value : refuse(`The member '${name}' must be true or false.`);
}

function dataOf(value: JsonValue): LabData {
  const data = objectOf(value, "The member 'data'");
  const kind = wordNamed(member(data, "kind"), "data.kind", ["text", "container"]);
  if (kind === "text") {
    knownMembers(data, ["kind", "text", "format", "name"]);
    const name = member(data, "name");
    return {
      kind,
      text: textNamed(member(data, "text"), "data.text"),
      format: wordNamed(member(data, "format"), "data.format", ["ndjson", "json", "csv"]),
      ...optional("name", name === undefined ? undefined : textNamed(name, "data.name")),
    };
  }
  knownMembers(data, ["kind", "database", "container", "sampleCount"]);
  const count = member(data, "sampleCount");
  return {
    kind,
    database: textNamed(member(data, "database"), "data.database"),
    container: textNamed(member(data, "container"), "data.container"),
    ...optional(
      "sampleCount",
      count === undefined
        ? undefined
        : wholeNumberNamed(count, "data.sampleCount", 1, SAMPLE_COUNT_MAX),
    ),
  };
}
