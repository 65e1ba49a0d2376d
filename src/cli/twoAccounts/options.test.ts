/** Which two accounts, and what a copy between them can be asked. */
import { describe, expect, test } from "vitest";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import type { CopyQuestion } from "../../model/copyJob.ts";
import { checkNoAccounts, isBetweenAccounts, type TwoAccounts, twoAccountsOf } from "./options.ts";

const A = "https://a.example:8081/";
const B = "https://b.example:8081/";
const KEY = "c2VjcmV0c2VjcmV0";
const OWN = { endpoint: new URL("http://127.0.0.1:8081"), key: "b3du" };

function two(
  values: Parameters<typeof twoAccountsOf>[0],
  change: Partial<CopyQuestion> = {},
  key?: string,
  environment: Readonly<Record<string, string>> = {},
): TwoAccounts {
  const name = { database: "d", container: "c" };
  const question: CopyQuestion = { source: name, target: name, mode: "offline", ...change };
  const levels = key === undefined ? undefined : parseKeyLevels(key);
  return twoAccountsOf(values, {
    question,
    levels: levels?.ok === true ? levels.value : undefined,
    server: () => OWN,
    environment,
  });
}

const BOTH = { from: A, "from-key": KEY, to: B, "to-key": KEY };

test("keys come from the command line or the environment, and the other end is this server", () => {
  expect(two(BOTH)).toMatchObject({ from: { key: KEY }, to: { key: KEY } });
  const environment = { ORRERY_FROM_KEY: KEY };
  const half = two({ from: A }, {}, undefined, environment);
  expect([half.from.key, half.from.endpoint.origin]).toEqual([KEY, "https://a.example:8081"]);
  expect(half.to).toEqual(OWN);
});

test("either end makes it a copy between accounts", () => {
  expect([isBetweenAccounts({ from: A }), isBetweenAccounts({ to: B })]).toEqual([true, true]);
  expect(isBetweenAccounts({ verify: true })).toBe(false);
  expect(() => checkNoAccounts({ resume: "state" })).toThrow(/--resume is/);
  expect(() => checkNoAccounts({ verify: true })).not.toThrow();
  expect(() => checkNoAccounts({})).not.toThrow();
});

describe("refused before anybody is asked", () => {
  test.each<[string, () => unknown, RegExp]>([
    [
      "no key",
      () => two({ from: A }),
      /--from needs a key: in ORRERY_FROM_KEY, or with --from-key/,
    ],
    ["an empty key", () => two({ from: A, "from-key": "" }), /--from needs a key/],
    ["a key that is none", () => two({ to: A, "to-key": "my key!" }), /is no base64/],
    ["a key for nobody", () => two({ ...BOTH, to: undefined }), /--to-key is for the account/],
    [
      "the same container",
      () => two({ ...BOTH, to: "https://A.example:8081" }),
      /the same container/,
    ],
    [
      "a condition while changes are followed",
      () => two(BOTH, { where: "c.n = 1", mode: "online" }),
      /--where is answered by a query/,
    ],
    [
      "a list while changes are followed",
      () => two(BOTH, { select: "c.id", mode: "online" }),
      /--select is answered by a query/,
    ],
    [
      "a place in a query",
      () => two({ ...BOTH, resume: "f" }, { where: "true" }),
      /--resume notes places in the change feed/,
    ],
    ["an end of what ends anyway", () => two({ ...BOTH, "until-lag": "5" }), /with --online/],
    [
      "setting aside without a file",
      () => two(BOTH, { onRefused: "setAside" }),
      /--set-aside <file>/,
    ],
    ["chance", () => two(BOTH, {}, "suffix(/a, random(), 5)"), /Use hash\(\)/],
    ["chance within", () => two(BOTH, {}, "concat(/a, turn(5))"), /Use hash\(\)/],
  ])("%s", (_name, ask, complaint) => {
    expect(ask).toThrow(complaint);
  });

  test("and no key is ever in what is said", () => {
    const key = "not a key at all";
    expect(() => two({ from: A, "from-key": key })).not.toThrow(new RegExp(key));
  });
});
