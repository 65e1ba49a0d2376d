/** Where simulated scripts run: an account with a container, for tests. */
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../../json/value.ts";
import { pointRange } from "../../partition/epkRange.ts";
import type { Account } from "../account.ts";
import type { Container } from "../partition/container.ts";
import { containerIn, databaseIn, simulatedAccount } from "../simulatedAccount.fake.ts";
import { KEY } from "../simulatedRequests.fake.ts";
import type { SimulatedScript } from "./simulatedScripts.fake.ts";
import { simulatedScripts } from "./simulatedScripts.fake.ts";

export const item = (id: string, members: JsonObject = {}): string =>
  JSON.stringify({ id, pk: KEY, ...members });

interface ScriptStage extends Awaited<ReturnType<typeof simulatedAccount>> {
  readonly container: Container;
  /** Names of the scripts that were run. */
  readonly runs: readonly string[];
}

export async function stage(
  scripts: Readonly<Record<string, SimulatedScript>>,
  body: JsonObject = {},
  more: object = {},
): Promise<ScriptStage> {
  const simulation = simulatedScripts(scripts);
  const simulated = await simulatedAccount({ scripts: simulation, ...more });
  const { account } = simulated;
  const container = await containerIn(account, await databaseIn(account), undefined, body);
  return { ...simulated, container, runs: simulation.runs };
}

export async function idsIn(
  account: Account,
  container: Container,
  pk: string = KEY,
): Promise<string> {
  const routed = account.route(container, [pk]);
  assert(routed.ok, "the key is no key");
  const page = await account.readItems(container, {
    scope: { range: pointRange(routed.value.epk), order: "placement" },
    position: undefined,
    countMax: 1000,
  });
  assert(page.ok, "the feed was refused");
  return page.value.bodies.map((body) => JSON.parse(body.toString()).id as string).join(" ");
}
