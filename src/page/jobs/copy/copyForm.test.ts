/** From the form to the question, and what is wrong with a form. */
import { describe, expect, test } from "vitest";
import type { CopyForm } from "./copyForm.ts";
import { isMadeUp, isPlanOf, questionOf, USUAL_FORM, withField } from "./copyForm.ts";

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

test("a target that nobody chose follows source and key, one that was typed stays", () => {
  const chosen = withField(USUAL_FORM, "source", "shop/orders");
  expect(chosen.target).toBe("shop/orders-copy");
  const keyed = withField(chosen, "key", "/tenantId, /userId");
  expect(keyed.target).toBe("shop/orders-by-tenantId-userId");
  expect(withField(keyed, "source", "shop/carts").target).toBe("shop/carts-by-tenantId-userId");
  expect(withField(keyed, "target", "").target).toBe("");
  const typed = withField(keyed, "target", "shop/mine");
  expect(withField(typed, "key", "/other").target).toBe("shop/mine");
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
