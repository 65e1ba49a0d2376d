/** From the fields of a lifecycle to the question, back again, and what is wrong with them. */
import { describe, expect, test } from "vitest";
import { durationField, secondsOfDuration } from "../../../base/duration.ts";
import type { LifecycleForm } from "./lifecycleForm.ts";
import { changesOf, fieldsOf, questionOf, settingsOf, USUAL_LIFECYCLE } from "./lifecycleForm.ts";

const FORM: LifecycleForm = {
  ...USUAL_LIFECYCLE,
  hot: "news/current",
  warm: "news/history",
  date: "/publishedDate",
};

test("a form that is filled in is a question", () => {
  expect(questionOf({ ...FORM, create: "yes", key: "/a, /b", archiveAfter: "2d" })).toEqual({
    ok: true,
    value: {
      hot: { database: "news", container: "current" },
      warm: { database: "news", container: "history" },
      ageProperty: "/publishedDate",
      ageSeconds: 30 * 86_400,
      intervalSeconds: 900,
      batch: 100,
      sharePercent: 50,
      markProperty: "migrated",
      markTtlSeconds: 86_400,
      archiveAfterSeconds: 2 * 86_400,
      create: { partitionKey: ["/a", "/b"] },
    },
  });
});

describe("what is wrong is said at its field", () => {
  test.each<[keyof LifecycleForm, string]>([
    ["hot", ""],
    ["warm", "history"],
    ["warm", "news/current"],
    ["date", "publishedDate"],
    ["age", "30"],
    ["interval", "0m"],
    ["batch", "1.5"],
    ["share", "0"],
    ["mark", " "],
    ["archiveAfter", "soon"],
  ])("%s of %j", (field, text) => {
    expect(questionOf({ ...FORM, [field]: text })).toMatchObject({ ok: false, error: { field } });
  });
});

test("settings come back as the fields they were, and only changes are asked for", () => {
  const settings = settingsOf({ ...FORM, archiveAfter: "2d" });
  if (!settings.ok) throw new Error(settings.error.message);
  expect(settingsOf(fieldsOf(settings.value))).toEqual(settings);
  const changed = settingsOf({ ...fieldsOf(settings.value), age: "60d", archiveAfter: "" });
  if (!changed.ok) throw new Error(changed.error.message);
  expect(changesOf(settings.value, changed.value)).toEqual({
    ageSeconds: 60 * 86_400,
    archiveAfterSeconds: 0,
  });
  expect(changesOf(settings.value, settings.value)).toEqual({});
});

test("durations are written in the largest unit that fits", () => {
  expect([86_400, 5400, 900, 61].map(durationField)).toEqual(["1d", "90m", "15m", "61s"]);
  expect([86_400, 5400, 61].map((seconds) => secondsOfDuration(durationField(seconds)))).toEqual([
    86_400, 5400, 61,
  ]);
});
