/**
 * The settings file as part of the environment of commands that ask a server: what the file says of
 * the connection becomes a connection string, unless the environment has one itself. The variables
 * of the emulator's images count more than the file, each for its part.
 */
import { optionsFromEnvironment } from "../../server/surroundings/emulatorSettings.ts";
import { DEFAULT_HOST, DEFAULT_PORT } from "../../server/surroundings/options.ts";
import { configFileFor } from "../config/findConfig.ts";
import { connectionStringOf, parseConnectionString } from "./connectionString.ts";
import { CONNECTION_VARIABLE, type Environment } from "./serverOptions.ts";

export async function withConfig(
  environment: Environment,
  args: readonly string[],
  folder: string,
): Promise<Environment> {
  const file = configFileFor(configOptionIn(args), environment, folder);
  if (file === undefined) return environment;
  const { readConfig, serverOf } = await import("../config/readConfig.ts");
  const { start, connection: said } = readConfig(file);
  if (environment[CONNECTION_VARIABLE]) return environment;
  const isSaid = Object.values(said).some((value) => value !== undefined);
  const { endpoint, key, connectionString } = isSaid ? said : serverOf(start);
  const source = `connectionString of ${file}`;
  const parsed =
    connectionString === undefined ? undefined : parseConnectionString(connectionString, source);
  const told = optionsFromEnvironment(environment);
  const isMoved = told.port !== undefined || told.https !== undefined;
  const scheme = told.https === true ? "https" : "http";
  const moved = `${scheme}://${DEFAULT_HOST}:${told.port ?? DEFAULT_PORT}`;
  const [url, from] = [parsed?.endpoint ?? endpoint, parsed?.key ?? key];
  const text = connectionStringOf({
    endpoint: isMoved ? moved : (url ?? moved),
    key: told.key ?? (isMoved ? undefined : from),
    isUnverified: parsed?.isUnverified === true,
  });
  return { ...environment, [CONNECTION_VARIABLE]: text };
}

/** Before a command reads its arguments: they may depend on what the file says. */
function configOptionIn(args: readonly string[]): string | undefined {
  for (const [index, word] of args.entries()) {
    if (word === "--") return undefined;
    if (word === "--config") return args[index + 1];
    if (word.startsWith("--config=")) return word.slice("--config=".length);
  }
  return undefined;
}
