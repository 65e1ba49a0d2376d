/** What the profiler says of items, against items of which the answer is known. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { timeOf } from "../../keys/time.ts";
import { itemTimeOf } from "./itemTime.ts";
import type { KeyProfile, Profile, PropertyProfile } from "./profile.ts";
import { Profiler, type ProfilerOptions } from "./profiler.ts";
import { profileText, restoredProfile } from "./savedProfile.ts";
import { Survey } from "./survey.ts";

function profileOf(
  items: Iterable<JsonObject>,
  options: Partial<ProfilerOptions> = {},
  bytesOf = (item: JsonObject): number => Buffer.byteLength(JSON.stringify(item)),
): Profile {
  const survey = new Survey();
  const all = [...items].map((item) => ({ item, bytes: bytesOf(item) }));
  for (const { item, bytes } of all) survey.add(item, bytes);
  return readOnce(all, { survey: survey.result(), ...options });
}

/** As what comes once only is read: what to count is decided from the first items. */
function readOnce(
  items: readonly { readonly item: JsonObject; readonly bytes: number }[],
  options: Partial<ProfilerOptions> = {},
): Profile {
  const profiler = new Profiler({ source: "test", ...options });
  for (const { item, bytes } of items) profiler.add(item, bytes);
  return profiler.result("all");
}

function keyOf(profile: Profile, ...paths: string[]): KeyProfile | undefined {
  const wanted = paths.toSorted().join();
  return profile.keys.find((key) => key.paths.toSorted().join() === wanted);
}

function propertyOf(profile: Profile, path: string): PropertyProfile | undefined {
  return profile.properties.find((property) => property.path === path);
}

function itemsOf<T extends JsonObject>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const DAY = 86_400_000;
const STARTED_AT = Date.UTC(2024, 0, 1);

describe("items", () => {
  test("are measured as JSON texts, however they were written and whatever the service added", () => {
    const own = itemsOf(300, (index) => ({ id: `i${index % 10}`, text: "x".repeat(index) }));
    const stored = own.map((item) => ({
      ...item,
      _rid: "abc",
      _self: "dbs/x",
      _etag: "e",
      _attachments: "attachments/",
      _ts: 1_700_000_000,
    }));
    const spaced = profileOf(stored, {}, (item) => JSON.stringify(item, null, 4).length);
    const mean = own.reduce((sum, item) => sum + JSON.stringify(item).length, 0) / own.length;
    expect(spaced.itemBytes.mean).toBeCloseTo(mean, 6);
    expect(spaced.properties.map(({ path }) => path)).toEqual(["/_ts", "/id", "/text"]);
    expect(own).toContainEqual(spaced.sample[0]);
    expect(spaced.leafCountMean).toBe(1);
  });

  test("have lengths within 3 % of the exact quantiles", () => {
    const items = itemsOf(5000, (index) => ({ a: "x".repeat(100 + ((index * 7) % 5000)) }));
    const { itemBytes } = profileOf(items);
    const sorted = items.map((item) => JSON.stringify(item).length).toSorted((a, b) => a - b);
    expect(Math.abs(itemBytes.p50 / sorted[2500]! - 1)).toBeLessThan(0.04);
    expect(Math.abs(itemBytes.p99 / sorted[4950]! - 1)).toBeLessThan(0.04);
    expect(itemBytes.max).toBe(sorted.at(-1));
  });

  test("count their leaves, those in arrays too, without the id", () => {
    const items = [{ id: "1", a: 1, b: { c: [1, 2, { d: null }], e: "x" }, f: [] }];
    expect(profileOf(items).leafCountMean).toBe(5);
  });

  test("none at all are no failure", () => {
    const profile = profileOf([]);
    expect(profile).toMatchObject({
      itemCount: 0,
      time: null,
      properties: [],
      keys: [],
      sample: [],
    });
  });

  test("problems are counted, and the first of them kept", () => {
    const profiler = new Profiler({ source: "test" });
    for (let line = 1; line <= 50; line++) profiler.problem(`line ${line}`, "is broken");
    const { problems } = profiler.result("all");
    expect(problems.count).toBe(50);
    expect(problems.first.length).toBe(20);
    expect(problems.first[0]).toEqual({ place: "line 1", problem: "is broken" });
  });
});

