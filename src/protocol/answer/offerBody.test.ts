/** What an offer looks like to clients, and what they may ask of one. */
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { ProvisionedThroughput, Throughput } from "../../model/throughput.ts";
import type { OfferFacts } from "./offerBody.ts";
import { offerBody, parseOfferChange } from "./offerBody.ts";

const HISTORY = { rateMaxEver: 5000, etag: '"e"', ts: 7 };
const MANUAL: OfferFacts = {
  rid: "AAAD",
  owner: { databaseRid: "AAAAAQ==", containerRid: "AAAAAYAAAAE=" },
  throughput: { kind: "manual", ratePerSecond: 400, ...HISTORY },
  storedBytes: 1025,
};
const AUTOSCALE: OfferFacts = {
  ...MANUAL,
  throughput: { kind: "autoscale", rateMax: 7000, ...HISTORY },
};
const BUCKETED: ProvisionedThroughput = {
  ...MANUAL.throughput,
  buckets: [
    { id: 1, percent: 10 },
    { id: 3, percent: 20, isDefault: true },
  ],
};
const NO_MIGRATION = { toAutoscale: false, toManual: false };
const TO_AUTOSCALE = { toAutoscale: true };
const TO_MANUAL = { toManual: true };

describe("the body of an offer", () => {
  test("names its owner and its bounds", () => {
    expect(offerBody(MANUAL)).toEqual({
      offerVersion: "V2",
      offerType: "Invalid",
      content: {
        offerThroughput: 400,
        offerIsRUPerMinuteThroughputEnabled: false,
        offerMinimumThroughputParameters: {
          maxThroughputEverProvisioned: 5000,
          maxConsumedStorageEverInKB: 2,
        },
      },
      resource: "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/",
      offerResourceId: "AAAAAYAAAAE=",
      id: "AAAD",
      _rid: "AAAD",
      _self: "offers/AAAD/",
      _etag: '"e"',
      _ts: 7,
    });
  });

  test("of a database names the database", () => {
    const body = offerBody({ ...MANUAL, owner: { databaseRid: "AAAAAQ==" } });
    expect(body).toMatchObject({ resource: "dbs/AAAAAQ==/", offerResourceId: "AAAAAQ==" });
  });

  test("says under autoscale how high it may go, and where it rests", () => {
    const settings = { tier: 0, maximumTierThroughput: 0, autoUpgrade: false, maxThroughput: 7000 };
    expect(offerBody(AUTOSCALE)["content"]).toMatchObject({
      offerThroughput: 700,
      offerAutopilotSettings: settings,
    });
    const throughput = {
      kind: "autoscale",
      rateMax: 7000,
      incrementPercent: 5,
      ...HISTORY,
    } as const;
    const autoUpgradePolicy = { throughputPolicy: { incrementPercent: 5 } };
    expect(offerBody({ ...AUTOSCALE, throughput })["content"]).toMatchObject({
      offerAutopilotSettings: { ...settings, autoUpgradePolicy },
    });
  });

  test("says where autoscale is, if somebody knows", () => {
    expect(offerBody({ ...AUTOSCALE, rateNow: 2300 })["content"]).toMatchObject({
      offerThroughput: 2300,
    });
    expect(offerBody({ ...MANUAL, rateNow: 2300 })["content"]).toMatchObject({
      offerThroughput: 400,
    });
  });

  test("says the most that was ever stored", () => {
    const stored = (storedBytes: number, storedBytesMaxEver?: number) => {
      const throughput = { ...MANUAL.throughput, storedBytesMaxEver };
      const content = offerBody({ ...MANUAL, throughput, storedBytes })["content"] as JsonObject;
      const { maxConsumedStorageEverInKB } = content[
        "offerMinimumThroughputParameters"
      ] as JsonObject;
      return maxConsumedStorageEverInKB;
    };
    expect([stored(0), stored(1025, 9000), stored(9000, 1025)]).toEqual([0, 9, 9]);
  });

  test("shows the rate in force, and beside it the one that is pending", () => {
    const waiting = (offer: OfferFacts, pending: Throughput) =>
      offerBody({ ...offer, throughput: { ...offer.throughput, pending } })["content"];
    expect(waiting(MANUAL, { kind: "manual", ratePerSecond: 25_000 })).toMatchObject({
      offerThroughput: 400,
      offerTargetThroughput: 25_000,
    });
    expect(waiting(AUTOSCALE, { kind: "autoscale", rateMax: 25_000 })).toMatchObject({
      offerAutopilotSettings: { maxThroughput: 7000, targetMaxThroughput: 25_000 },
    });
    expect(offerBody(MANUAL)["content"]).not.toHaveProperty("offerTargetThroughput");
  });

  test("lists the throughput buckets, if there are any", () => {
    expect(offerBody(MANUAL)["content"]).not.toHaveProperty("throughputBuckets");
    expect(offerBody({ ...MANUAL, throughput: BUCKETED })["content"]).toMatchObject({
      throughputBuckets: [
        { id: 1, maxThroughputPercentage: 10 },
        { id: 3, maxThroughputPercentage: 20, isDefaultBucket: true },
      ],
    });
  });
});

const changeOf = (offer: OfferFacts, content: JsonValue, migration = {}) =>
  parseOfferChange({ ...offerBody(offer), content }, { ...NO_MIGRATION, ...migration }, offer);

