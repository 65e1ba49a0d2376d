/** Manifests: what is read is what was written, and what was changed is noticed. */
import { describe, expect, it } from "vitest";
import { assert } from "../base/assert.ts";
import { ContentSum } from "./contentSum.ts";
import { encodeManifest, manifestOf, parseManifest } from "./manifest.ts";

const FILE = {
  name: "data-1.ndjson.gz",
  itemCount: 2,
  rawBytes: 40,
  storedBytes: 30,
  sha256: "ab".repeat(32),
  sum: "0f".repeat(16),
  key: ["a", {}, 7],
  epkMin: "05C1",
  epkMax: "05C100",
  idMin: "1",
  idMax: "2",
  dateMin: "2022-01-01T00:00:00.000Z",
  dateMax: "2022-01-31T00:00:00.000Z",
};

const MANIFEST = manifestOf({
  archive: "00ff",
  madeAt: "2026-01-01T00:00:00.000Z",
  database: "d",
  container: "c",
  databaseRid: "AAAAAQ==",
  containerRid: "AAAAAYAAAAE=",
  definition: { id: "c", partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } },
  position: [{ min: "", max: "FF", lsn: 7 }],
  ageProperty: "/date",
  before: undefined,
  files: [FILE, { ...FILE, name: "data-2.ndjson.gz", dateMin: undefined, dateMax: undefined }],
});

it("comes back as it was written, however it is laid out", () => {
  const text = encodeManifest(MANIFEST);
  const read = parseManifest(text);
  assert(read.ok, read.ok ? "" : read.error);
  expect(JSON.parse(JSON.stringify(read.value))).toEqual(JSON.parse(text));
  const { checksum, ...rest } = JSON.parse(text);
  expect(parseManifest(JSON.stringify({ checksum, ...rest })).ok).toBe(true);
  expect(read.value.totals).toMatchObject({ fileCount: 2, itemCount: 4, storedBytes: 60 });
});

describe("a manifest that was changed", () => {
  const changed = (change: (text: string) => string): string => {
    const read = parseManifest(change(encodeManifest(MANIFEST)));
    return read.ok ? "" : read.error;
  };

  it.each<[string, (text: string) => string, RegExp]>([
    ["a count", (text) => text.replace('"itemCount": 2', '"itemCount": 3'), /checksum/],
    ["a name", (text) => text.replace("data-1.", "data-9."), /checksum/],
    ["no checksum", (text) => text.replace(/,\s*"checksum": "[0-9a-f]+"/, ""), /checksum/],
    ["a newer format", (text) => text.replace('"format": 1', '"format": 2'), /format 2/],
    ["an end that is missing", (text) => text.slice(0, -20), /no JSON/],
    ["nothing in it", () => "", /no JSON/],
    ["something else in it", () => "[]", /not right/],
  ])("with %s is refused", (_what, change, said) => {
    expect(changed(change)).toMatch(said);
  });

  it("is refused although its checksum fits, if it is no manifest", () => {
    const bad = [
      { ...FILE, name: "../data-1.ndjson.gz" },
      { ...FILE, sha256: "zz" },
      { ...FILE, itemCount: "2" },
      { ...FILE, key: "a" },
    ];
    for (const file of bad) {
      const made = manifestOf({ ...MANIFEST, files: [file as unknown as typeof FILE] });
      expect(parseManifest(encodeManifest(made))).toMatchObject({ ok: false });
    }
  });
});

it("sums contents whatever their order, and tells twice from none", () => {
  const lines = ["a", "b", "c", "a"].map((text) => Buffer.from(text));
  const sumOf = (all: readonly Buffer[]): string => {
    const sum = new ContentSum();
    for (const line of all) sum.add(line);
    return sum.digits;
  };
  expect(sumOf(lines)).toBe(sumOf(lines.toReversed()));
  expect(sumOf(lines)).not.toBe(sumOf(lines.slice(1, 3)));
  const parts = new ContentSum();
  parts.addSum(sumOf(lines.slice(0, 2)));
  parts.addSum(sumOf(lines.slice(2)));
  expect(parts.digits).toBe(sumOf(lines));
});
