/** `orrery keys`: shows the account keys of a running server, or makes one of them anew. */
import { parseArgs } from "node:util";
import type { AccountKeyEntry, AccountKeyName, KeyOrigin, KeysAnswer } from "../protocol/admin.ts";
import { KEY_NAMES } from "../protocol/admin.ts";
import { BadOption } from "../server/surroundings/options.ts";
import { AdminClient } from "./connect/adminClient.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { accountOf, SERVER_HELP, SERVER_OPTIONS } from "./connect/serverOptions.ts";

export const KEYS_HELP: string = `usage: orrery keys list
       orrery keys regenerate <name>

Shows the keys of the account, or makes one of them anew. The names are
${KEY_NAMES.join(", ")}.

A regenerated key is kept in the data directory and counts at once; the former one is refused from
then on, and with the primary key all resource tokens end. To change keys without anybody noticing,
give clients the secondary one first. A key that \`orrery start\` was given as an option cannot be
regenerated.

  --json                   print one line of JSON
${SERVER_HELP}\
The key must be a read-write one. Ends with 0 when it was done, with 1 when the server refused or
was not there, with 2 when an option makes no sense.
`;

export async function runKeys(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { ...SERVER_OPTIONS, json: { type: "boolean" } },
  });
  if (values.help === true) {
    process.stdout.write(KEYS_HELP);
    return;
  }
  const name = keyNameIn(positionals);
  const client = new AdminClient(accountOf(values, environment));
  try {
    const answer =
      name === undefined
        ? await client.get<KeysAnswer>("keys")
        : await client.post<KeysAnswer>(`keys/${name}/regenerate`, {});
    const text = values.json === true ? `${JSON.stringify(answer)}\n` : keysText(answer.keys);
    process.stdout.write(text);
  } finally {
    client.close();
  }
}

/** Absent when they are only listed. */
function keyNameIn([action, name, ...rest]: readonly string[]): AccountKeyName | undefined {
  if (action === "list" && name === undefined) return undefined;
  if (action === "regenerate" && rest.length === 0) {
    const known = KEY_NAMES.find((one) => one === name);
    if (known !== undefined) return known;
    throw new BadOption(`Name the key to regenerate: ${KEY_NAMES.join(", ")}.`);
  }
  throw new BadOption("Say `orrery keys list`, or `orrery keys regenerate <name>`.");
}

const ORIGINS: Readonly<Record<KeyOrigin, string>> = {
  option: "given by an option",
  wellKnown: "the well-known key of emulators",
  generated: "made by the server",
  none: "none",
};

function keysText(keys: readonly AccountKeyEntry[]): string {
  return keys
    .map(
      ({ name, origin, key }) =>
        `${name.padEnd(18)} ${key ?? ""}${key ? "  " : ""}(${ORIGINS[origin]})\n`,
    )
    .join("");
}
