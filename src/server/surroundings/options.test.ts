/** What options mean, which are refused and with which words, and what the environment says. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { optionsFromEnvironment } from "./emulatorSettings.ts";
import {
  adminAccessOf,
  alertSettingsOf,
  BadOption,
  checkOptions,
  consistencyNameOf,
  consistencyOf,
  entraOf,
  limitsOf,
  rateSettingOf,
} from "./options.ts";
import type { OrreryOptions } from "./orreryOptions.ts";

/** A point of the curve P-256, which makes a public key. */
const POINT = {
  x: "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
  y: "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
};

describe("limits", () => {
  test("are those of the service", () => {
    expect(limitsOf({})).toEqual(SERVICE_LIMITS);
  });

  test("are scaled first, then set by name", () => {
    const options = { scaleLimits: "1/1000", limits: { logicalPartitionBytes: "1MB" } };
    expect(limitsOf(options)).toMatchObject({
      logicalPartitionBytesMax: 1024 ** 2,
      physicalPartitionBytesMax: 53_687_091,
    });
  });
});

describe("rates", () => {
  const rules: readonly [string, OrreryOptions, object][] = [
    ["are limited unless said otherwise", {}, { isLimited: true, isServerless: false }],
    ["are not when told so", { rateLimit: false }, { isLimited: false }],
    ["may be serverless", { serverless: true }, { isServerless: true, hasBurst: false }],
    ["may burst", { burstCapacity: true }, { hasBurst: true }],
    ["make partitions of 10,000 RU/s", {}, { manualRatePerPartition: 10_000 }],
    ["or of fewer", { manualRatePerPartition: 6000 }, { manualRatePerPartition: 6000 }],
    [
      "or of what a partition can serve",
      { limits: { partitionRate: 1000 } },
      { manualRatePerPartition: 1000 },
    ],
  ];
  test.each(rules)("%s", (_rule, options, setting) => {
    expect(rateSettingOf(options, limitsOf(options))).toMatchObject(setting);
  });
});

test("consistency is session, or what is said in any case, and back", () => {
  expect(consistencyOf({})).toBe("session");
  expect(consistencyOf({ consistency: "BoundedStaleness" })).toBe("boundedStaleness");
  expect(consistencyOf(loosely({ consistency: "STRONG" }))).toBe("strong");
  expect(consistencyNameOf("consistentPrefix")).toBe("ConsistentPrefix");
});

test("the admin API is for this machine, or for whom is said", () => {
  expect(adminAccessOf({})).toBe("loopback");
  expect(adminAccessOf({ admin: "off" })).toBe("off");
});

test("settings of alerts are taken as they are, or from a file", () => {
  const directory = mkdtempSync(join(tmpdir(), "orrery-test-"));
  const path = join(directory, "alerts.json");
  const settings = { unevenKeys: { enabled: false } };
  expect(alertSettingsOf({}).get("unevenKeys")?.isEnabled).toBe(true);
  expect(alertSettingsOf({ alerts: settings }).get("unevenKeys")?.isEnabled).toBe(false);
  writeFileSync(path, JSON.stringify(settings));
  expect(alertSettingsOf({ alerts: path }).get("unevenKeys")?.isEnabled).toBe(false);
  for (const text of ["[]", "3", "{", "", '{"nothing":{}}']) {
    writeFileSync(path, text);
    expect(() => checkOptions({ alerts: path })).toThrow(`alerts in ${path}: `);
  }
  rmSync(directory, { recursive: true });
});

test("webhooks are where they are named, or where they are allowed to be", () => {
  const alertWebhook = ["https://Hooks.example/a?b=c"];
  expect(() => checkOptions({ alertWebhook })).not.toThrow();
  const allowed = { alertWebhook, allowWebhookHosts: ["hooks.EXAMPLE"] };
  expect(() => checkOptions(allowed)).not.toThrow();
  const others = { alertWebhook, allowWebhookHosts: ["other.example"] };
  expect(() => checkOptions(others)).toThrow("alertWebhook: ");
});

describe("what could only be a mistake is refused", () => {
  const mistakes: readonly [OrreryOptions, string][] = [
    [{ scaleLimits: "1:1000" }, "The scale of the limits is '1:1000'"],
    [{ scaleLimits: 0 }, "must be a fraction such as 1/1000"],
    [{ limits: { partitions: 3 } }, "no limit called 'partitions'. These can be: itemBytes"],
    [{ limits: { partitionRate: "fast" } }, "partitionRate is 'fast'"],
    [{ scaleLimits: "1/1000", limits: { logicalPartitionBytes: "1GB" } }, "must fit into it"],
    [{ manualRatePerPartition: 0 }, "manualRatePerPartition is 0; it must be"],
    [{ manualRatePerPartition: 20_000 }, "from 100 to 10000"],
    [{ manualRatePerPartition: 600.5 }, "whole number"],
    [{ manualRatePerPartition: Number.NaN }, "is NaN"],
    [{ serverless: true, manualRatePerPartition: 6000 }, "exclude each other"],
    [{ serverless: true, burstCapacity: true }, "burstCapacity is about provisioned rates"],
    [{ rateLimit: false, burstCapacity: true }, "only if they are limited"],
    [loosely({ consistency: "Weak" }), "consistency is 'Weak'; it can be Strong, Bounded"],
    [{ headerTimeout: 0 }, "headerTimeout is 0; it must be a number of seconds"],
    [{ bodyTimeout: Number.NaN }, "bodyTimeout is NaN"],
    [{ idleTimeout: 130_000 }, "at most 86400"],
    [{ maxConnections: 0 }, "maxConnections is 0; it must be a whole number"],
    [{ maxConnections: 1.5 }, "maxConnections is 1.5"],
    [loosely({ admin: "all" }), "admin is 'all'; it can be loopback, any, off"],
    [{ alerts: "nowhere.json" }, "alerts names nowhere.json, which does not exist"],
    [{ alerts: [1] }, "alerts: Alert settings must be an object"],
    [{ alerts: { hot: {} } }, "alerts: There is no rule 'hot'. The rules are "],
    [{ alertWebhook: ["hook"] }, "alertWebhook: Webhook 1 is not a URL"],
    [{ alertWebhook: ["file:///etc/passwd"] }, "must begin with http:// or https://"],
    [
      { alertWebhook: ["http://a.example@b.example/"], allowWebhookHosts: ["a.example"] },
      "goes to b.example, which is not among the allowed hosts",
    ],
  ];
  test.each(mistakes)("%j", (options, message) => {
    expect(() => checkOptions(options)).toThrow(BadOption);
    expect(() => checkOptions(options)).toThrow(message);
  });
});

