/** What throughput becomes, by request and by itself: a row for each rule. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Throughput, ThroughputChange } from "../../model/throughput.ts";
import { provisioned } from "../../model/throughput.ts";
import type { Provisioning } from "./provisioning.ts";
import { changedThroughput, grownThroughput, lowestRate } from "./provisioning.ts";

const GB = 1024 ** 3;
const BEFORE = { etag: '"b"', ts: 1 };
const NOW = { etag: '"n"', ts: 2 };

describe("a change", () => {
  const rows: readonly {
    readonly rule: string;
    readonly held: Provisioning;
    readonly change: ThroughputChange;
    readonly becomes?: Throughput;
    readonly awaits?: Throughput;
    readonly refused?: RegExp;
  }[] = [
    { rule: "up", held: held(manual(400)), change: set(manual(500)), becomes: manual(500) },
    { rule: "down", held: held(manual(9000)), change: set(manual(400)), becomes: manual(400) },
    {
      rule: "down to a hundredth of the highest",
      held: held(manual(60_000), { partitionCount: 6 }),
      change: set(manual(500)),
      refused: /multiple of 100 from 600 to 1000000 RU/,
    },
    {
      rule: "an autoscale ceiling down to a tenth of the highest",
      held: held(autoscale(20_000), { partitionCount: 2 }),
      change: set(autoscale(1000)),
      refused: /multiple of 1000 from 2000 to/,
    },
    {
      rule: "below what is stored",
      held: held(manual(9000), { storedBytes: 650 * GB }),
      change: set(manual(600)),
      refused: /from 700 to/,
    },
    {
      rule: "below what so many containers need together",
      held: held(manual(9000), { sharingCount: 27 }),
      change: set(manual(500)),
      refused: /from 600 to/,
    },
    {
      rule: "off the steps",
      held: held(manual(400)),
      change: set(manual(450)),
      refused: /multiple of 100 from 400/,
    },
    {
      rule: "above what any may have",
      held: held(manual(400)),
      change: set(manual(1_000_100)),
      refused: /to 1000000 RU/,
    },
    {
      rule: "up to what the partitions serve",
      held: held(manual(400), { partitionCount: 2 }),
      change: set(manual(20_000)),
      becomes: manual(20_000),
    },
    {
      rule: "above it",
      held: held(manual(400), { partitionCount: 2 }),
      change: set(manual(20_100)),
      awaits: manual(20_100),
    },
    {
      rule: "a ceiling above it",
      held: held(autoscale(4000)),
      change: set(autoscale(11_000)),
      awaits: autoscale(11_000),
    },
    {
      rule: "above what the partitions of all who share serve",
      held: held(manual(400), { sharingCount: 1 }),
      change: set(manual(10_100)),
      awaits: manual(10_100),
    },
    {
      rule: "above it while nobody shares",
      held: held(manual(400), { sharingCount: 0 }),
      change: set(manual(10_100)),
      refused: /cannot exceed 10000 RU/,
    },
    {
      rule: "manual to autoscale, from little",
      held: held(manual(400)),
      change: { kind: "toAutoscale" },
      becomes: autoscale(1000),
    },
    {
      rule: "manual to autoscale, rounded up",
      held: held(manual(7300)),
      change: { kind: "toAutoscale" },
      becomes: autoscale(8000),
    },
    {
      rule: "manual to autoscale, with a past",
      held: held(manual(500), { everHad: 50_000 }),
      change: { kind: "toAutoscale" },
      becomes: autoscale(5000),
    },
    {
      rule: "manual to autoscale, with data",
      held: held(manual(500), { storedBytes: 250 * GB, partitionCount: 5 }),
      change: { kind: "toAutoscale" },
      becomes: autoscale(3000),
    },
    {
      rule: "autoscale to manual",
      held: held(autoscale(7000)),
      change: { kind: "toManual" },
      becomes: manual(7000),
    },
  ];

  test.each(rows)("$rule", ({ held: before, change, becomes, awaits, refused }) => {
    const after = changedThroughput(before, change, SERVICE_LIMITS, NOW);
    if (refused !== undefined) {
      const error = { kind: "badRequest", message: expect.stringMatching(refused) };
      expect(after).toEqual({ ok: false, error });
    } else if (awaits !== undefined) {
      const value = { ...before.throughput, pending: awaits, ...NOW };
      expect(after).toEqual({ ok: true, value });
    } else {
      expect(after).toMatchObject({ ok: true, value: { ...becomes, ...NOW } });
      expect(after).not.toHaveProperty("value.pending");
    }
  });

  test.each<ThroughputChange>([
    set(manual(500)),
    { kind: "toAutoscale" },
    { kind: "keep", buckets: [] },
  ])("while one is pending is refused: $kind", (change) => {
    const { throughput, ...others } = held(manual(400));
    const waiting = { ...others, throughput: { ...throughput, pending: manual(20_000) } };
    expect(changedThroughput(waiting, change, SERVICE_LIMITS, NOW)).toEqual({
      ok: false,
      error: { kind: "replacePending", pendingRate: 20_000 },
    });
  });

  test("remembers what is stored", () => {
    const before = held(manual(400), { storedBytes: 5000 });
    const after = changedThroughput(before, set(manual(500)), SERVICE_LIMITS, NOW);
    expect(after).toMatchObject({ value: { storedBytesMaxEver: 5000 } });
  });
});

describe("throughput buckets", () => {
  const buckets = [{ id: 2, percent: 30 }];
  const keep: ThroughputChange = { kind: "keep", buckets };

  test("can be all that changes", () => {
    const { throughput } = held(autoscale(4000));
    const after = changedThroughput(held(autoscale(4000)), keep, SERVICE_LIMITS, NOW);
    expect(after).toEqual({ ok: true, value: { ...throughput, buckets, ...NOW } });
  });

  test("stay when the rate changes, until others or none are asked for", () => {
    const { throughput, ...facts } = held(manual(400));
    const before = { ...facts, throughput: { ...throughput, buckets } };
    const changed = (change: ThroughputChange) =>
      changedThroughput(before, change, SERVICE_LIMITS, NOW);
    expect(changed(set(manual(500)))).toMatchObject({ value: { ...manual(500), buckets } });
    expect(changed({ kind: "toAutoscale" })).toMatchObject({ value: { buckets } });
    expect(changed(set(manual(50_000)))).toMatchObject({ value: { ...manual(400), buckets } });
    const others = [{ id: 1, percent: 5 }];
    expect(changed({ ...set(manual(500)), buckets: others })).toMatchObject({
      value: { buckets: others },
    });
    expect(changed({ kind: "keep", buckets: [] })).toEqual({
      ok: true,
      value: { ...throughput, ...NOW },
    });
  });

  test("are refused where the rate is shared, and where they make no sense", () => {
    const shared = changedThroughput(
      held(manual(400), { sharingCount: 3 }),
      keep,
      SERVICE_LIMITS,
      NOW,
    );
    expect(shared).toMatchObject({ error: { message: expect.stringContaining("of their own") } });
    const senseless: ThroughputChange = { kind: "keep", buckets: [{ id: 9, percent: 30 }] };
    expect(changedThroughput(held(manual(400)), senseless, SERVICE_LIMITS, NOW)).toMatchObject({
      error: { message: expect.stringContaining("from 1 to 5") },
    });
  });
});

describe("by itself", () => {
  const grown = (provisioning: Provisioning, isExhausted = false) =>
    grownThroughput(provisioning, isExhausted, SERVICE_LIMITS, NOW);

  test("nothing changes without a reason", () => {
    expect(grown(held(manual(400)), true)).toBeUndefined();
    expect(grown(held(autoscale(1000)), true)).toBeUndefined();
    expect(grown(held(autoscale(1000, 10)), false)).toBeUndefined();
  });

  test("a ceiling rises with the data", () => {
    const full = held(autoscale(1000), { storedBytes: 101 * GB, partitionCount: 3 });
    const storedBytesMaxEver = 101 * GB;
    expect(grown(full)).toMatchObject({ ...autoscale(2000), storedBytesMaxEver, ...NOW });
  });

  test("a ceiling rises with the load if told to, and waits for splits if need be", () => {
    expect(grown(held(autoscale(5000, 10)), true)).toMatchObject(autoscale(6000, 10));
    expect(grown(held(autoscale(10_000, 10)), true)).toMatchObject({
      ...autoscale(10_000, 10),
      pending: autoscale(11_000, 10),
      ...NOW,
    });
  });

  test("the greater of two reasons counts", () => {
    const full = held(autoscale(1000, 10), { storedBytes: 250 * GB, partitionCount: 6 });
    expect(grown(full, true)).toMatchObject(autoscale(3000, 10));
    expect(grown(held(autoscale(5000, 50), { storedBytes: GB }), true)).toMatchObject(
      autoscale(8000, 50),
    );
  });

  test("nothing changes while a change is pending", () => {
    const { throughput, ...others } = held(autoscale(1000), { storedBytes: 500 * GB });
    const pending = autoscale(20_000);
    expect(grown({ ...others, throughput: { ...throughput, pending } }, true)).toBeUndefined();
  });

  test("what is stored is remembered when it is notably more, under the same etag", () => {
    const first = grown(held(manual(400), { storedBytes: 1000 }));
    expect(first).toEqual({ ...held(manual(400)).throughput, storedBytesMaxEver: 1000 });
    const later = (storedBytes: number) =>
      grown({ ...held(manual(400), { storedBytes }), throughput: first! });
    expect(later(1050)).toBeUndefined();
    expect(later(500)).toBeUndefined();
    expect(later(1200)).toMatchObject({ storedBytesMaxEver: 1200, ...BEFORE });
  });
});

test("the lowest rate is what may be set", () => {
  const { throughput } = held(manual(400));
  const crowded = { ...held(manual(400), { sharingCount: 26 }), throughput };
  expect(lowestRate("manual", crowded, SERVICE_LIMITS)).toBe(500);
  expect(lowestRate("autoscale", crowded, SERVICE_LIMITS)).toBe(2000);
});

function held(
  throughput: Throughput,
  facts: Partial<Omit<Provisioning, "throughput">> & { readonly everHad?: number } = {},
): Provisioning {
  const { everHad, ...others } = facts;
  const past = everHad === undefined ? undefined : provisioned(manual(everHad), undefined, BEFORE);
  return {
    throughput: provisioned(throughput, past, BEFORE),
    storedBytes: 0,
    partitionCount: 1,
    sharingCount: undefined,
    ...others,
  };
}

function manual(ratePerSecond: number): Throughput {
  return { kind: "manual", ratePerSecond };
}

function autoscale(rateMax: number, incrementPercent?: number): Throughput {
  return { kind: "autoscale", rateMax, ...(incrementPercent && { incrementPercent }) };
}

function set(throughput: Throughput): ThroughputChange {
  return { kind: "set", throughput };
}
