/** Limits by one factor and by name: what is accepted, what follows, and how it is told. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Limits } from "./limits.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import {
  changedLimits,
  LIMITS,
  limitText,
  limitValue,
  parseLimitOverrides,
  parseScale,
  scaleLimits,
} from "./scaledLimits.ts";
import { rateMinOf } from "./throughput.ts";

const GB = 1024 ** 3;

describe("the table of names", () => {
  test("has every number of the limits once", () => {
    const places = LIMITS.map(({ place }) => (typeof place === "string" ? place : place.join(".")));
    expect(places.toSorted()).toEqual(leavesOf(SERVICE_LIMITS).toSorted());
    expect(new Set(LIMITS.map(({ name }) => name)).size).toBe(LIMITS.length);
  });

  test("lets every limit be set to what it is in the service", () => {
    for (const { place, range } of LIMITS) {
      if (range === undefined) continue;
      expect(limitValue(SERVICE_LIMITS, place)).toBeGreaterThanOrEqual(range.min);
      expect(limitValue(SERVICE_LIMITS, place)).toBeLessThanOrEqual(range.max);
    }
  });
});

describe("a scale", () => {
  const accepted: readonly [number | string, number][] = [
    ["1/1000", 0.001],
    [" 1 / 1000 ", 0.001],
    ["0.001", 0.001],
    [0.001, 0.001],
    ["3/4", 0.75],
    ["1/1000000", 1e-6],
    [1, 1],
  ];
  test.each(accepted)("%j is %d", (scale, factor) => {
    expect(parseScale(scale)).toEqual({ ok: true, value: factor });
  });

  const refused = ["", "a", "0", 0, -1, "-1/2", 2, "1000", "1/0", "0/0", "1/2/3", "1e-3", "1:1000"];
  test.each([...refused, Number.NaN, 1e-7])("%j is refused", (scale) => {
    const parsed = parseScale(scale);
    expect(!parsed.ok && parsed.error).toContain(`'${scale}'; it must be a fraction such as`);
  });
});

describe("scaled limits", () => {
  const scaled = scaleLimits(SERVICE_LIMITS, 1 / 1000);

  test("are smaller in what a laptop cannot reach, and in nothing else", () => {
    expect(changedLimits(scaled)).toEqual([
      changed("logicalPartitionBytes", "bytes", 21_474_836, 20 * GB),
      changed("physicalPartitionBytes", "bytes", 53_687_091, 50 * GB),
      changed("manualRatePerGb", "RU/s per GB", 1000, 1),
      changed("autoscaleRatePerGb", "RU/s per GB", 10_000, 10),
    ]);
  });

  test("ask of a full physical partition the rate that the service asks of one", () => {
    for (const kind of ["manual", "autoscale"] as const) {
      const rateMin = (limits: Limits, partitionCount: number): number =>
        rateMinOf(
          kind,
          { rateMaxEver: 0, storedBytes: partitionCount * limits.physicalPartitionBytesMax },
          limits,
        );
      for (const count of [1, 9, 30]) {
        expect(rateMin(scaled, count)).toBe(rateMin(SERVICE_LIMITS, count));
      }
    }
  });

  test("by one are those of the service", () => {
    expect(changedLimits(scaleLimits(SERVICE_LIMITS, 1))).toEqual([]);
  });

  test("keep a logical partition smaller than a physical one, whatever the factor", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1, noNaN: true }), (factor) => {
        const { logicalPartitionBytesMax, physicalPartitionBytesMax } = scaleLimits(
          SERVICE_LIMITS,
          factor,
        );
        expect(logicalPartitionBytesMax).toBeGreaterThan(1024);
        expect(logicalPartitionBytesMax).toBeLessThan(physicalPartitionBytesMax);
        expect(Number.isInteger(physicalPartitionBytesMax)).toBe(true);
      }),
    );
  });
});

describe("limits by name", () => {
  const accepted: readonly [string, number | string, keyof Limits, number][] = [
    ["logicalPartitionBytes", "20MB", "logicalPartitionBytesMax", 20 * 1024 ** 2],
    ["logicalPartitionBytes", "1.5 kb", "logicalPartitionBytesMax", 1536],
    ["logicalPartitionBytes", "30GB", "logicalPartitionBytesMax", 30 * GB],
    ["physicalPartitionBytes", "1TB", "physicalPartitionBytesMax", 1024 * GB],
    ["itemBytes", 4096, "itemBytesMax", 4096],
    ["itemBytes", "4096", "itemBytesMax", 4096],
    ["burstRate", "1000", "burstRateMax", 1000],
    ["batchOperations", 1, "batchOperationsMax", 1],
  ];
  test.each(accepted)("%s=%s", (name, value, key, amount) => {
    const parsed = parseLimitOverrides(SERVICE_LIMITS, { [name]: value });
    expect(parsed).toEqual({ ok: true, value: { ...SERVICE_LIMITS, [key]: amount } });
  });

  const refused: readonly [string, number | string, string][] = [
    ["logicalBytes", "20MB", "no limit called 'logicalBytes'. These can be: itemBytes,"],
    ["__proto__", 1, "no limit called '__proto__'"],
    ["logicalPartitionBytesMax", 1, "no limit called 'logicalPartitionBytesMax'"],
    ["nesting", 3, "'nesting' cannot be changed. These can be: itemBytes,"],
    ["manualRateMin", 100, "'manualRateMin' cannot be changed"],
    ["logicalPartitionBytes", "", "is ''; it must be a size such as 20MB"],
    ["logicalPartitionBytes", "20 MiB", "from 1 KB to 1 PB"],
    ["logicalPartitionBytes", "-5MB", "a size such as"],
    ["logicalPartitionBytes", 0, "is '0'"],
    ["logicalPartitionBytes", 1024.5, "is '1024.5'"],
    ["logicalPartitionBytes", "60GB", "must fit into it"],
    ["physicalPartitionBytes", "10GB", "is 20 GB and physicalPartitionBytes 10 GB"],
    ["partitionRate", "10MB", "must be a whole number, from 100 RU/s to 1,000,000 RU/s"],
    ["partitionRate", "10,000", "is '10,000'"],
    ["partitionRate", 99, "is '99'"],
    ["itemBytes", "3MB", "from 1 KB to 2 MB"],
    ["patchOperations", 11, "from 1 operations to 10 operations"],
    ["partitionRate", Number.NaN, "is 'NaN'"],
  ];
  test.each(refused)("%s=%s is refused", (name, value, message) => {
    const overrides = Object.fromEntries([[name, value]]);
    const parsed = parseLimitOverrides(SERVICE_LIMITS, overrides);
    expect(!parsed.ok && parsed.error).toContain(message);
  });

  test("take with the rate of a physical partition what is measured by it", () => {
    const parsed = parseLimitOverrides(SERVICE_LIMITS, { partitionRate: "1000" });
    expect(parsed.ok && changedLimits(parsed.value)).toEqual([
      changed("partitionRate", "RU/s", 1000, 10_000),
      changed("serverlessPartitionRate", "RU/s", 500, 5000),
      changed("burstRate", "RU/s", 300, 3000),
    ]);
    const named = parseLimitOverrides(SERVICE_LIMITS, { burstRate: 900, partitionRate: 2000 });
    expect(named.ok && named.value).toMatchObject({
      partitionRateMax: 2000,
      serverlessPartitionRateMax: 1000,
      burstRateMax: 900,
    });
  });

  test("are about the scaled world, and come last", () => {
    const scaled = scaleLimits(SERVICE_LIMITS, 1 / 1000);
    const parsed = parseLimitOverrides(scaled, { logicalPartitionBytes: "1MB" });
    expect(parsed.ok && parsed.value.logicalPartitionBytesMax).toBe(1024 ** 2);
    expect(parseLimitOverrides(scaled, { logicalPartitionBytes: "1GB" }).ok).toBe(false);
  });

  test("mean the same as text and as number", () => {
    const settable = LIMITS.filter(
      ({ name, range }) => range !== undefined && name !== "partitionRate",
    );
    fc.assert(
      fc.property(fc.constantFrom(...settable), fc.nat(), ({ name }, value) => {
        const parsed = parseLimitOverrides(SERVICE_LIMITS, { [name]: value });
        expect(parseLimitOverrides(SERVICE_LIMITS, { [name]: String(value) })).toEqual(parsed);
        if (!parsed.ok) expect(parsed.error).toContain(name);
        else if (changedLimits(parsed.value).length > 0) {
          expect(changedLimits(parsed.value)).toMatchObject([{ name, value }]);
        }
      }),
    );
  });
});

test.each([
  [1, "bytes", "1 bytes"],
  [1023, "bytes", "1,023 bytes"],
  [1024, "bytes", "1 KB"],
  [21_474_836, "bytes", "20.48 MB"],
  [20 * GB, "bytes", "20 GB"],
  [1024 ** 5, "bytes", "1 PB"],
  [10_000, "RU/s", "10,000 RU/s"],
  [2_147_483_647, "s", "2,147,483,647 s"],
  [999, "RU/s", "999 RU/s"],
  [1234.567, "RU/s per GB", "1,234.57 RU/s per GB"],
])("%d %s reads %s", (value, unit, text) => {
  expect(limitText(value, unit)).toBe(text);
});

function changed(name: string, unit: string, value: number, serviceValue: number): object {
  return { name, unit, value, serviceValue };
}

function leavesOf(limits: Limits): string[] {
  return Object.entries(limits).flatMap(([key, value]) =>
    typeof value === "number" ? [key] : Object.keys(value).map((member) => `${key}.${member}`),
  );
}
