/** From the form to the question, and what is wrong with a form. */
import { describe, expect, test } from "vitest";
import type { CopyForm } from "./copyForm.ts";
import { isMadeUp, isPlanOf, questionOf, USUAL_FORM } from "./copyForm.ts";

const FORM: CopyForm = {
  ...USUAL_FORM,
  source: "shop/orders",
  target: "shop/orders2",
  key: "/tenantId, /userId",
};

test("a form that is filled in is a question", () => {
  expect(questionOf(FORM)).toEqual({
    ok: true,
    value: {
      source: { database: "shop", container: "orders" },
      target: { database: "shop", container: "orders2" },
      key: ["/tenantId", "/userId"],
      mode: "online",
      switchBy: "names",
      sharePercent: 20,
    },
  });
});

test("commas inside an expression separate no levels", () => {
  const key = "concat(/tenantId,'-',hash(/id) % 10)";
  expect(isMadeUp(key)).toBe(true);
  expect(questionOf({ ...FORM, key, property: "/pk" })).toMatchObject({
    ok: true,
    value: { key: ["concat(/tenantId, '-', hash(/id) % 10)"], keyProperties: ["/pk"] },
  });
});

describe("what is wrong is said at its field", () => {
  test.each<[keyof CopyForm, Partial<CopyForm>]>([
    ["source", { source: "" }],
    ["target", { target: "orders2" }],
    ["target", { target: "a/b/c" }],
    ["target", { target: "shop/orders" }],
    ["key", { key: "tenantId" }],
    ["key", { key: "/a,/b,/c,/d" }],
    ["property", { key: "hash(/id) % 10" }],
    ["property", { property: "/pk" }],
    ["share", { share: "" }],
    ["share", { share: "0" }],
    ["share", { share: "101" }],
  ])("%s of %j", (field, change) => {
    expect(questionOf({ ...FORM, ...change })).toMatchObject({ ok: false, error: { field } });
  });
});

test("a plan is of the question, whatever the server filled in, and of no other", () => {
  const question = questionOf(FORM);
  if (!question.ok) throw new Error(question.error.message);
  const asked = { ...question.value, onClash: "stop", isDryRun: true, ttl: "keep" } as const;
  expect(isPlanOf(asked, question.value)).toBe(true);
  for (const change of [{ key: "/other" }, { setback: "setAside" }, { switchBy: "application" }]) {
    const other = questionOf({ ...FORM, ...(change as Partial<CopyForm>) });
    expect(other.ok && isPlanOf(asked, other.value)).toBe(false);
  }
});
