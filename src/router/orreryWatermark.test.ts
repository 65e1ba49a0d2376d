/** The watermark that a server tells: which lifecycle, with which key, for how long. */
import { describe, expect, test } from "vitest";
import { BadRoute } from "./badRoute.ts";
import type { FetchJson, OrreryWatermarkOptions } from "./orreryWatermark.ts";
import { orreryWatermark } from "./orreryWatermark.ts";

const PLACES = {
  hot: { database: "news", container: "feeds" },
  warm: { database: "news", container: "feedsOld" },
};
const ENTRY = {
  id: "feeds",
  ...PLACES,
  ageProperty: "publishedDate",
  ageSeconds: 2_592_000,
  markProperty: "migrated",
  markTtlSeconds: 86_400,
  settledBefore: 1_777_593_600_000,
  movedBefore: 1_777_680_000_000,
};

/** A server that answers with these in turn, and then with the last of them. */
function serverOf(...answers: readonly (readonly [status: number, body: unknown])[]) {
  const asked: { readonly url: string; readonly authorization: string | undefined }[] = [];
  const fetch: FetchJson = async (url, { headers }) => {
    asked.push({ url, authorization: headers["authorization"] });
    const [status, body] = answers[Math.min(asked.length, answers.length) - 1]!;
    return { status, json: async () => body };
  };
  return { asked, fetch };
}

const open = (options: Partial<OrreryWatermarkOptions>) =>
  orreryWatermark({ endpoint: "http://127.0.0.1:8081", ...PLACES, ...options });

test("what the status says of this hot and this warm", async () => {
  const others = [
    { ...ENTRY, warm: { database: "news", container: "other" }, settledBefore: 1 },
    { ...ENTRY, state: "stopped", endedAt: 1_777_000_000_000, settledBefore: 3 },
    { ...ENTRY, hot: { database: "old", container: "feeds" }, settledBefore: 2 },
    null,
  ];
  const { asked, fetch } = serverOf([200, { lifecycles: [...others, ENTRY] }]);
  const { id: _, hot: __, warm: ___, ...state } = ENTRY;
  expect(await open({ fetch })()).toEqual(state);
  expect(asked).toEqual([
    { url: "http://127.0.0.1:8081/_orrery/v1/lifecycles", authorization: undefined },
  ]);
});

test("what is not known, or is no number, is not there", async () => {
  const { movedBefore: _, ...entry } = ENTRY;
  const unknown = { ...entry, settledBefore: undefined, ageSeconds: "60", markTtlSeconds: null };
  const { fetch } = serverOf([200, { lifecycles: [unknown] }]);
  const { ageProperty, markProperty } = ENTRY;
  expect(await open({ fetch })()).toEqual({ ageProperty, markProperty });
});

test("the key is sent to a server that asks for it, and from then on at once", async () => {
  const { asked, fetch } = serverOf([401, {}], [200, { lifecycles: [ENTRY] }]);
  const watermark = open({ fetch, key: "a2V5" });
  await watermark();
  await watermark();
  expect(asked.map(({ authorization }) => authorization)).toEqual([
    undefined,
    "Bearer a2V5",
    "Bearer a2V5",
  ]);
});

test.each([
  ["no key where one is wanted", [401, {}], /said 401/],
  ["a server without lifecycles", [404, {}], /said 404/],
  ["no list", [200, { lifecycles: "none" }], /did not answer with a list/],
  ["nothing", [200, null], /did not answer with a list/],
  [
    "another lifecycle",
    [200, { lifecycles: [] }],
    /runs no lifecycle from news\/feeds to news\/feedsOld/,
  ],
] as const)("%s is an error", async (_what, answer, message) => {
  const { fetch } = serverOf(answer);
  await expect(open({ fetch })()).rejects.toThrow(message);
});

test("a server that cannot be reached is named", async () => {
  const fetch = (): Promise<never> => Promise.reject(new TypeError("fetch failed"));
  await expect(open({ fetch })()).rejects.toThrow(
    /The server at http.* could not be asked for its lifecycles: fetch failed\./,
  );
});

describe("an answer is used again", () => {
  test("never, unless told", async () => {
    const { asked, fetch } = serverOf([200, { lifecycles: [ENTRY] }]);
    const watermark = open({ fetch });
    await Promise.all([watermark(), watermark()]);
    expect(asked).toHaveLength(2);
  });

  test("for as long as it was told, and not if it failed", async () => {
    let now = 1000;
    const { asked, fetch } = serverOf([500, {}], [200, { lifecycles: [ENTRY] }]);
    const watermark = open({ fetch, maxAgeMs: 50, clock: { now: () => now } });
    await expect(watermark()).rejects.toThrow("500");
    await Promise.all([watermark(), watermark()]);
    now = 1049;
    await watermark();
    expect(asked).toHaveLength(2);
    now = 1050;
    await watermark();
    expect(asked).toHaveLength(3);
  });
});

test.each<[Partial<OrreryWatermarkOptions>, RegExp]>([
  [{ endpoint: "localhost" }, /endpoint: localhost is no URL/],
  [{ maxAgeMs: -1 }, /maxAgeMs: -1/],
  [{ maxAgeMs: 5 }, /maxAgeMs needs a clock/],
])("%j is refused", (options, message) => {
  expect(() => open(options)).toThrow(BadRoute);
  expect(() => open(options)).toThrow(message);
});
