/** `orrery get`: prints an item. */
import { parseArgs } from "node:util";
import { withoutSystemProperties } from "../../base/systemProperties.ts";
import { carryDigits } from "../../json/digits.ts";
import { parseJson } from "../../json/parse.ts";
import { jsonText } from "../../json/stringify.ts";
import { isObject } from "../../json/value.ts";
import { type Environment, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { refuseMore, withClient } from "./commandClient.ts";
import { indentedJson } from "./indentedJson.ts";
import { absence, KEY_HELP, keyHeaders, keyOfItem } from "./itemPlace.ts";
import { aboutOf, type ResourceClient } from "./resourceClient.ts";
import { type ItemTarget, itemPathOf } from "./resourcePath.ts";

export const GET_HELP: string = `usage: orrery get <db>/<container>/<id> [options]

Prints an item as the application wrote it. Its etag and what reading it costs go to standard error.

${KEY_HELP}\
  --system-properties      with _rid, _self, _etag, _attachments and _ts
  --json                   on one line, also on a terminal
${SERVER_HELP}\
Ends with 0, with 1 when there is no such item or no server, with 2 when an option makes no sense.

examples: orrery get shop/orders/1 --partition-key ada
          orrery get shop/visits/7 --partition-key '["ada", 2026]'
`;

export async function runGet(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      "partition-key": { type: "string" },
      "system-properties": { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(GET_HELP);
    return;
  }
  const [named, extra] = positionals;
  refuseMore(extra);
  const path = itemPathOf(named);
  await withClient(values, environment, async (client) => {
    const { body, etag } = await readItem(client, path, values["partition-key"]);
    const text = values["system-properties"] === true ? body : ownText(body);
    const isOneLine = values.json === true || !process.stdout.isTTY;
    process.stdout.write(isOneLine ? `${text}\n` : indentedJson(text));
    if (etag !== undefined) process.stderr.write(`etag ${etag}\n`);
  });
}

interface ReadItem {
  readonly body: string;
  readonly etag: string | undefined;
}

export async function readItem(
  client: ResourceClient,
  path: ItemTarget,
  given: string | undefined,
): Promise<ReadItem> {
  const key = await keyOfItem(client, path, given);
  const answer = await client.ask({ method: "GET", of: path, headers: keyHeaders(key) });
  if (answer.status === 404) throw absence(path, key, given);
  if (answer.status !== 200) throw client.refusal(answer, aboutOf(path));
  const { etag } = answer.headers;
  return { body: answer.body, etag };
}

/** Without what the server adds, digits included. */
function ownText(body: string): string {
  const item = parseJson(body);
  if (!isObject(item)) return body;
  const own = withoutSystemProperties(item);
  carryDigits(item, own);
  return jsonText(own);
}
