/** What the commands about databases, containers and items have in common. */
import { BadOption } from "../../server/surroundings/options.ts";
import type { Environment, ServerValues } from "../connect/serverOptions.ts";
import { accountOf } from "../connect/serverOptions.ts";
import { ResourceClient } from "./resourceClient.ts";

/** Runs with a client; whatever happens, it is closed, and what was spent is told in the end. */
export async function withClient(
  values: ServerValues,
  environment: Environment,
  act: (client: ResourceClient) => Promise<void>,
): Promise<void> {
  const client = new ResourceClient(accountOf(values, environment));
  try {
    await act(client);
  } finally {
    client.close();
    if (client.charge > 0) process.stderr.write(`${client.charge.toFixed(2)} RU\n`);
  }
}

export function refuseMore(extra: string | undefined): void {
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