describe("properties", () => {
  const values: readonly (JsonValue | undefined)[] = [
    "a",
    "b",
    1,
    true,
    null,
    [1],
    { x: 1 },
    undefined,
  ];
  const items = itemsOf(800, (index) => {
    const value = values[index % values.length];
    return value === undefined ? { id: `${index}` } : { id: `${index}`, value };
  });

  test("presence and types are shares", () => {
    const property = propertyOf(profileOf(items), "/value")!;
    expect(property.presence).toBe(7 / 8);
    expect(property.types).toEqual({
      string: 2 / 7,
      number: 1 / 7,
      boolean: 1 / 7,
      null: 1 / 7,
      array: 1 / 7,
      object: 1 / 7,
    });
    expect(property.distinct).toEqual({ value: 5, low: 5, high: 5 });
    expect(propertyOf(profileOf(items), "/value/x")!.presence).toBe(1 / 8);
  });

  test("a key counts what is no scalar as no value", () => {
    const key = keyOf(profileOf(items), "/value")!;
    expect(key.presence).toBe(5 / 8);
    expect(key.distinct.value).toBe(6);
    expect(key.heaviest[0]).toMatchObject({ values: [undefined], items: { value: 300 } });
  });

  test("bytes of values: texts in UTF-8, numbers as they are written", () => {
    const profile = profileOf(
      itemsOf(100, (index) => ({ t: index === 99 ? "日本語" : "ab", n: 12.5 })),
    );
    expect(propertyOf(profile, "/t")).toMatchObject({ bytesMax: 9, bytesMean: (99 * 2 + 9) / 100 });
    expect(propertyOf(profile, "/n")).toMatchObject({ bytesMax: 4, bytesMean: 4 });
  });

  test("order: growing, falling, none", () => {
    const random = seededRandom(3);
    const profile = profileOf(
      itemsOf(3000, (index) => ({
        up: index,
        down: `k${String(9999 - index).padStart(4, "0")}`,
        any: random.next(),
        same: 1,
        createdAt: new Date(STARTED_AT + index * 1000).toISOString(),
      })),
    );
    expect(propertyOf(profile, "/up")!.monotonicity).toBeCloseTo(1, 6);
    expect(propertyOf(profile, "/down")!.monotonicity).toBeCloseTo(-1, 6);
    expect(Math.abs(propertyOf(profile, "/any")!.monotonicity!)).toBeLessThan(0.1);
    expect(propertyOf(profile, "/same")!.monotonicity).toBeNull();
  });

  test("changes are those between versions of an item", () => {
    const versions = [0, 1, 2, 3].flatMap((version) =>
      itemsOf(500, (index) => ({
        id: `i${index}`,
        tenant: `t${index % 9}`,
        kind: "order",
        place: { city: `c${index % 50}`, country: "DE" },
        status: `s${version}`,
        _ts: 1_700_000_000 + version,
        note: version === 2 ? "late" : "none",
      })),
    );
    const profile = profileOf(versions);
    expect(propertyOf(profile, "/status")!.mutability).toBe(1);
    expect(propertyOf(profile, "/tenant")!.mutability).toBe(0);
    expect(propertyOf(profile, "/note")!.mutability).toBeCloseTo(2 / 3, 6);
  });

  test("items that share an id and little else are not versions", () => {
    const items = itemsOf(2000, (index) => ({
      id: `i${index % 5}`,
      user: `u${index}`,
      age: index,
    }));
    const profile = profileOf(items);
    expect(propertyOf(profile, "/user")!.mutability).toBeNull();
    expect(profile.remarks).toEqual([expect.stringContaining("same id")]);
    expect(
      propertyOf(profileOf(itemsOf(50, (index) => ({ id: `${index}` }))), "/id")!.mutability,
    ).toBeNull();
  });

  test("one that turns up late is counted as if from the beginning", () => {
    const profile = profileOf(
      itemsOf(10_000, (index) => (index < 8000 ? { a: 1 } : { a: 1, late: `v${index % 4}` })),
    );
    const key = keyOf(profile, "/late")!;
    expect(key.presence).toBe(0.2);
    expect(key.distinct.value).toBe(5);
    expect(key.heaviest.map(({ items }) => items.value)).toEqual([8000, 500, 500, 500, 500]);
    expect(propertyOf(profile, "/late")!.distinct.value).toBe(4);
  });
});

