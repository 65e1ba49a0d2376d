/** What the options of `orrery import` and `orrery export` mean, and which make no sense. */
import { describe, expect, test } from "vitest";
import { BadOption } from "../../server/surroundings/options.ts";
import { exportOptionsOf } from "../export/options.ts";
import { importOptionsOf } from "./options.ts";

describe("orrery import", () => {
  test("without options creates, eight requests at a time, and bears a hundred errors", () => {
    expect(importOptionsOf(["d/c", "a.ndjson", "-"], {})).toMatchObject({
      name: { database: "d", container: "c" },
      files: ["a.ndjson", "-"],
      mode: "create",
      creation: undefined,
      shape: { id: undefined, settings: [] },
      countMax: Number.POSITIVE_INFINITY,
      errorsMax: 100,
      concurrency: 8,
      patienceMs: 30_000,
      isDry: false,
    });
  });

  test("makes a hierarchical key of several paths", () => {
    const args = ["d/c", "x", "--create", "--partition-key", "/a, /b/c", "--throughput", "400"];
    expect(importOptionsOf(args, {})?.creation).toEqual({
      definition: { paths: ["/a", "/b/c"], kind: "MultiHash", version: 2 },
      throughput: 400,
    });
  });

  test.each<[readonly string[], string]>([
    [[], "Name the container: <database>/<container>."],
    [["d/c"], "Name a file to import"],
    [["d/c", "x", "x"], "'x' is named twice."],
    [["d/c", "x", "--mode", "merge"], "--mode is 'merge'; it must be create, skip, upsert."],
    [["d/c", "x", "--format", "xml"], "--format is 'xml'; it must be ndjson, json, csv."],
    [["d/c", "x", "--partition-key", "/a"], "--partition-key is for a container that is made"],
    [["d/c", "x", "--throughput", "400"], "--throughput is for a container that is made"],
    [["d/c", "x", "--create"], "--create needs --partition-key"],
    [["d/c", "x", "--create", "--partition-key", "a"], "it must be one to 3 paths"],
    [["d/c", "x", "--create", "--partition-key", "/a,/b,/c,/d"], "it must be one to 3 paths"],
    [["d/c", "x", "--set", "pk"], "it must be <path>=<expression>"],
    [["d/c", "x", "--set", "/pk=month(/ts"], "--set 'month(/ts', at character 10"],
    [["d/c", "x", "--id", "foo(/a)"], "--id 'foo(/a)', at character 1"],
    [["d/c", "-", "--resume", "j"], "--resume needs files"],
    [["d/c", "x", "--resume", "j", "--dry-run"], "--resume has nothing to note"],
    [["d/c", "x", "--resume", "j", "--id", "random(5)"], "--resume needs the same items each time"],
    [["d/c", "x", "--resume", "j", "--set", "/p=suffix(/d, turn(), 4)"], "--resume needs the same"],
    [["d/c", "x", "--csv-delimiter", "ab"], "it must be one character, or tab"],
    [["d/c", "x", "--concurrency", "0"], "it must be a number from 1 to 256"],
    [["d/c", "x", "--max-errors", "-1"], "argument is ambiguous"],
  ])("refuses what makes no sense: %j", (args, said) => {
    expect(() => importOptionsOf([...args], {})).toThrow(said);
  });
});

describe("orrery export", () => {
  test.each<[readonly string[], string, boolean]>([
    [[], "ndjson", false],
    [["--out", "a.json"], "json", false],
    [["--out", "a.csv.gz"], "csv", true],
    [["--out", "a.txt"], "ndjson", false],
    [["--out", "a.json", "--format", "csv", "--gzip"], "csv", true],
  ])("goes by the name of the file, or by what it is told: %j", (args, format, isZipped) => {
    expect(exportOptionsOf(["d/c", ...args], {})).toMatchObject({ format, isZipped });
  });

  test.each<[readonly string[], string]>([
    [["--format", "xml"], "--format is 'xml'; it must be ndjson, json, csv."],
    [["--force"], "--force is about the file of --out"],
    [["out.json"], "'out.json' is one word too many; a file is given with --out."],
  ])("refuses what makes no sense: %j", (args, said) => {
    expect(() => exportOptionsOf(["d/c", ...args], {})).toThrow(new BadOption(said).message);
  });
});
