/**
 * What `orrery copy` was asked about the copy itself: its arguments, checked, as the question that
 * the server gets. A copy between two accounts is asked for in the same words.
 */

import { readFileSync } from "node:fs";
import { isObject, type JsonObject, type JsonValue } from "../../json/value.ts";
import { printKeyExpression } from "../../keys/expressionText.ts";
import type { CopyQuestion, CopyThroughput, Setback } from "../../model/copyJob.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { containerOf } from "../connect/serverOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { numberOf } from "../terminal/numberOption.ts";
import { keyLevelsOf, keyPropertiesOf } from "./keyOption.ts";

/** For `parseArgs`. Here `--key` is a partition key, as everywhere in what is said about copies. */
export const COPY_OPTIONS = {
  key: { type: "string" },
  "key-property": { type: "string", multiple: true },
  online: { type: "boolean" },
  offline: { type: "boolean" },
  where: { type: "string" },
  select: { type: "string" },
  sample: { type: "string" },
  ttl: { type: "string" },
  "on-clash": { type: "string" },
  "on-missing-key": { type: "string" },
  "on-refused": { type: "string" },
  "set-aside-max": { type: "string" },
  share: { type: "string" },
  throughput: { type: "string" },
  autoscale: { type: "string" },
  shared: { type: "boolean" },
  "index-policy": { type: "string" },
  "default-ttl": { type: "string" },
  "cut-over": { type: "string" },
  swap: { type: "boolean" },
  "dry-run": { type: "boolean" },
  token: { type: "string" },
} as const;

/** The values of those options, as `parseArgs` gives them. */
type CopyValues = {
  readonly [Name in keyof typeof COPY_OPTIONS]?:
    | ((typeof COPY_OPTIONS)[Name] extends { readonly multiple: true }
        ? string[]
        : (typeof COPY_OPTIONS)[Name]["type"] extends "boolean"
          ? boolean
          : string)
    | undefined;
};

const TTL_SECONDS_MAX = 2 ** 31 - 1;
const SET_ASIDE_MAX = 1e9;

export function questionOf(positionals: readonly string[], values: CopyValues): CopyQuestion {
  const [from, to, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  if (from === undefined || to === undefined) {
    throw new BadOption("Name two containers: `orrery copy <db>/<container> <db>/<container>`.");
  }
  const levels = values.key === undefined ? undefined : keyLevelsOf(values.key);
  const question: CopyQuestion = {
    source: containerOf(from),
    target: containerOf(to),
    key: levels?.map(printKeyExpression),
    keyProperties: keyPropertiesOf(values["key-property"], levels),
    definition: definitionOf(values),
    throughput: throughputOf(values),
    mode: modeOf(values),
    where: textOf("--where", values.where),
    select: textOf("--select", values.select),
    samplePercent: percentOf("--sample", values.sample),
    ttl: oneOf("--ttl", values.ttl, ["keep", "restart"]),
    onClash: setbackOf("--on-clash", values["on-clash"]),
    onMissingKey:
      values["on-missing-key"] === "none"
        ? "none"
        : setbackOf("--on-missing-key", values["on-missing-key"], "none"),
    onRefused: setbackOf("--on-refused", values["on-refused"]),
    setAsideMax: numberOf("--set-aside-max", values["set-aside-max"], 0, SET_ASIDE_MAX),
    sharePercent: percentOf("--share", values.share),
    cutOver: oneOf("--cut-over", values["cut-over"], ["automatic", "manual"]),
    switchBy: values.swap === true ? "names" : undefined,
    isDryRun: values["dry-run"] === true ? true : undefined,
    token: textOf("--token", values.token),
  };
  return question;
}

function modeOf(values: CopyValues): CopyQuestion["mode"] {
  const { online = false, offline = false, swap = false } = values;
  const later = swap ? "--swap" : values["cut-over"] === undefined ? undefined : "--cut-over";
  if (online && offline) throw new BadOption("--online and --offline exclude each other.");
  if (offline && later !== undefined) {
    throw new BadOption(`${later} is the end of an online copy; an offline one has none.`);
  }
  return online || later !== undefined ? "online" : "offline";
}

function definitionOf(values: CopyValues): JsonObject | undefined {
  const { "index-policy": file, "default-ttl": ttl } = values;
  const changed: Record<string, JsonValue> = {};
  if (file !== undefined) changed["indexingPolicy"] = policyIn(file);
  if (ttl === "off") changed["defaultTtl"] = null;
  else if (ttl === "-1") changed["defaultTtl"] = -1;
  else if (ttl !== undefined) {
    changed["defaultTtl"] = numberOf("--default-ttl", ttl, 1, TTL_SECONDS_MAX, ", off, or -1")!;
  }
  return Object.keys(changed).length === 0 ? undefined : changed;
}

function policyIn(file: string): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(readFileSync(file, "utf8")) as JsonValue;
  } catch (error) {
    throw new CommandFailure(
      `--index-policy '${file}' cannot be read: ${(error as Error).message}`,
    );
  }
  if (isObject(value)) return value;
  throw new CommandFailure(`--index-policy '${file}' holds no JSON object.`);
}

function throughputOf(values: CopyValues): CopyThroughput | undefined {
  const { throughput, autoscale, shared = false } = values;
  const told = [throughput !== undefined, autoscale !== undefined, shared];
  if (told.filter(Boolean).length > 1) {
    throw new BadOption("--throughput, --autoscale and --shared exclude each other.");
  }
  const { rateMax } = SERVICE_LIMITS;
  if (shared) return { kind: "shared" };
  const manual = numberOf("--throughput", throughput, 1, rateMax);
  if (manual !== undefined) return { kind: "manual", ratePerSecond: manual };
  const ceiling = numberOf("--autoscale", autoscale, 1, rateMax);
  return ceiling === undefined ? undefined : { kind: "autoscale", ratePerSecond: ceiling };
}

/** As people write it on a command line. */
function setbackOf(option: string, text: string | undefined, more?: string): Setback | undefined {
  if (text === undefined) return undefined;
  if (text === "stop") return "stop";
  if (text === "set-aside") return "setAside";
  const known = ["stop", "set-aside", ...(more === undefined ? [] : [more])];
  throw new BadOption(`${option} is '${text}'; it must be ${known.join(" or ")}.`);
}

function textOf(option: string, text: string | undefined): string | undefined {
  if (text !== undefined && text.trim() === "") throw new BadOption(`${option} is empty.`);
  return text;
}

function oneOf<T extends string>(
  option: string,
  text: string | undefined,
  known: readonly T[],
): T | undefined {
  const found = known.find((name) => name === text);
  if (text === undefined || found !== undefined) return found;
  throw new BadOption(`${option} is '${text}'; it must be ${known.join(" or ")}.`);
}

function percentOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const percent = Number(text);
  if (/^\d{1,3}(\.\d{1,6})?$/.test(text) && percent > 0 && percent <= 100) return percent;
  throw new BadOption(`${option} is '${text}'; it must be a number of percent, at most 100.`);
}