describe("keys", () => {
  const random = seededRandom(9);
  const items = itemsOf(20_000, (index) => {
    const tenant = Math.floor(20 * random.next() ** 2);
    return {
      id: `id-${index}`,
      tenantId: `t${tenant}`,
      userId: `u${tenant}-${Math.floor(random.next() * 300)}`,
      region: ["eu", "us"][index % 2]!,
      price: random.next() * 100,
      text: `these are ${index} words that nobody would ever take for the key of anything at all`,
    };
  });
  const profile = profileOf(items, { keys: [["/price"], ["/region", "/text"]] });

  test("paths that can be keys are counted by themselves, measures and prose are not", () => {
    const plain = profileOf(items);
    for (const path of ["/id", "/tenantId", "/userId", "/region"])
      expect(keyOf(plain, path)).toBeDefined();
    for (const path of ["/price", "/text"]) expect(keyOf(plain, path)).toBeUndefined();
  });

  test("whatever the user asks for is counted, too", () => {
    expect(keyOf(profile, "/price")).toBeDefined();
    expect(keyOf(profile, "/region", "/text")).toBeDefined();
  });

  test("combinations have the values of all their paths, coarsest first", () => {
    const key = keyOf(profile, "/tenantId", "/userId")!;
    expect(key.paths).toEqual(["/tenantId", "/userId"]);
    const [tenant, user] = key.heaviest[0]?.values ?? ["t0", "u0-0"];
    expect(String(user).startsWith(`u${String(tenant).slice(1)}-`)).toBe(true);
    const exact = new Set(items.map(({ tenantId, userId }) => `${tenantId} ${userId}`)).size;
    expect(Math.abs(key.distinct.value / exact - 1)).toBeLessThan(0.04);
  });

  test("heaviest have their items and bytes", () => {
    const counts = new Map<string, { items: number; bytes: number }>();
    for (const item of items) {
      const found = counts.get(item.tenantId) ?? { items: 0, bytes: 0 };
      found.items++;
      found.bytes += JSON.stringify(item).length;
      counts.set(item.tenantId, found);
    }
    const [name, exact] = [...counts].sort(([, a], [, b]) => b.items - a.items)[0]!;
    const [heaviest] = keyOf(profile, "/tenantId")!.heaviest;
    expect(heaviest).toMatchObject({ values: [name], items: { value: exact.items } });
    expect(Math.abs(heaviest!.bytes / exact.bytes - 1)).toBeLessThan(0.02);
  });

  test("thirty at least where the data has them", () => {
    const wide = profileOf(
      itemsOf(3000, (index) =>
        Object.fromEntries(
          itemsOf(9, (at) => ({ at })).map(({ at }) => [
            `p${at}Id`,
            `v${(index * (at + 7)) % (at * 40 + 5)}`,
          ]),
        ),
      ),
    );
    expect(wide.keys.length).toBeGreaterThanOrEqual(30);
  });
});

