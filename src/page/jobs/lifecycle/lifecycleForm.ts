/**
 * What the form that starts a lifecycle asks for, as text in the address, and the question to the
 * server that follows from it; or what is wrong with it. The settings of a lifecycle that runs are
 * the same fields.
 */

import { durationField, secondsOfDuration } from "../../../base/duration.ts";
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { NamedContainer } from "../../../model/copyJob.ts";
import type { LifecycleQuestion, LifecycleSettings } from "../../../model/lifecycle.ts";

export interface SettingFields {
  readonly date: string;
  readonly age: string;
  readonly interval: string;
  readonly batch: string;
  readonly share: string;
  readonly mark: string;
  readonly markTtl: string;
  /** Empty: no warning about items that should be archived. */
  readonly archiveAfter: string;
}

export interface LifecycleForm extends SettingFields {
  /** `shop/orders` */
  readonly hot: string;
  readonly warm: string;
  /** Make what is not there. */
  readonly create: "no" | "yes";
  /** The key of both, for a pair that is not there; levels separated by commas. */
  readonly key: string;
  readonly enableTtl: "no" | "yes";
}

export const USUAL_LIFECYCLE: LifecycleForm = {
  hot: "",
  warm: "",
  date: "",
  age: "30d",
  interval: "15m",
  batch: "100",
  share: "50",
  mark: "migrated",
  markTtl: "1d",
  archiveAfter: "",
  create: "no",
  key: "",
  enableTtl: "no",
};

export interface LifecycleProblem {
  readonly field: keyof LifecycleForm;
  readonly message: string;
}

const DURATION = "Write a duration such as 30d, 12h, 15m or 45s.";
const BATCH_MAX = 10_000;

/** The settings that fields say; zero for `archiveAfterSeconds` takes it back. */
export function settingsOf(fields: SettingFields): Result<LifecycleSettings, LifecycleProblem> {
  if (!/^\/.+/.test(fields.date.trim())) {
    return wrong("date", "Write the path of the date, such as /publishedDate.");
  }
  const ageSeconds = secondsOfDuration(fields.age);
  if (ageSeconds === undefined) return wrong("age", DURATION);
  const intervalSeconds = secondsOfDuration(fields.interval);
  if (intervalSeconds === undefined) return wrong("interval", DURATION);
  const markTtlSeconds = secondsOfDuration(fields.markTtl);
  if (markTtlSeconds === undefined) return wrong("markTtl", DURATION);
  const archiveAfterSeconds =
    fields.archiveAfter.trim() === "" ? 0 : secondsOfDuration(fields.archiveAfter);
  if (archiveAfterSeconds === undefined) return wrong("archiveAfter", `${DURATION} Or nothing.`);
  const batch = Number(fields.batch);
  if (!Number.isInteger(batch) || batch < 1 || batch > BATCH_MAX) {
    return wrong("batch", "Write a whole number from 1 to 10,000.");
  }
  const sharePercent = Number(fields.share);
  if (fields.share.trim() === "" || !(sharePercent > 0 && sharePercent <= 100)) {
    return wrong("share", "Write a number of percent: more than 0, at most 100.");
  }
  if (fields.mark.trim() === "") return wrong("mark", "Name a property, such as migrated.");
  return ok({
    ageProperty: fields.date.trim(),
    ageSeconds,
    intervalSeconds,
    batch,
    sharePercent,
    markProperty: fields.mark.trim(),
    markTtlSeconds,
    archiveAfterSeconds,
  });
}

export function fieldsOf(settings: LifecycleSettings): SettingFields {
  const { archiveAfterSeconds } = settings;
  return {
    date: settings.ageProperty,
    age: durationField(settings.ageSeconds),
    interval: durationField(settings.intervalSeconds),
    batch: String(settings.batch),
    share: String(settings.sharePercent),
    mark: settings.markProperty,
    markTtl: durationField(settings.markTtlSeconds),
    archiveAfter: archiveAfterSeconds === undefined ? "" : durationField(archiveAfterSeconds),
  };
}

/** Only what differs from the settings in force: that is what is asked for. */
export function changesOf(
  before: LifecycleSettings,
  after: LifecycleSettings,
): Partial<LifecycleSettings> {
  const names = Object.keys(after) as (keyof LifecycleSettings)[];
  const now = { ...before, archiveAfterSeconds: before.archiveAfterSeconds ?? 0 };
  return Object.fromEntries(
    names.filter((name) => after[name] !== now[name]).map((name) => [name, after[name]]),
  );
}

export function questionOf(form: LifecycleForm): Result<LifecycleQuestion, LifecycleProblem> {
  const hot = namedIn(form.hot);
  if (hot === undefined) return wrong("hot", "Write database/container, such as news/current.");
  const warm = namedIn(form.warm);
  if (warm === undefined) return wrong("warm", "Write database/container, such as news/history.");
  if (form.hot.trim() === form.warm.trim()) {
    return wrong("warm", "Hot and warm are two containers.");
  }
  const settings = settingsOf(form);
  if (!settings.ok) return settings;
  const { archiveAfterSeconds, ...others } = settings.value;
  const paths = form.key
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
  return ok({
    hot,
    warm,
    ...others,
    ...(archiveAfterSeconds !== 0 && { archiveAfterSeconds }),
    ...(form.create === "yes" && {
      create: paths.length === 0 ? {} : { partitionKey: paths },
    }),
    ...(form.enableTtl === "yes" && { enableTtl: true }),
  });
}

function namedIn(text: string): NamedContainer | undefined {
  const [database = "", container = "", ...rest] = text.trim().split("/");
  return database === "" || container === "" || rest.length > 0
    ? undefined
    : { database, container };
}

function wrong(field: keyof LifecycleForm, message: string): Result<never, LifecycleProblem> {
  return no({ field, message });
}
