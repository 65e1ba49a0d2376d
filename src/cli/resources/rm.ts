/** `orrery rm`: deletes a database, a container or an item. */
import { parseArgs } from "node:util";
import { property } from "../../json/value.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { type Environment, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { askConsent } from "../terminal/consent.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { numberText } from "../terminal/liveTable.ts";
import { printJson, refuseMore, withClient } from "./commandClient.ts";
import { absence, KEY_HELP, keyHeaders, keyOfItem } from "./itemPlace.ts";
import { aboutOf, type ResourceClient } from "./resourceClient.ts";
import type { ItemTarget, ResourceTarget } from "./resourcePath.ts";
import { resourcePathOf } from "./resourcePath.ts";

export const RM_HELP: string = `usage: orrery rm <db>[/<container>[/<id>]] [options]

Deletes a database with all of its containers, a container with all of its items, or an item. It
asks before; where nobody can be asked, it wants --yes.

${KEY_HELP}\
  --if-match <etag>        delete the item only if this is its version
  --yes                    do not ask
  --json                   say so as JSON
${SERVER_HELP}\
Ends with 0 when it was deleted, with 1 when it was not there or the server refused, with 2 when an
option makes no sense.

examples: orrery rm shop/orders/1 --partition-key ada
          orrery rm shop --yes
`;

export async function runRm(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      "partition-key": { type: "string" },
      "if-match": { type: "string" },
      yes: { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(RM_HELP);
    return;
  }
  const [named, extra] = positionals;
  refuseMore(extra);
  if (named === undefined)
    throw new BadOption("Name what to delete: shop, shop/orders or an item.");
  const path = resourcePathOf(named);
  const { "partition-key": key, "if-match": etag } = values;
  if (path.kind !== "item" && (key ?? etag) !== undefined) {
    throw new BadOption("--partition-key and --if-match are for an item.");
  }
  await withClient(values, environment, async (client) => {
    const about = await aboutDeletion(client, path);
    const headers = path.kind === "item" ? await headersOf(client, path, key, etag) : {};
    await askConsent(about, values.yes === true);
    const answer = await client.ask({ method: "DELETE", of: path, headers });
    if (answer.status === 412) {
      throw new CommandFailure(`The ${aboutOf(path)} has another version by now; it was left.`);
    }
    if (answer.status === 404 && path.kind === "item") throw absence(path, [], undefined);
    if (answer.status >= 300) throw client.refusal(answer, aboutOf(path));
    if (values.json === true) printJson({ deleted: named });
    else process.stdout.write(`Deleted ${aboutOf(path)}.\n`);
  });
}

/** What is asked before, with how much will be gone. Refuses what is not there. */
async function aboutDeletion(client: ResourceClient, path: ResourceTarget): Promise<string> {
  if (path.kind === "item") return `This deletes the ${aboutOf(path)}.`;
  if (path.kind === "database") {
    const list = { method: "GET", of: path, list: "colls" } as const;
    const containers = await client.listed(list, "DocumentCollections", aboutOf(path));
    const names = containers.map((container) => String(property(container, "id")));
    const shown = names.slice(0, 5).join(", ") + (names.length > 5 ? ", …" : "");
    const what = names.length === 0 ? "which is empty" : `with its containers ${shown}`;
    return `This deletes the ${aboutOf(path)}, ${what}.`;
  }
  const headers = { [HEADER.populateQuota]: "true" };
  const answer = await client.ask({ method: "GET", of: path, headers });
  if (answer.status >= 300) throw client.refusal(answer, aboutOf(path));
  const usage = String(answer.headers[HEADER.resourceUsage] ?? "");
  const count = Number(/documentsCount=(\d+)/.exec(usage)?.[1] ?? 0);
  return `This deletes the ${aboutOf(path)} with its ${numberText(count)} items.`;
}

/** The item is looked at first: what is not there is told before anybody is asked. */
async function headersOf(
  client: ResourceClient,
  path: ItemTarget,
  given: string | undefined,
  etag: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  const key = await keyOfItem(client, path, given);
  const headers = keyHeaders(key);
  const found = await client.ask({ method: "GET", of: path, headers });
  if (found.status === 404) throw absence(path, key, given);
  if (found.status !== 200) throw client.refusal(found, aboutOf(path));
  return etag === undefined ? headers : { ...headers, "if-match": etag };
}