describe("time", () => {
  /** Ten a minute, one of which goes to each of nine devices and one more to the first. */
  const items = itemsOf(30_000, (index) => ({
    id: `${index}`,
    device: `d${Math.max(0, (index % 10) - 1)}`,
    shard: `s${Math.floor(index / 600)}`,
    createdAt: new Date(STARTED_AT + index * 6000).toISOString(),
    birthDate: "1980-05-06",
  }));

  test("is found, and says from when to when and how many a day", () => {
    const { time } = profileOf(items);
    expect(time).toMatchObject({
      path: "/createdAt",
      first: "2024-01-01T00:00:00.000Z",
      last: new Date(STARTED_AT + 29_999 * 6000).toISOString(),
      growthPerMonth: null,
    });
    expect(time!.itemsPerDay).toBeCloseTo(14_400, -1);
    expect(time!.minutePeakFactor).toBeCloseTo(1, 2);
    expect(time!.hourShares.length).toBe(24);
    expect(time!.hourShares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  });

  test("a share that was picked is counted up", () => {
    const profiler = new Profiler({ source: "test" });
    for (const item of items) profiler.add(item, 100);
    expect(profiler.result({ sampledShare: 0.1 }, 0.1).time!.itemsPerDay).toBeCloseTo(144_000, -2);
  });

  test("the busiest key of a minute, an hour, a day", () => {
    const { hottestShare } = keyOf(profileOf(items), "/device")!;
    expect(hottestShare!.minute).toBeCloseTo(0.2, 2);
    expect(hottestShare!.hour).toBeCloseTo(0.2, 2);
    expect(hottestShare!.day).toBeCloseTo(0.2, 2);
    const shard = keyOf(profileOf(items), "/shard")!.hottestShare!;
    expect(shard.minute).toBe(1);
    expect(shard.hour).toBeGreaterThan(0.95);
    expect(shard.day).toBeCloseTo(1 / 24, 1);
  });

  test("items in no order give the same", () => {
    const random = seededRandom(5);
    const shuffled = items
      .map((item) => ({ item, at: random.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
    const { time, ...rest } = profileOf(shuffled, { time: "/createdAt" });
    expect(time!.itemsPerDay).toBeCloseTo(14_400, -1);
    const { hottestShare } = keyOf({ time, ...rest }, "/device")!;
    expect(Math.abs(hottestShare!.hour - 0.2)).toBeLessThan(0.04);
    expect(Math.abs(hottestShare!.day - 0.2)).toBeLessThan(0.04);
  });

  test("numbers since 1970 are times where their name says so", () => {
    const seconds = profileOf(
      itemsOf(100, (index) => ({ ts: STARTED_AT / 1000 + index * 60, n: 1_700_000_000 + index })),
    );
    expect(seconds.time!.path).toBe("/ts");
    expect(propertyOf(seconds, "/ts")!.time).toEqual({ form: "seconds", resolution: "minute" });
    expect(propertyOf(seconds, "/n")!.time).toBeNull();
    const millis = profileOf(itemsOf(100, (index) => ({ eventTime: STARTED_AT + index * 1001 })));
    expect(propertyOf(millis, "/eventTime")!.time).toEqual({
      form: "millis",
      resolution: "second",
    });
  });

  test.each([
    ["second", (index: number) => new Date(STARTED_AT + index * 7000).toISOString()],
    ["minute", (index: number) => new Date(STARTED_AT + index * 60_000 * 7).toISOString()],
    ["hour", (index: number) => new Date(STARTED_AT + index * 3_600_000 * 5).toISOString()],
    ["day", (index: number) => new Date(STARTED_AT + index * DAY).toISOString().slice(0, 10)],
    ["week", (index: number) => new Date(STARTED_AT + index * 7 * DAY).toISOString().slice(0, 10)],
    ["month", (index: number) => new Date(Date.UTC(2000, index, 1)).toISOString().slice(0, 7)],
    [
      "quarter",
      (index: number) => new Date(Date.UTC(2000, index * 3, 1)).toISOString().slice(0, 10),
    ],
    ["year", (index: number) => `${1990 + index}-01-01`],
  ])("as precise as its values are: %s", (resolution, at) => {
    const profile = profileOf(itemsOf(60, (index) => ({ at: at(index) })));
    expect(propertyOf(profile, "/at")!.time).toEqual({ form: "text", resolution });
  });

  test("growth from month to month", () => {
    const growing = Array.from({ length: 180 }, (_, day) =>
      itemsOf(Math.round(20 * 1.1 ** (day / 30.4375)), (at) => ({
        at: new Date(STARTED_AT + day * DAY + at * 1000).toISOString(),
      })),
    ).flat();
    expect(profileOf(growing).time!.growthPerMonth).toBeCloseTo(0.1, 1);
    const even = itemsOf(9000, (index) => ({
      at: new Date(STARTED_AT + index * DAY * 0.02).toISOString(),
    }));
    expect(profileOf(even).time!.growthPerMonth).toBeCloseTo(0, 2);
  });

  test("days without items do not count", () => {
    const gaps = [0, 1, 100].flatMap((day) =>
      itemsOf(1440, (minute) => ({
        at: new Date(STARTED_AT + day * DAY + minute * 60_000).toISOString(),
      })),
    );
    expect(profileOf(gaps).time!.itemsPerDay).toBeCloseTo(1440, -1);
  });

  test("is read as keys read it", () => {
    const digits = fc.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/);
    const real = fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString());
    fc.assert(
      fc.property(fc.oneof(digits, real, fc.string(), fc.double()), (value) => {
        expect(itemTimeOf(value)).toBe(timeOf(value) ?? Number.NaN);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("whatever comes", () => {
  test("thousands of names, deep nesting and names that objects have anyway", () => {
    let deep: JsonValue = "end";
    for (let level = 0; level < 5000; level++) deep = level % 2 === 0 ? { in: deep } : [deep];
    let nested: JsonValue = "end";
    for (let level = 0; level < 300; level++) nested = { in: nested };
    const odd = JSON.parse(
      '{"__proto__":"p","constructor":{"prototype":1},"":2,"a/b":3,"a\\"b":4}',
    );
    const profile = profileOf(
      itemsOf(10_000, (index) => ({
        ...odd,
        [`n${index}`]: index,
        deep,
        nested,
        __proto__: undefined,
      })),
      {},
      () => 100,
    );
    expect(profile.remarks).toEqual([expect.stringContaining("more different properties")]);
    expect(profile.properties.length).toBeLessThanOrEqual(1024);
    expect(propertyOf(profile, '/"a/b"')!.presence).toBe(1);
    // Items that nest deeper than the service takes are counted, but not kept.
    expect(profile.sample).toEqual([]);
    const own = profileOf(itemsOf(10, () => odd));
    expect(propertyOf(own, "/__proto__")!.presence).toBe(1);
    expect(propertyOf(own, "/constructor/prototype")!.presence).toBe(1);
  });

  test("long values that are all different stay within bounds", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    collect();
    const before = process.memoryUsage().heapUsed;
    const long = "x".repeat(10_000);
    const profiler = new Profiler({ source: "test" });
    for (let index = 0; index < 20_000; index++) {
      profiler.add({ id: `${index}${long}`, other: `${long}${index}` }, 20_000);
    }
    const profile = profiler.result("all");
    // Memory is what this is about. What is held is measured after a collection, and all values
    // together would be eight times as much.
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50 * 1024 * 1024);
    expect(Math.abs(propertyOf(profile, "/id")!.distinct.value / 20_000 - 1)).toBeLessThan(0.04);
    expect(profile.sample.length).toBeLessThan(1000);
  });

  test("the sample has the same chance for every item", () => {
    const { sample } = profileOf(
      itemsOf(40_000, (at) => ({ at })),
      { sampleMax: 2000 },
    );
    expect(sample.length).toBe(2000);
    const chances = new Float64Array(10);
    for (const { at } of sample) chances[Math.floor(Number(at) / 4000)]!++;
    // 200 for each tenth of the items; five standard deviations are 67.
    for (const chance of chances) expect(Math.abs(chance - 200)).toBeLessThan(67);
  });

  test.each([
    ["all keys counted", undefined],
    ["of some", 9000],
  ])("the order of items does not matter: %s", (_, entriesMax) => {
    const random = seededRandom(21);
    const items = itemsOf(9000, (index) => {
      const tenant = Math.floor(40 * random.next() ** 3);
      return {
        id: `i${Math.floor(index / 1.2)}`,
        tenant: index % 11 === 0 ? null : `t${tenant}`,
        ...(index % 7 === 0 ? {} : { user: `u${tenant}-${Math.floor(random.next() * 900)}` }),
        ...(index > 8990 ? { rare: `r${index}` } : {}),
        order: `o${Math.floor(index / 3)}`,
        createdAt: new Date(STARTED_AT + Math.floor(index * random.next()) * 20_000).toISOString(),
        tags: [index % 5],
        price: random.next(),
      } as JsonObject;
    });
    const shuffled = items
      .map((item) => ({ item, at: random.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
    const profile = profileOf(items, { entriesMax });
    expect(profile.keys.some(({ sampledKeys }) => sampledKeys !== undefined)).toBe(
      entriesMax !== undefined,
    );
    expect(profileOf(shuffled, { entriesMax })).toEqual(profile);
    expect(profileText(profileOf(items.toReversed(), { entriesMax }))).toBe(profileText(profile));
  });

  test("the same items give the same profile, saved and read again", () => {
    const items = itemsOf(5000, (index) =>
      index % 3 === 0 ? { id: `${index}` } : { id: `${index}`, a: index % 7, b: null },
    );
    const profile = profileOf(items);
    expect(profileOf(items)).toEqual(profile);
    const again = restoredProfile(JSON.parse(profileText(profile)));
    expect(again).toEqual(profile);
    expect(keyOf(again, "/a")!.heaviest[0]!.values).toEqual([undefined]);
    expect(keyOf(again, "/b")!.heaviest[0]!.values).toEqual([null]);
  });
});
