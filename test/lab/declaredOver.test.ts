/** What a workload declares beside a profile, and values that become more. */
import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { stampedBody } from "../../src/engine/item/itemBody.ts";
import type { Advice, CandidateAdvice } from "../../src/lab/advise/advice.ts";
import { factsOf, runLab } from "../../src/lab/lab.ts";
import { STAMP, storedBytesOf } from "../../src/lab/price/itemPrice.ts";
import type { Profile } from "../../src/lab/profile/profile.ts";
import { Profiler } from "../../src/lab/profile/profiler.ts";
import { printWorkload } from "../../src/lab/workload/printWorkload.ts";
import type { Workload } from "../../src/lab/workload/workload.ts";
import { readWorkload } from "../../src/lab/workload/workloadText.ts";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";

interface Parts {
  readonly item?: string;
  readonly device?: string;
  readonly growth?: string;
}

function workloadOf({ item = "", device, growth = "itemsPerDay: 4 million" }: Parts): Workload {
  const text = `
name: devices
horizonMonths: 24
${item === "" ? "" : `item: {${item}}`}
${device === undefined ? "" : `properties:\n  /deviceId: {${device}}`}
growth: {${growth}}
operations:
  - {id: send, kind: create, rate: 4 million/day}
  - {id: last, kind: query, rate: 20, sql: "SELECT TOP 9 * FROM c WHERE c.deviceId = @d"}
candidates:
  - {id: device, key: /deviceId}
`;
  const read = readWorkload(text, "yaml", "devices");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

/** 500 devices, one of which has a fifth of the items. */
const PROFILE: Profile = (() => {
  const profiler = new Profiler({ source: "devices.jsonl" });
  for (let at = 0; at < 5000; at++) {
    const item = {
      id: `reading-${at}`,
      deviceId: at % 5 === 0 ? "loud" : `device-${at % 499}`,
      level: at % 90,
      at: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(),
    };
    profiler.add(item, Buffer.byteLength(JSON.stringify(item)));
  }
  return profiler.result("all");
})();

function adviceOn(workload: Workload, profile: Profile | undefined = PROFILE): Advice {
  return runLab({
    workload,
    profile,
    candidates: [],
    onlyNamed: true,
    current: undefined,
    limits: SERVICE_LIMITS,
    startMillis: Date.UTC(2026, 0, 1),
    seed: 1,
    whatIfs: false,
  });
}

function device(advice: Advice): CandidateAdvice["simulation"] {
  return advice.candidates[0]!.simulation;
}

describe("the size of an item", () => {
  const total = (advice: Advice): number => device(advice).months.at(-1)!.totalBytes;

  test("is what is declared, in storage and in charges, and a contradiction is remarked", () => {
    const [counted, declared] = [workloadOf({}), workloadOf({ item: "bytes: 2 KB" })].map((each) =>
      adviceOn(each),
    ) as [Advice, Advice];
    const mean = PROFILE.itemBytes.mean;
    expect(total(declared) / total(counted)).toBeCloseTo(
      storedBytesOf(2048) / storedBytesOf(mean),
      6,
    );
    expect(device(declared).operations[0]!.ruEach).toBeGreaterThan(
      device(counted).operations[0]!.ruEach,
    );
    const said = declared.remarks.filter((remark) => remark.includes("size of an item"));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain("as declared, 2 KB");
    expect(said[0]).toContain("contradicts it");
    expect(counted.remarks.join()).not.toContain("as declared");
  });

  test("that agrees with the file contradicts nothing", () => {
    const bytes = Math.round(PROFILE.itemBytes.mean);
    const { remarks } = adviceOn(workloadOf({ item: `bytes: ${bytes}` }));
    expect(remarks.join()).toContain("about as much");
    expect(remarks.join()).not.toContain("contradicts");
  });

  test("at rest is that of the body the server stores", () => {
    const text = Buffer.from('{"id":"a","deviceId":"loud","level":4}');
    const stamp = {
      rid: STAMP["_rid"] as string,
      self: STAMP["_self"] as string,
      etag: (STAMP["_etag"] as string).slice(1, -1),
      ts: STAMP["_ts"] as number,
    };
    expect(storedBytesOf(text.length)).toBe(stampedBody(text, stamp as never).length);
  });
});

describe("the number of values", () => {
  const populationOf = (workload: Workload) =>
    factsOf({ workload, profile: PROFILE }).populationOf(["/deviceId"]);

  test.each([50_000, 2000])("%i as declared, the loudest keeps its share", (distinct) => {
    const { rows, distinct: count } = populationOf(workloadOf({ device: `distinct: ${distinct}` }));
    expect(count.value / distinct).toBeCloseTo(1, 2);
    expect(rows.reduce((sum, { itemShare }) => sum + itemShare, 0)).toBeCloseTo(1, 9);
    const loud = rows.find(({ values }) => values[0] === "loud");
    expect(loud?.itemShare).toBeCloseTo(0.2, 6);
    expect(loud?.keyCount).toBe(1);
  });

  test("fewer than were counted are those, and it is said that this contradicts the file", () => {
    const workload = workloadOf({ device: "distinct: 100" });
    const { rows } = populationOf(workload);
    expect(rows.reduce((sum, { keyCount }) => sum + keyCount, 0)).toBeCloseTo(100, 0);
    expect(rows.reduce((sum, { itemShare }) => sum + itemShare, 0)).toBeCloseTo(1, 9);
    expect(adviceOn(workload).remarks.join()).toContain("which contradicts it");
  });

  test("is in the report, and where all else is from", () => {
    const { remarks } = adviceOn(workloadOf({ device: "distinct: 50000" }));
    expect(remarks).toContain("All else about the items is from devices.jsonl (5,000 items).");
    expect(remarks.join()).toContain("/deviceId is as declared, 50,000");
    expect(
      device(adviceOn(workloadOf({ device: "distinct: 50000" }))).keys.count.value,
    ).toBeCloseTo(50_000, -3);
  });

  test("without a declaration it is as it was counted", () => {
    expect(populationOf(workloadOf({})).distinct.value).toBeCloseTo(500, -1);
  });
});

describe("values that become more", () => {
  const at = (grows: string, profile?: Profile): Advice =>
    adviceOn(
      workloadOf({
        item: "bytes: 4 KB",
        device: `distinct: 500${grows}`,
        growth: "initialItems: 20 million, itemsPerDay: 4 million",
      }),
      profile as Profile,
    );
  const plain = (grows: string): Advice =>
    runLab({
      workload: workloadOf({
        item: "bytes: 4 KB",
        device: `distinct: 500${grows}`,
        growth: "initialItems: 20 million, itemsPerDay: 4 million",
      }),
      profile: undefined,
      candidates: [],
      onlyNamed: true,
      current: undefined,
      limits: SERVICE_LIMITS,
      startMillis: Date.UTC(2026, 0, 1),
      seed: 1,
      whatIfs: false,
    });

  test("a population that stays outgrows its keys, one that grows with the items does not", () => {
    expect(plain(", grows: fixed").candidates[0]?.verdict).toBe("bad");
    expect(plain("").candidates[0]?.verdict).toBe("bad");
    const grown = plain(", grows: with items").candidates[0]!;
    expect(grown.verdict).toBe("best");
    const items = 20e6 + 4e6 * 24 * (365.25 / 12);
    expect(grown.simulation.keys.count.value / (500 * (items / 20e6))).toBeCloseTo(1, 2);
  });

  test("so many a day are so many more at the end, beside a profile as well", () => {
    const more = 500 + 100 * 24 * (365.25 / 12);
    expect(device(plain(", grows: 100/day")).keys.count.value / more).toBeCloseTo(1, 2);
    expect(device(at(", grows: 100/day", PROFILE)).keys.count.value / more).toBeCloseTo(1, 1);
    expect(at(", grows: 100/day", PROFILE).remarks.join()).toContain("declared to grow: from 500");
  });

  test("what is written is read again, and what is no growth is refused", () => {
    const workload = workloadOf({ device: "distinct: 500, grows: 30 per month" });
    const printed = readWorkload(printWorkload(workload), "yaml", "again");
    expect(printed.ok && printed.value.properties.get("/deviceId")?.grows).toEqual(
      workload.properties.get("/deviceId")?.grows,
    );
    expect(workload.properties.get("/deviceId")?.grows).toMatchObject({ kind: "perDay" });
    expect(() => workloadOf({ device: "distinct: 500, grows: soon" })).toThrow("with items");
  });
});
