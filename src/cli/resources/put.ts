/** `orrery put`: writes items, one request for each. Many items are `orrery import`'s. */
import { parseArgs } from "node:util";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { itemIn, placeOf, type RecordProblem } from "../../itemFile/parsedItem.ts";
import type { FoundRecord, JsonRecord, RowRecord } from "../../itemFile/record.ts";
import { parseJson } from "../../json/parse.ts";
import { jsonText } from "../../json/stringify.ts";
import { property } from "../../json/value.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import type { Answer } from "../connect/connection.ts";
import { type Environment, SERVER_HELP, SERVER_OPTIONS } from "../connect/serverOptions.ts";
import { placementOf } from "../import/placement.ts";
import { type ShapedItem, type Shaper, shaperOf } from "../import/shaping.ts";
import { messageIn } from "../import/target.ts";
import { ItemSource, openedUnlessEmpty } from "../input/itemSource.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { printJson, refuseMore, withClient } from "./commandClient.ts";
import { definitionOf, keyHeaders, keyOfValues } from "./itemPlace.ts";
import { aboutOf, type ResourceClient } from "./resourceClient.ts";
import { type ContainerTarget, resourcePathOf } from "./resourcePath.ts";

export const PUT_HELP: string = `usage: orrery put <db>/<container>[/<id>] [<file>|-] [options]

Writes items, one after the other: those that are there are replaced. The file has one JSON object,
an array of them, NDJSON or CSV; without a file, or with -, they come from standard input. What an
item costs and its etag are told. For many items \`orrery import\` is far quicker.

  --if-match <etag>        replace the one item, and only if this is its version
  --if-missing             write only what is not there; an item that is there is a failure
  --json                   a line of JSON for each item
${SERVER_HELP}\
Ends with 0 when everything was written, with 1 when something was refused (what came before it is
written), with 2 when an option makes no sense.

examples: echo '{"id": "1", "customerId": "ada", "total": 12.5}' | orrery put shop/orders
          orrery put shop/orders/1 order.json --if-match '"00000000-…"'
`;

interface Putting {
  readonly path: ContainerTarget;
  /** The id that the path has; the item may lack it. */
  readonly id: string | undefined;
  readonly file: string;
  readonly etag: string | undefined;
  readonly isMissingOnly: boolean;
  readonly isJson: boolean;
}

export async function runPut(args: string[], environment: Environment): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...SERVER_OPTIONS,
      "if-match": { type: "string" },
      "if-missing": { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(PUT_HELP);
    return;
  }
  const [named, file = "-", extra] = positionals;
  refuseMore(extra);
  const path = named === undefined ? undefined : resourcePathOf(named);
  if (path === undefined || path.kind === "database") {
    throw new BadOption("Name the container: <database>/<container>, or an item in it.");
  }
  if (values["if-match"] !== undefined && values["if-missing"] === true) {
    throw new BadOption("--if-match is about an item that is there, --if-missing about none.");
  }
  if (file === "-" && process.stdin.isTTY) {
    process.stderr.write("Type items as JSON; Ctrl-D ends.\n");
  }
  await withClient(values, environment, (client) =>
    putAll(client, {
      path: { ...path, kind: "container" },
      id: path.kind === "item" ? path.id : undefined,
      file,
      etag: values["if-match"],
      isMissingOnly: values["if-missing"] === true,
      isJson: values.json === true,
    }),
  );
}

