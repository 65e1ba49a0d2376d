/** What a settings file says, checked. Which file that is, is in `findConfig.ts`. */
import { readFileSync } from "node:fs";
import { BadOption, DEFAULT_HOST, DEFAULT_PORT } from "../../server/surroundings/options.ts";
import type { OrreryOptions } from "../../server/surroundings/orreryOptions.ts";
import { SettingsReader } from "../../yaml/settingsReader.ts";
import { startSettingsIn } from "./startSettings.ts";

interface ConfigSettings {
  readonly file: string;
  /** What `orrery start` is told. */
  readonly start: OrreryOptions;
  /** Which server other commands ask. Without it, the one that `start` describes. */
  readonly connection: ConnectionSettings;
}

interface ConnectionSettings {
  readonly endpoint?: string | undefined;
  readonly key?: string | undefined;
  readonly connectionString?: string | undefined;
}

const SECTIONS = ["start", "connection"] as const;
export const CONNECTION_SETTINGS = ["endpoint", "key", "connectionString"] as const;

export function readConfig(file: string): ConfigSettings {
  const reader = new SettingsReader(file);
  const text = readText(file);
  // A file of comments alone says nothing, which is no mistake.
  const isEmpty = text.split("\n").every((line) => /^\s*(#.*)?$/.test(line));
  const node = isEmpty ? undefined : reader.read(text, file.endsWith(".json") ? "json" : "yaml");
  const sections = node === undefined ? {} : reader.members(node, [...SECTIONS, "$schema"]);
  const start = sections.start === undefined ? {} : startSettingsIn(sections.start, reader, file);
  const place =
    sections.connection === undefined
      ? {}
      : reader.members(sections.connection, CONNECTION_SETTINGS);
  const connection = {
    endpoint: reader.text(place.endpoint),
    key: reader.text(place.key),
    connectionString: reader.text(place.connectionString),
  };
  if (place.connectionString && (place.endpoint ?? place.key)) {
    reader.problem(place.connectionString, "it has endpoint and key, and goes without those.");
  }
  if (reader.problems.length > 0) throw new BadOption(reader.problems.join("\n"));
  return { file, start, connection };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new BadOption(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** Where the server of `start` is, as other commands on this machine see it. */
export function serverOf({ port, host, https, cert, key }: OrreryOptions): ConnectionSettings {
  const scheme = https === true || cert !== undefined ? "https" : "http";
  const name = host === undefined || host === "0.0.0.0" || host === "::" ? DEFAULT_HOST : host;
  const bracketed = name.includes(":") ? `[${name}]` : name;
  return { endpoint: `${scheme}://${bracketed}:${port ?? DEFAULT_PORT}`, key };
}
