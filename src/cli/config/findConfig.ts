/**
 * The settings file: `orrery.config.yaml` in the folder in which a command is run, or the file that
 * `--config` or ORRERY_CONFIG names. An option counts more than a variable of the environment, a
 * variable more than the file, and the file more than what is assumed without it.
 *
 * What the file says is in `readConfig.ts`, which is loaded when there is one: reading YAML takes
 * time that most commands can save.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BadOption } from "../../server/surroundings/options.ts";

const CONFIG_FILE = "orrery.config.yaml";
const CONFIG_VARIABLE = "ORRERY_CONFIG";

/** The file that counts, or none. One that was named has to be there. */
export function configFileFor(
  named: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): string | undefined {
  const told = named ?? (environment[CONFIG_VARIABLE] || undefined);
  const file = told ?? join(folder, CONFIG_FILE);
  if (existsSync(file)) return file;
  if (told === undefined) return undefined;
  const source = named === undefined ? CONFIG_VARIABLE : "--config";
  throw new BadOption(`${source} names ${told}, which does not exist.`);
}
