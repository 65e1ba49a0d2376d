/** What a settings file may say, and what is said of one that cannot be used. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { BadOption, DEFAULT_PORT } from "../../server/surroundings/options.ts";
import { START_HELP } from "../start.ts";
import { configSchema } from "./configSchema.ts";
import { overSettings } from "./overSettings.ts";
import { readConfig } from "./readConfig.ts";
import { START_SETTINGS } from "./startSettings.ts";

const folder = mkdtempSync(join(tmpdir(), "orrery-settings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "orrery.config.yaml");

function read(text: string): ReturnType<typeof readConfig> {
  writeFileSync(file, text);
  return readConfig(file);
}

test("a file says what the command line could", () => {
  const { start } = read(`
start:
  port: 9001
  data: ./kept
  rateLimit: false
  allowHosts: [a, b]
  alertWebhook: http://127.0.0.1:1/
  limits: { partitionRate: 1000, logicalPartitionBytes: 20MB }
  scaleLimits: 1/1000
  alerts: { heavyKey: { enabled: false } }
  entraKeys: https://keys.example/
  host:
`);
  expect(start).toEqual({
    port: 9001,
    data: join(folder, "kept"),
    rateLimit: false,
    allowHosts: ["a", "b"],
    alertWebhook: ["http://127.0.0.1:1/"],
    limits: { partitionRate: 1000, logicalPartitionBytes: "20MB" },
    scaleLimits: "1/1000",
    alerts: { heavyKey: { enabled: false } },
    entraKeys: "https://keys.example/",
  });
});

describe("a file is refused with its place", () => {
  test.each([
    [
      "a name that is misspelt",
      "start:\n  rateLimt: true\n",
      ":2:13 start.rateLimt: ",
      "rateLimit'",
    ],
    ["a section that is not there", "strat: {}\n", ":1:8 strat: ", "Did you mean 'start'?"],
    ["an option's own spelling", "start:\n  rate-limit: true\n", ":2:15 ", "'rateLimit'"],
    ["a text for a number", "start:\n  port: '1'\n", ":2:9 start.port: ", "must be a number"],
    ["a number for a text", "start:\n  host: 1\n", ":2:9 start.host: ", "must be a text; it is 1."],
    ["a list", "- start\n", ":1:1 ", "it must have members, such as start; it is a list."],
    ["what is no YAML", "start: [\n", ":2:1 ", "sequence"],
    ["two ways to the server", "connection: { key: a, connectionString: b }\n", ":1:41", "without"],
  ])("%s", (_what, text, place, said) => {
    expect(() => read(text)).toThrow(BadOption);
    expect(() => read(text)).toThrow(`${file}${place}`);
    expect(() => read(text)).toThrow(said);
  });

  test("all that is wrong with it is said", () => {
    expect(() => read("start: { prot: 1, hots: 2 }\n")).toThrow(/prot'.*\n.*hots'/);
  });
});

test("a setting has the word of its option in the schema", () => {
  const schema = JSON.parse(JSON.stringify(configSchema(START_HELP))) as {
    readonly properties: {
      readonly start: { readonly properties: Record<string, { readonly description?: string }> };
    };
  };
  const { properties } = schema.properties.start;
  expect(Object.keys(properties)).toEqual(Object.keys(START_SETTINGS));
  const silent = Object.entries(properties).filter(([, { description }]) => !description);
  expect(silent.map(([name]) => name)).toEqual([]);
});

describe("what is said on the command line", () => {
  test("counts more than the file, which counts more than a default", () => {
    const settings = { port: 9001, host: "::1" };
    expect(overSettings({ port: 9002, host: undefined }, settings)).toEqual({
      port: 9002,
      host: "::1",
    });
    expect(overSettings({}, {})).toEqual({ port: DEFAULT_PORT });
  });

  test("takes the place of all that belongs together", () => {
    const settings = { memory: true, cert: "a", certKey: "b" };
    expect(overSettings({ port: 1, data: "d", cert: "c" }, settings)).toEqual({
      port: 1,
      data: "d",
      cert: "c",
    });
  });
});
