/** `orrery config`: which settings file counts, what it says, and what one may say. */
import { parseArgs } from "node:util";
import { BadOption } from "../server/surroundings/options.ts";
import { configFileFor } from "./config/findConfig.ts";
import type { Environment } from "./connect/serverOptions.ts";

export const CONFIG_HELP: string = `usage: orrery config [options]

Checks the settings file and prints what it says: orrery.config.yaml in this folder, or the file
that --config or ORRERY_CONFIG names. An option counts more than a variable of the environment, a
variable more than the file. docs/use/command.md describes it.

  --schema                 print the JSON schema of such files instead, for editors
  --config <file>          the settings file
  --help                   this text

Ends with 0, with 2 when the file cannot be used.
`;

export async function runConfig(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      schema: { type: "boolean" },
      config: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    process.stdout.write(CONFIG_HELP);
    return;
  }
  if (values.schema === true) {
    const { configSchema } = await import("./config/configSchema.ts");
    const { START_HELP } = await import("./start.ts");
    process.stdout.write(`${JSON.stringify(configSchema(START_HELP), null, 2)}\n`);
    return;
  }
  const file = configFileFor(values.config, environment, process.cwd());
  if (file === undefined) {
    throw new BadOption("There is no orrery.config.yaml here. --config names another file.");
  }
  const { readConfig } = await import("./config/readConfig.ts");
  const { start, connection } = readConfig(file);
  process.stdout.write(`${JSON.stringify({ file, start, connection }, null, 2)}\n`);
}
