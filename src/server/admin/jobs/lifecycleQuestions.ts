/** What is asked of lifecycles, read once: members of the body become typed requests. */
import type { LifecycleRequest } from "../../../engine/lifecycle/lifecycleRequest.ts";
import { LIFECYCLE_DEFAULTS } from "../../../engine/lifecycle/lifecycleRequest.ts";
import {
  listOf,
  member,
  objectOf,
  refuse,
  textNamed,
  textOf,
  wholeNumberNamed,
} from "../../../json/reading.ts";
import type { JsonObject, JsonValue } from "../../../json/value.ts";
import type { LifecycleSettings, LifecycleStep, NewPair } from "../../../model/lifecycle.ts";
import { nameOf, percentOf, throughputOf, truthOf } from "./copyQuestions.ts";

/** Everything that can be changed later. */
const SETTING_MEMBERS: readonly (keyof LifecycleSettings)[] = [
  "ageProperty",
  "ageSeconds",
  "intervalSeconds",
  "batch",
  "sharePercent",
  "markProperty",
  "markTtlSeconds",
  "archiveAfterSeconds",
];

/** The members that a question for a lifecycle may have. */
export const LIFECYCLE_MEMBERS: readonly string[] = [
  "hot",
  "warm",
  ...SETTING_MEMBERS,
  "create",
  "enableTtl",
  "isForced",
  "dryRun",
];

/** All members that some step may have. */
export const LIFECYCLE_STEP_MEMBERS: readonly string[] = SETTING_MEMBERS;

const NEW_PAIR_MEMBERS: readonly (keyof NewPair)[] = [
  "partitionKey",
  "hotThroughput",
  "warmThroughput",
  "hotTtlSeconds",
  "compositePath",
  "warmExcludedPaths",
];

/** As long as an item may live. */
const SECONDS_MAX = 2 ** 31 - 1;
const BATCH_MAX = 10_000;
const PATH_COUNT_MAX = 100;

/** With every default filled in. */
export function lifecycleRequestOf(members: JsonObject): LifecycleRequest {
  const given = settingsOf(members);
  const { ageProperty, ageSeconds } = given;
  if (ageProperty === undefined) {
    return refuse("The member 'ageProperty' names the path of the date of items, such as /date.");
  }
  if (ageSeconds === undefined) {
    return refuse("The member 'ageSeconds' says after how many seconds an item is moved.");
  }
  return {
    hot: nameOf(member(members, "hot"), "hot"),
    warm: nameOf(member(members, "warm"), "warm"),
    settings: { ...LIFECYCLE_DEFAULTS, ...given, ageProperty, ageSeconds },
    create: newPairOf(member(members, "create")),
    enableTtl: truthOf(member(members, "enableTtl"), "enableTtl") ?? false,
    isForced: truthOf(member(members, "isForced"), "isForced") ?? false,
  };
}

export function isDryRun(members: JsonObject): boolean {
  return truthOf(member(members, "dryRun"), "dryRun") ?? false;
}

/** What a step comes with: settings if it changes some, and nothing otherwise. */
export function lifecycleChangeOf(
  step: LifecycleStep,
  members: JsonObject,
): Partial<LifecycleSettings> {
  const [first] = Object.keys(members);
  if (step !== "change" && first !== undefined) {
    refuse(`The step '${step}' has no member '${first}'.`);
  }
  if (step === "change" && first === undefined) {
    refuse(`Say what is to change: ${SETTING_MEMBERS.join(", ")}.`);
  }
  return settingsOf(members);
}

/** Only those that were given. */
function settingsOf(members: JsonObject): Partial<LifecycleSettings> {
  const read = (name: keyof LifecycleSettings): JsonValue | undefined => member(members, name);
  const seconds = (name: keyof LifecycleSettings, min = 1): number | undefined => {
    const value = read(name);
    return value === undefined ? undefined : wholeNumberNamed(value, name, min, SECONDS_MAX);
  };
  const text = (name: keyof LifecycleSettings): string | undefined => {
    const value = read(name);
    return value === undefined ? undefined : textNamed(value, name);
  };
  const batch = read("batch");
  const archiveAfterSeconds = seconds("archiveAfterSeconds", 0);
  const settings = {
    ageProperty: text("ageProperty"),
    ageSeconds: seconds("ageSeconds"),
    intervalSeconds: seconds("intervalSeconds"),
    batch: batch === undefined ? undefined : wholeNumberNamed(batch, "batch", 1, BATCH_MAX),
    sharePercent: percentOf(read("sharePercent"), "sharePercent"),
    markProperty: text("markProperty"),
    markTtlSeconds: seconds("markTtlSeconds"),
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(given) as Partial<LifecycleSettings>),
    // Zero takes the setting back.
    ...(archiveAfterSeconds !== undefined && {
      archiveAfterSeconds: archiveAfterSeconds === 0 ? undefined : archiveAfterSeconds,
    }),
  };
}

function newPairOf(value: JsonValue | undefined): NewPair | undefined {
  if (value === undefined) return undefined;
  const pair = objectOf(value, "The member 'create'");
  const known: readonly string[] = NEW_PAIR_MEMBERS;
  const unknown = Object.keys(pair).find((name) => !known.includes(name));
  if (unknown !== undefined) refuse(`The member 'create' has no member '${unknown}'.`);
  const read = (name: keyof NewPair): JsonValue | undefined => member(pair, name);
  const paths = (name: keyof NewPair): readonly string[] | undefined => {
    const list = read(name);
    if (list === undefined) return undefined;
    return listOf(list, `The member '${name}'`, PATH_COUNT_MAX).map((one) =>
      textOf(one, `Each of '${name}'`),
    );
  };
  const ttl = read("hotTtlSeconds");
  const composite = read("compositePath");
  return {
    partitionKey: paths("partitionKey"),
    hotThroughput: throughputOf(read("hotThroughput")),
    warmThroughput: throughputOf(read("warmThroughput")),
    hotTtlSeconds:
      ttl === undefined ? undefined : wholeNumberNamed(ttl, "hotTtlSeconds", 1, SECONDS_MAX),
    compositePath: composite === undefined ? undefined : textNamed(composite, "compositePath"),
    warmExcludedPaths: paths("warmExcludedPaths"),
  };
}
