/**
 * What the images of the emulator are told: every setting does something or is refused with a
 * reason. The table in the documents is what was found here; `npx vitest run --update` with the
 * name of this file writes it anew.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  EMULATOR_SETTINGS,
  optionsFromArguments,
  optionsFromEnvironment,
} from "./emulatorSettings.ts";
import { BadOption } from "./options.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "orrery-settings-"));
  writeFileSync(join(directory, "account.key"), "bm9ib2R5IGtub3dzIHRoaXM=\n");
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Values as tools and compose files give them; the files are those of `directory`. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  AZURE_COSMOS_EMULATOR_ARGS: ["/DisableRateLimiting", "/NoExplorer", "/MongoPort=10255"],
  AZURE_COSMOS_EMULATOR_KEY: ["bm9ib2R5IGtub3dzIHRoaXM="],
  AZURE_COSMOS_EMULATOR_PARTITION_COUNT: ["10", "None", "many"],
  AZURE_COSMOS_EMULATOR_ENABLE_DATA_PERSISTENCE: ["true", "false", "maybe"],
  AZURE_COSMOS_EMULATOR_IP_ADDRESS_OVERRIDE: ["172.17.0.2"],
  AZURE_COSMOS_EMULATOR_ENABLE_MONGODB_ENDPOINT: ["4.0"],
  PORT: ["8082", "http"],
  PROTOCOL: ["http", "https", "https-insecure", "gopher"],
  GATEWAY_PUBLIC_ENDPOINT: ["http://emulator:8081", "emulator"],
  KEY_FILE: ["account.key", "absent.key"],
  DATA_PATH: ["/data"],
  CERT_PATH: ["certificate.pfx"],
  CERT_SECRET: ["secret"],
  VERBOSE: ["true", "very"],
  LOG_LEVEL: ["quiet", "error", "info", "debug", "loud"],
  ENABLE_EXPLORER: ["true", "false", "perhaps"],
  EXPLORER_PROTOCOL: ["https", "gopher"],
  EXPLORER_PORT: ["1234"],
  QUERY_BUFFER_SIZE_KB: ["8192", "much"],
  ENABLE_INIT_DATA: ["false", "true"],
  INIT_PATH: ["/init"],
  ENABLE_TELEMETRY: ["false", "true"],
  ENABLE_OTLP_EXPORTER: ["false", "true"],
  ENABLE_CONSOLE_EXPORTER: ["false", "true"],
};

const inDirectory = (value: string): string =>
  value.endsWith(".key") ? join(directory, value) : value;

/** What becomes of a value, in words for the table. */
function outcomeOf(variable: string, value: string): string {
  try {
    const options = Object.entries(optionsFromEnvironment({ [variable]: inDirectory(value) }));
    if (options.length === 0) return "honoured: it is so anyhow";
    const set = options.map(([name, option]) => `\`${name}: ${JSON.stringify(option)}\``);
    return `honoured: ${set.join(", ")}`;
  } catch (error) {
    if (!(error instanceof BadOption)) throw error;
    return `refused: ${error.message.replaceAll(directory, "").replaceAll("|", "\\|")}`;
  }
}

/** With columns of one width, as documents are formatted. */
function table([head = [], ...rows]: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}

test("every setting has samples, and every sample a setting", () => {
  expect(Object.keys(SAMPLES)).toEqual(EMULATOR_SETTINGS.map(({ variable }) => variable));
});

test("the table in the documents is what happens", async () => {
  const rows = EMULATOR_SETTINGS.flatMap(({ variable, argument }) =>
    SAMPLES[variable]!.map((value) => {
      const names = [variable, ...(argument === undefined ? [] : [`--${argument}`])];
      const named = names.map((name) => `\`${name}\``).join(", ");
      return [named, `\`${value}\``, outcomeOf(variable, value)];
    }),
  );
  const meanings = EMULATOR_SETTINGS.map(
    ({ variable, meaning }) => `- \`${variable}\`: ${meaning}`,
  );
  const page = [
    "# Settings of the emulator's images",
    "",
    "What a container of the emulator is told in variables and arguments, and what Orrery makes of it.",
    "Each is honoured or refused; a server that was told something it cannot do does not start. This",
    "page is written by a test. Names of options are those of `startOrrery` and `orrery start`.",
    "[The emulator's contracts](emulator.md) has the rest.",
    "",
    ...meanings,
    "",
    ...table([["variable, argument", "value", "what becomes of it"], ...rows]),
    "",
  ];
  await expect(page.join("\n")).toMatchFileSnapshot("../../../docs/use/emulatorSettings.md");
});

describe("arguments", () => {
  test.each(
    EMULATOR_SETTINGS.flatMap(({ variable, argument }) =>
      argument === undefined ? [] : [[argument, variable] as const],
    ),
  )("--%s means what %s does", (argument, variable) => {
    for (const sample of SAMPLES[variable]!) {
      const value = inDirectory(sample);
      const told = (read: () => object): unknown => {
        try {
          return read();
        } catch (error) {
          return String(error).replaceAll(`--${argument}`, variable);
        }
      };
      expect(told(() => optionsFromArguments({ [argument]: value }))).toEqual(
        told(() => optionsFromEnvironment({ [variable]: value })),
      );
    }
  });
});

test("an empty variable counts as absent", () => {
  const variables = EMULATOR_SETTINGS.map(({ variable }) => [variable, ""]);
  expect(optionsFromEnvironment(Object.fromEntries(variables))).toEqual({});
});

test("names that requests may carry are added up", () => {
  const environment = {
    AZURE_COSMOS_EMULATOR_IP_ADDRESS_OVERRIDE: "172.17.0.2",
    GATEWAY_PUBLIC_ENDPOINT: "emulator",
  };
  expect(optionsFromEnvironment(environment)).toEqual({ allowHosts: ["172.17.0.2", "emulator"] });
});

test("the level of the log counts more than how much else is said", () => {
  const environment = { VERBOSE: "true", LOG_LEVEL: "error" };
  expect(optionsFromEnvironment(environment)).toEqual({ log: "errors" });
});

test("data that is named is kept, whatever the older variable says", () => {
  const environment = {
    AZURE_COSMOS_EMULATOR_ENABLE_DATA_PERSISTENCE: "false",
    DATA_PATH: "/data",
  };
  expect(optionsFromEnvironment(environment)).toMatchObject({ data: "/data", memory: false });
});