describe("a replacement", () => {
  test("of a manual offer sets the rate", () => {
    const change = { kind: "set", throughput: { kind: "manual", ratePerSecond: 500 } };
    const content = { offerThroughput: 500, offerAutopilotSettings: null };
    expect(changeOf(MANUAL, content)).toEqual({ ok: true, value: change });
    expect(parseOfferChange({ content }, NO_MIGRATION, MANUAL)).toEqual({
      ok: true,
      value: change,
    });
  });

  test.each([5, 0])("of an autoscale offer sets the ceiling, rising by %d", (incrementPercent) => {
    const autoUpgradePolicy = { throughputPolicy: { incrementPercent } };
    const content = {
      offerThroughput: 12,
      offerAutopilotSettings: { maxThroughput: 8000, autoUpgradePolicy },
    };
    const throughput = { kind: "autoscale", rateMax: 8000, incrementPercent };
    expect(changeOf(AUTOSCALE, content)).toEqual({ ok: true, value: { kind: "set", throughput } });
  });

  test("migrates by a header, whatever the rate", () => {
    const toAutoscale = changeOf(MANUAL, { offerThroughput: -1 }, TO_AUTOSCALE);
    expect(toAutoscale).toEqual({ ok: true, value: { kind: "toAutoscale" } });
    const settings = { offerAutopilotSettings: { maxThroughput: -1 } };
    expect(changeOf(AUTOSCALE, settings, TO_MANUAL)).toEqual({
      ok: true,
      value: { kind: "toManual" },
    });
  });

  test("asks for the throughput buckets it lists, and for no change if it lists none", () => {
    const { content } = offerBody({ ...MANUAL, throughput: BUCKETED }) as { content: JsonValue };
    const change = changeOf(MANUAL, content);
    expect(change).toMatchObject({ value: { kind: "set", buckets: BUCKETED.buckets } });
    const migration = changeOf(MANUAL, content, TO_AUTOSCALE);
    expect(migration).toMatchObject({ value: { kind: "toAutoscale", buckets: BUCKETED.buckets } });
    const none = changeOf(MANUAL, { offerThroughput: 500, throughputBuckets: [] });
    expect(none).toMatchObject({ value: { buckets: [] } });
    const silent = changeOf(MANUAL, { offerThroughput: 500, throughputBuckets: null });
    expect(silent).toMatchObject({ value: { buckets: undefined } });
  });

  test.each<[JsonValue]>([
    ["1"],
    [{}],
    [[1]],
    [[{ id: 1 }]],
    [[{ id: "1", maxThroughputPercentage: 10 }]],
    [[{ id: 1, maxThroughputPercentage: "10" }]],
    [[{ id: 1, maxThroughputPercentage: 10, isDefaultBucket: 1 }]],
  ])("with throughput buckets %j is refused", (throughputBuckets) => {
    const change = changeOf(MANUAL, { offerThroughput: 500, throughputBuckets });
    const message = expect.stringContaining("throughputBuckets");
    expect(change).toMatchObject({ ok: false, error: { message } });
  });

  const rate = { offerThroughput: 500 };
  const settings = { offerAutopilotSettings: { maxThroughput: 8000 } };
  test.each([
    ["manual to autoscale without the header", MANUAL, settings, {}, /to-autopilot must be/],
    ["manual to autoscale with settings", MANUAL, settings, TO_AUTOSCALE, /must not contain/],
    ["manual to manual", MANUAL, rate, TO_MANUAL, /manual already/],
    ["autoscale to manual without the header", AUTOSCALE, rate, {}, /to-manual-throughput must be/],
    ["autoscale to manual without settings", AUTOSCALE, rate, TO_MANUAL, /must contain/],
    ["autoscale to autoscale", AUTOSCALE, settings, TO_AUTOSCALE, /autoscale already/],
    ["both at once", MANUAL, rate, { ...TO_AUTOSCALE, ...TO_MANUAL }, /exclude each other/],
    ["a rate that is a text", MANUAL, { offerThroughput: "500" }, {}, /a number/],
    ["no content", MANUAL, null, {}, /content of an offer/],
    [
      "a ceiling that is a text",
      AUTOSCALE,
      { offerAutopilotSettings: { maxThroughput: "8000" } },
      {},
      /a number as maxThroughput/,
    ],
    [
      "a rise that is none",
      AUTOSCALE,
      {
        offerAutopilotSettings: { maxThroughput: 8000, autoUpgradePolicy: { throughputPolicy: 1 } },
      },
      {},
      /incrementPercent/,
    ],
  ])("%s is refused", (_rule, offer, content, headers, message) => {
    const change = changeOf(offer, content, headers);
    expect(change).toMatchObject({ ok: false, error: { message: expect.stringMatching(message) } });
  });

  test.each(["id", "_rid", "resource", "offerResourceId", "offerVersion"])(
    "with another %s is refused",
    (name) => {
      const body = { ...offerBody(MANUAL), [name]: "other" };
      const message = expect.stringContaining(`'${name}'`);
      expect(parseOfferChange(body, NO_MIGRATION, MANUAL)).toMatchObject({
        ok: false,
        error: { message },
      });
    },
  );
});