async function putAll(client: ResourceClient, putting: Putting): Promise<void> {
  const placement = placementOf(await definitionOf(client, putting.path));
  const draw = { random: () => 0, turn: () => 0 };
  const shape = shaperOf(placement, { id: undefined, settings: [], draw });
  const source = new ItemSource(openedUnlessEmpty(putting.file), {
    format: undefined,
    delimiter: undefined,
    areAllTexts: false,
  });
  const counts = { created: 0, replaced: 0 };
  const isOne = putting.id !== undefined || putting.etag !== undefined;
  for await (const records of source.records()) {
    for (const record of records) {
      const item = shapedIn(record, shape, putting);
      if (isOne && counts.created + counts.replaced > 0) {
        throw new CommandFailure(
          "There is more than one item, and one was asked for; the first was written.",
        );
      }
      const told = await put(client, item, putting);
      counts[told.did]++;
      if (putting.isJson) printJson({ id: item.id, partitionKey: keyOfValues(item.key), ...told });
      else process.stdout.write(`${told.did} ${item.id}, etag ${told.etag}\n`);
    }
  }
  const count = counts.created + counts.replaced;
  if (count === 0) throw new CommandFailure("There was nothing to write.");
  if (count > 1) {
    process.stderr.write(`${counts.created} items created, ${counts.replaced} replaced\n`);
  }
}

/** Refuses what is no item, and says where in the input it is. */
function shapedIn(record: FoundRecord, shape: Shaper, { file, id }: Putting): ShapedItem {
  const name = file === "-" ? "standard input" : file;
  if (record.kind === "broken") {
    throw new CommandFailure(`${name}:${record.line}:${record.column}: ${record.reason}`);
  }
  const named = id === undefined ? ok(record) : withId(record, id);
  const shaped = named.ok ? shape(named.value) : named;
  if (shaped.ok) return shaped.value;
  const { line, column } = placeOf(record, shaped.error);
  throw new CommandFailure(`${name}:${line}:${column}: ${shaped.error.reason}`);
}

/** The path names the item: it gets that id, unless it has another one. */
function withId(
  record: JsonRecord | RowRecord,
  id: string,
): Result<JsonRecord | RowRecord, RecordProblem> {
  const item = itemIn(record, parseJson);
  if (!item.ok) return item;
  const own = property(item.value, "id");
  if (own === id) return ok(record);
  if (own !== undefined) {
    const reason = `its id is ${JSON.stringify(own)}, and the path names '${id}'`;
    return no({ reason, lineShift: 0, column: undefined });
  }
  // The text of the item goes on behind it, with all its digits.
  const rest = jsonText(item.value).slice(1);
  const text = `{"id":${JSON.stringify(id)}${rest === "}" ? "" : ","}${rest}`;
  const { line, column, end } = record;
  return ok({ kind: "json", bytes: Buffer.from(text), line, column, end });
}

interface Told {
  readonly did: "created" | "replaced";
  readonly etag: string;
  readonly requestCharge: number;
}

async function put(client: ResourceClient, item: ShapedItem, putting: Putting): Promise<Told> {
  const { path, etag, isMissingOnly } = putting;
  const key = keyHeaders(keyOfValues(item.key));
  const one = { ...path, kind: "item", id: item.id } as const;
  const answer =
    etag !== undefined
      ? await client.ask({
          method: "PUT",
          of: one,
          headers: { ...key, "if-match": etag },
          body: item.bytes,
        })
      : await client.ask({
          method: "POST",
          of: path,
          list: "docs",
          headers: { ...key, ...(!isMissingOnly && { [HEADER.isUpsert]: "true" }) },
          body: item.bytes,
        });
  if (answer.status >= 300) throw refusalOf(client, answer, aboutOf(one), putting);
  return {
    did: answer.status === 201 ? "created" : "replaced",
    etag: String(answer.headers.etag ?? ""),
    requestCharge: Number(answer.headers[HEADER.requestCharge] ?? 0),
  };
}

function refusalOf(
  client: ResourceClient,
  answer: Answer,
  about: string,
  { isMissingOnly, path }: Putting,
): CommandFailure {
  if (answer.status === 412) {
    return new CommandFailure(`The ${about} has another version by now; it was left as it is.`);
  }
  if (answer.status === 409 && isMissingOnly) {
    return new CommandFailure(`There is an ${about} already; it was left as it is.`);
  }
  if (answer.status === 409) return new CommandFailure(`${about}: ${messageIn(answer.body)}`);
  return client.refusal(answer, answer.status === 404 ? `${about} in ${aboutOf(path)}` : about);
}