describe("the variable of the older emulator", () => {
  const rules: readonly [string, OrreryOptions][] = [
    ["/DisableRateLimiting", { rateLimit: false }],
    ["/EnableRateLimiting", { rateLimit: true }],
    [
      "/noexplorer /noui /enablepreview /disableratelimiting",
      { rateLimit: false, explorer: false },
    ],
    ["/AllowNetworkAccess /KeyFile=package.json", { host: "0.0.0.0" }],
    ["-enablepreview -port=8082", { port: 8082 }],
    ["/Consistency=strong", { consistency: "Strong" }],
    ["/Port=8082 /Key=bm9uZQ== /Consistency=Eventual", { port: 8082, key: "bm9uZQ==" }],
    ["", {}],
  ];
  test.each(rules)("%j", (text, options) => {
    const environment = { AZURE_COSMOS_EMULATOR_ARGS: text };
    expect(optionsFromEnvironment(environment)).toMatchObject(options);
  });

  test("counts less than those of the newer one", () => {
    const environment = { AZURE_COSMOS_EMULATOR_ARGS: "/Port=8082", PORT: "8083" };
    expect(optionsFromEnvironment(environment).port).toBe(8083);
  });

  test.each(["/Port=http", "/Consistency=Weak"])("%s is refused", (text) => {
    const environment = { AZURE_COSMOS_EMULATOR_ARGS: text };
    expect(() => optionsFromEnvironment(environment)).toThrow("AZURE_COSMOS_EMULATOR_ARGS /");
  });

  test("is refused when it asks for what is not served", () => {
    const environment = { AZURE_COSMOS_EMULATOR_ARGS: "/NoUI /MongoPort=10255" };
    expect(() => optionsFromEnvironment(environment)).toThrow("'/MongoPort=10255'");
  });
});

/** Options as a program without types would give them. */
function loosely(options: Readonly<Record<string, unknown>>): OrreryOptions {
  return options;
}

describe("keys and tokens", () => {
  const key = Buffer.alloc(64, 1).toString("base64");
  const keySet = { kty: "EC", crv: "P-256", kid: "one", ...POINT };

  test("no two keys are the same", () => {
    expect(() => checkOptions({ key, readOnlyKey: key })).toThrow(
      /readOnlyKey and key are the same/,
    );
    expect(() => checkOptions({ secondaryReadOnlyKey: "short" })).toThrow(/secondaryReadOnlyKey/);
  });

  test.each<[string, OrreryOptions, RegExp]>([
    ["an issuer without keys", { entraIssuer: "i" }, /go together/],
    ["keys without an issuer", { entraKeys: "https://issuer.example/keys" }, /go together/],
    ["a role by itself", { entraReaderRole: "r" }, /go together/],
    ["an audience by itself", { entraAudience: ["a"] }, /go together/],
    ["keys in the open", { entraIssuer: "i", entraKeys: "http://issuer.example/k" }, /https URL/],
    ["no address", { entraIssuer: "i", entraKeys: "https://" }, /https URL/],
    ["no file", { entraIssuer: "i", entraKeys: "/nowhere/keys" }, /does not exist/],
  ])("%s is refused", (_rule, options, says) => {
    expect(() => checkOptions(options)).toThrow(says);
  });

  test.each(["https://issuer.example/keys", "http://127.0.0.1:1/keys", "http://[::1]:1/keys"])(
    "keys may come from %s",
    (entraKeys) => {
      const options = { entraIssuer: "i", entraKeys, entraAudience: ["https://account/"] };
      expect(entraOf(options)).toMatchObject({ keys: entraKeys, audiences: ["https://account"] });
    },
  );

  test("a file of keys is looked at before anything is opened", () => {
    const folder = mkdtempSync(join(tmpdir(), "orrery-options-"));
    try {
      const entraKeys = join(folder, "keys.json");
      writeFileSync(entraKeys, JSON.stringify({ keys: [keySet] }));
      expect(entraOf({ entraIssuer: "i", entraKeys })).toMatchObject({ issuer: "i" });
      writeFileSync(entraKeys, "{}");
      expect(() => checkOptions({ entraIssuer: "i", entraKeys })).toThrow(/JWKS/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
