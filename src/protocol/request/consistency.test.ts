/** Which levels a request may ask for, under each level of the account. */
import { expect, test } from "vitest";
import { parseConsistency } from "./consistency.ts";

const LEVELS = ["strong", "boundedStaleness", "session", "consistentPrefix", "eventual"] as const;
const NAMES = ["Strong", "BoundedStaleness", "Session", "ConsistentPrefix", "Eventual"];

function asked(text: string | undefined, own: (typeof LEVELS)[number]): string {
  const headers = text === undefined ? {} : { "x-ms-consistency-level": text };
  const level = parseConsistency(headers, own);
  return level.ok ? level.value : "refused";
}

test.each(LEVELS.map((own, index) => [own, index] as const))("an account of %s", (own, index) => {
  expect(asked(undefined, own)).toBe(own);
  expect(asked("", own)).toBe(own);
  NAMES.forEach((name, at) => {
    // From Session on, any may be asked for: none of them waits for another replica.
    expect(asked(name, own)).toBe(at < Math.min(index, 2) ? "refused" : LEVELS[at]);
    expect(asked(name.toUpperCase(), own)).toBe(asked(name, own));
  });
  expect(asked("Linearizable", own)).toBe("refused");
});

test("a refusal says what the account has", () => {
  const level = parseConsistency({ "x-ms-consistency-level": "Strong" }, "session");
  expect(level).toMatchObject({ ok: false, error: { kind: "badRequest" } });
  expect(JSON.stringify(level)).toContain("Session");
});
