/** `orrery lifecycle status`: what lifecycles do, once or again and again. */
import { parseArgs } from "node:util";
import type { LifecycleEntry } from "../../model/lifecycle.ts";
import type { LifecycleAnswer, LifecyclesAnswer, UnmovedAnswer } from "../../protocol/admin.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { AdminClient } from "../connect/adminClient.ts";
import type { Environment } from "../connect/serverOptions.ts";
import { accountOf, SERVER_HELP, SERVER_OPTIONS, sameServer } from "../connect/serverOptions.ts";
import { Interruption } from "../terminal/interruption.ts";
import type { Section } from "../terminal/liveTable.ts";
import { LiveTable } from "../terminal/liveTable.ts";
import { entrySections, listSections, setAsideSections } from "./lifecycleText.ts";

export const STATUS_HELP: string = `usage: orrery lifecycle status [<id>] [options]

Shows all lifecycles in a table, or everything about one: how far it is, what it has moved, which
items cannot be moved and why, its last rounds, and what can be asked of it.

  --watch                  again and again, until Ctrl-C
  --set-aside              with <id>: the items that cannot be moved, each with its reason
  --json                   what the server says as JSON; with --watch a line every second
${SERVER_HELP}
examples: orrery lifecycle status
          orrery lifecycle status 2-l1 --watch
          orrery lifecycle status 2-l1 --set-aside --json
`;

const WATCH_MS = 1_000;
/** Where every table stays, fewer are more. */
const WATCH_PLAIN_MS = 5_000;

const OPTIONS = {
  ...SERVER_OPTIONS,
  watch: { type: "boolean" },
  "set-aside": { type: "boolean" },
  json: { type: "boolean" },
} as const;

interface Shown {
  readonly body: object;
  readonly sections: readonly Section[];
}

export async function runLifecycleStatus(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  if (values.help === true) {
    process.stdout.write(STATUS_HELP);
    return;
  }
  const [id, extra] = positionals;
  if (extra !== undefined) throw new BadOption(`'${extra}' is one word too many.`);
  const hasSetAside = values["set-aside"] === true;
  if (hasSetAside && id === undefined) throw new BadOption("--set-aside needs the id of one.");
  const client = new AdminClient(accountOf(values, environment));
  const where = sameServer(values);
  const look = (): Promise<Shown> =>
    id === undefined ? all(client) : hasSetAside ? setAside(client, id) : one(client, id, where);
  try {
    const isJson = values.json === true;
    if (values.watch === true) await watch(look, environment, isJson);
    else tell(await look(), new LiveTable(process.stdout, environment), isJson);
  } finally {
    client.close();
  }
}

async function all(client: AdminClient): Promise<Shown> {
  const body = await client.get<LifecyclesAnswer>("lifecycles");
  return { body, sections: listSections(body.lifecycles) };
}

async function one(client: AdminClient, id: string, where: string): Promise<Shown> {
  const lifecycle = await lifecycleOf(client, id);
  return { body: { lifecycle }, sections: entrySections(lifecycle, where) };
}

async function setAside(client: AdminClient, id: string): Promise<Shown> {
  const body = await client.get<UnmovedAnswer>(`lifecycles/${encodeURIComponent(id)}/setAside`);
  return { body, sections: setAsideSections(body.items) };
}

async function lifecycleOf(client: AdminClient, id: string): Promise<LifecycleEntry> {
  const route = `lifecycles/${encodeURIComponent(id)}`;
  return (await client.get<LifecycleAnswer>(route)).lifecycle;
}

function tell({ body, sections }: Shown, table: LiveTable, isJson: boolean): void {
  if (isJson) process.stdout.write(`${JSON.stringify(body)}\n`);
  else table.show(sections);
}

async function watch(
  look: () => Promise<Shown>,
  environment: Environment,
  isJson: boolean,
): Promise<void> {
  const table = new LiveTable(process.stdout, environment);
  const interruption = new Interruption();
  try {
    while (!interruption.isOver) {
      const shown = await interruption.unless(look());
      if (shown === undefined) return;
      tell(shown, table, isJson);
      await interruption.pause(table.isInPlace || isJson ? WATCH_MS : WATCH_PLAIN_MS);
    }
  } finally {
    interruption.close();
  }
}
