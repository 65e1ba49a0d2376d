/**
 * The items of a container, or the rows of a query, page by page. The server merges and knows where
 * to go on, splits in between included; no more than a page is held.
 */
import type { Carried } from "../../json/digits.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { Client } from "../connect/client.ts";
import type { Answer } from "../connect/connection.ts";
import { rowsOfPage } from "../query/pageRows.ts";
import { problemText } from "../query/queryProblem.ts";
import { CommandFailure } from "../terminal/failure.ts";
import type { ExportOptions } from "./options.ts";

export interface Page {
  readonly rows: readonly Carried[];
  readonly ru: number;
  /** Of the answer. */
  readonly bytes: number;
}

const ALL_ITEMS = "SELECT * FROM c";
/** Far more patience than for one query: nobody wants half of an export. */
const TRY_COUNT_MAX = 600;

/** What to read, and where. */
type Reading = Pick<ExportOptions, "account" | "name" | "query">;

export async function* pagesOf(options: Reading): AsyncGenerator<Page, void> {
  const client = new Client(options.account, TRY_COUNT_MAX);
  try {
    let continuation: string | undefined;
    do {
      const answer = await ask(client, options, continuation);
      if (answer.status !== 200) throw refusalOf(answer, options);
      yield pageOf(answer);
      const next = answer.headers[HEADER.continuation];
      continuation = typeof next === "string" && next !== "" ? next : undefined;
    } while (continuation !== undefined);
  } finally {
    client.close();
  }
}

function ask(
  client: Client,
  { name, query }: Reading,
  continuation: string | undefined,
): Promise<Answer> {
  const body = JSON.stringify({ query: query ?? ALL_ITEMS, parameters: [] });
  return client.query(name, body, {
    [HEADER.crossPartition]: "true",
    [HEADER.maxItemCount]: "-1",
    ...(continuation !== undefined && { [HEADER.continuation]: continuation }),
  });
}

function pageOf({ body, headers }: Answer): Page {
  const rows = rowsOfPage(body);
  if (rows === undefined) {
    throw new CommandFailure("The answer of the server is no page of items.");
  }
  return {
    rows,
    ru: Number(headers[HEADER.requestCharge] ?? 0),
    bytes: Buffer.byteLength(body),
  };
}

function refusalOf(answer: Answer, { account, name, query }: Reading): CommandFailure {
  const { origin } = account.endpoint;
  if (answer.status === 401) {
    return new CommandFailure(`The server at ${origin} refuses the key. Give one with --key.`);
  }
  if (answer.status === 404) {
    const full = `${name.database}/${name.container}`;
    return new CommandFailure(`There is no container '${full}' at ${origin}.`);
  }
  return new CommandFailure(problemText(answer, query ?? ALL_ITEMS));
}
