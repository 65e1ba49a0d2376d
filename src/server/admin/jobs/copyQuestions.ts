/** What is asked of copy jobs, read once: members of the body become typed requests. */

import type { CommandTerms } from "../../../engine/copy/copyCommands.ts";
import type { CopyRequest } from "../../../engine/copy/copyRecord.ts";
import {
  listOf,
  member,
  objectOf,
  refuse,
  textNamed,
  textOf,
  wholeNumberNamed,
  wordNamed,
} from "../../../json/reading.ts";
import type { JsonObject, JsonValue } from "../../../json/value.ts";
import type { CopyStep, CopyThroughput, NamedContainer } from "../../../model/copyJob.ts";

/** The members that a question for a copy may have. */
export const COPY_MEMBERS: readonly string[] = [
  "source",
  "target",
  "key",
  "keyProperties",
  "definition",
  "throughput",
  "mode",
  "where",
  "select",
  "samplePercent",
  "ttl",
  "onClash",
  "onMissingKey",
  "onRefused",
  "setAsideMax",
  "sharePercent",
  "cutOver",
  "switchBy",
  "isDryRun",
  "token",
];

const SET_ASIDE_DEFAULT = 100;
const SET_ASIDE_MAX = 10_000;
const SHARE_DEFAULT = 50;
const SETBACKS = ["stop", "setAside"] as const;

/** With every default filled in. */
export function copyRequestOf(members: JsonObject): CopyRequest {
  const read = (name: string): JsonValue | undefined => member(members, name);
  const word = <W extends string>(name: string, words: readonly W[], otherwise: W): W => {
    const value = read(name);
    return value === undefined ? otherwise : wordNamed(value, name, words);
  };
  const text = (name: string): string | undefined => {
    const value = read(name);
    return value === undefined ? undefined : textNamed(value, name);
  };
  const key = textsOf(read("key"), "key");
  if (key?.length === 0) refuse("The key has no levels.");
  return {
    source: nameOf(read("source"), "source"),
    target: nameOf(read("target"), "target"),
    key,
    keyProperties: textsOf(read("keyProperties"), "keyProperties"),
    definition: definitionOf(read("definition")),
    throughput: throughputOf(read("throughput")),
    mode: word("mode", ["offline", "online"], "offline"),
    where: text("where"),
    select: text("select"),
    samplePercent: percentOf(read("samplePercent"), "samplePercent"),
    ttl: word("ttl", ["keep", "restart"], "keep"),
    onClash: word("onClash", SETBACKS, "stop"),
    onMissingKey: word("onMissingKey", [...SETBACKS, "none"], "stop"),
    onRefused: word("onRefused", SETBACKS, "stop"),
    setAsideMax: countOf(read("setAsideMax"), "setAsideMax", SET_ASIDE_MAX) ?? SET_ASIDE_DEFAULT,
    sharePercent: percentOf(read("sharePercent"), "sharePercent") ?? SHARE_DEFAULT,
    cutOver: word("cutOver", ["manual", "automatic"], "manual"),
    switchBy: word("switchBy", ["application", "names"], "application"),
    isDryRun: truthOf(read("isDryRun"), "isDryRun") ?? false,
    token: text("token"),
  };
}

const STEP_MEMBERS: Readonly<Record<CopyStep, readonly (keyof CommandTerms)[]>> = {
  pause: [],
  resume: [],
  cancel: ["dropTarget"],
  throttle: ["sharePercent"],
  verify: [],
  mirror: ["percent"],
  cutOver: ["deadlineMs", "isForced"],
  complete: ["keepOld"],
  revert: ["deadlineMs"],
};

/** All members that some step may have. */
export const STEP_MEMBER_NAMES: readonly string[] = [
  ...new Set(Object.values(STEP_MEMBERS).flat()),
];

const DEADLINE_MS_MAX = 30_000;

export function stepTermsOf(step: CopyStep, members: JsonObject): CommandTerms {
  const known: readonly string[] = STEP_MEMBERS[step];
  const unknown = Object.keys(members).find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`The step '${step}' has no member '${unknown}'.`);
  const read = (name: keyof CommandTerms): JsonValue | undefined => member(members, name);
  if (step === "throttle" && read("sharePercent") === undefined) {
    refuse("The member 'sharePercent' says how much of the rates the job may spend.");
  }
  if (step === "mirror" && read("percent") === undefined) {
    refuse("The member 'percent' says how many of the reads are mirrored; 0 ends it.");
  }
  return {
    sharePercent: percentOf(read("sharePercent"), "sharePercent"),
    percent: read("percent") === 0 ? 0 : percentOf(read("percent"), "percent"),
    deadlineMs: countOf(read("deadlineMs"), "deadlineMs", DEADLINE_MS_MAX),
    isForced: truthOf(read("isForced"), "isForced"),
    dropTarget: truthOf(read("dropTarget"), "dropTarget"),
    keepOld: truthOf(read("keepOld"), "keepOld"),
  };
}

export function nameOf(value: JsonValue | undefined, name: string): NamedContainer {
  const container = objectOf(value, `The member '${name}'`);
  return {
    database: textNamed(member(container, "database"), `${name}.database`),
    container: textNamed(member(container, "container"), `${name}.container`),
  };
}

function textsOf(value: JsonValue | undefined, name: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  return listOf(value, `The member '${name}'`).map((one) => textOf(one, `Each of '${name}'`));
}

function definitionOf(value: JsonValue | undefined): JsonObject | undefined {
  return value === undefined ? undefined : objectOf(value, "The member 'definition'");
}

export function throughputOf(value: JsonValue | undefined): CopyThroughput | undefined {
  if (value === undefined) return undefined;
  const throughput = objectOf(value, "The member 'throughput'");
  const kind = wordNamed(member(throughput, "kind"), "throughput.kind", [
    "manual",
    "autoscale",
    "shared",
  ]);
  if (kind === "shared") return { kind };
  const rate = member(throughput, "ratePerSecond");
  return { kind, ratePerSecond: wholeNumberNamed(rate, "throughput.ratePerSecond", 1, RATE_MAX) };
}

const RATE_MAX = 1_000_000_000;

/** Above 0, and not above 100. */
export function percentOf(value: JsonValue | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && value > 0 && value <= 100) return value;
  return refuse(`The member '${name}' must be a number above 0 and up to 100.`);
}

function countOf(value: JsonValue | undefined, name: string, max: number): number | undefined {
  return value === undefined ? undefined : wholeNumberNamed(value, name, 0, max);
}

export function truthOf(value: JsonValue | undefined, name: string): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  return refuse(`The member '${name}' must be true or false.`);
}
