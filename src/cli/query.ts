/**
 * `orrery query`: asks a running server and prints the rows, page by page. Rows go to standard
 * output and nothing else does; what is said about them goes to standard error.
 */
import type { Carried } from "../json/digits.ts";
import { isObject } from "../json/value.ts";
import { headerJson } from "../protocol/wire/headerJson.ts";
import { HEADER } from "../protocol/wire/headerNames.ts";
import { realClock } from "../server/surroundings/realWorld.ts";
import { Client } from "./connect/client.ts";
import type { Answer } from "./connect/connection.ts";
import type { Environment } from "./connect/serverOptions.ts";
import { explainText } from "./query/explainText.ts";
import { metricsText } from "./query/metricsText.ts";
import { rowsOfPage } from "./query/pageRows.ts";
import type { QueryOptions } from "./query/queryOptions.ts";
import { jsonOrText, QUERY_HELP, queryOptionsOf } from "./query/queryOptions.ts";
import { problemText } from "./query/queryProblem.ts";
import { CommandFailure } from "./terminal/failure.ts";
import type { RowFormat } from "./terminal/rowWriter.ts";
import { rowWriter } from "./terminal/rowWriter.ts";

export async function runQuery(args: string[], environment: Environment): Promise<void> {
  const options = await queryOptionsOf(args, environment);
  if (options === undefined) {
    process.stdout.write(QUERY_HELP);
    return;
  }
  const client = new Client(options.account);
  try {
    await printRows(client, options);
  } finally {
    client.close();
  }
}

async function printRows(client: Client, options: QueryOptions): Promise<void> {
  const startedAt = realClock.now();
  // A terminal that does not know how wide it is says 0.
  const width = process.stdout.columns || undefined;
  const writer = rowWriter(process.stdout, options.format, width);
  const told = new Told(options.format);
  let continuation: string | undefined;
  try {
    do {
      const answer = await askPage(client, options, told.rowCount, continuation);
      const rows = rowsIn(answer);
      told.add(rows.length, answer);
      await writer.page(rows);
      continuation = headerOf(answer, HEADER.continuation);
    } while (continuation !== undefined && told.rowCount < options.countMax);
  } finally {
    told.clear();
    // What came before a failure is given all the same.
    if (told.pageCount > 0) await writer.end();
  }
  const seconds = ((realClock.now() - startedAt) / 1000).toFixed(2);
  const more = continuation === undefined ? "" : "; there are more";
  process.stderr.write(`${told.summary}, ${seconds} s${more}\n`);
  if (options.isMeasured) process.stderr.write(`\n${metricsText(told.metrics)}`);
  if (options.isExplained) process.stderr.write(`\n${explained(told.explanations)}`);
}

const METRICS = HEADER.queryMetrics;
const EXPLAIN = HEADER.explain;

async function askPage(
  client: Client,
  options: QueryOptions,
  rowCount: number,
  continuation: string | undefined,
): Promise<Answer> {
  const { name, text, parameters, key, isExplained, isMeasured } = options;
  const room = options.countMax - rowCount;
  const count = Math.min(options.pageSize ?? Number.POSITIVE_INFINITY, room);
  const answer = await client.query(name, JSON.stringify({ query: text, parameters }), {
    [HEADER.crossPartition]: "true",
    [HEADER.maxItemCount]: Number.isFinite(count) ? String(count) : "-1",
    ...(continuation !== undefined && { [HEADER.continuation]: continuation }),
    ...(key !== undefined && { [HEADER.partitionKey]: headerJson(key) }),
    ...(isMeasured && { [HEADER.populateQueryMetrics]: "true" }),
    ...(isExplained && { [EXPLAIN]: "true" }),
  });
  if (answer.status !== 200) throw new CommandFailure(refusalText(answer, options));
  return answer;
}

function refusalText(answer: Answer, { account, name, text }: QueryOptions): string {
  const { origin } = account.endpoint;
  if (answer.status === 401) return `The server at ${origin} refuses the key. Give one with --key.`;
  if (answer.status === 404) {
    return `There is no container '${name.database}/${name.container}' at ${origin}.`;
  }
  return problemText(answer, text);
}

function rowsIn({ body }: Answer): readonly Carried[] {
  const rows = rowsOfPage(body);
  if (rows === undefined) throw new CommandFailure("The answer of the server is no page of rows.");
  return rows;
}

function headerOf({ headers }: Answer, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function explained(texts: readonly string[]): string {
  const pages = texts.map(jsonOrText).filter(isObject);
  return pages.length === 0 ? "This server does not explain.\n" : explainText(pages);
}

/**
 * What there is to say about the pages so far. It is shown on a line that is written over, where
 * somebody is looking and no rows appear meanwhile.
 */
class Told {
  rowCount = 0;
  pageCount = 0;
  #charge = 0;
  readonly metrics: string[] = [];
  readonly explanations: string[] = [];
  readonly #isShown: boolean;

  constructor(format: RowFormat) {
    const areRowsSeen = process.stdout.isTTY && format !== "table";
    this.#isShown = process.stderr.isTTY && !areRowsSeen;
  }

  get summary(): string {
    const counted = (count: number, what: string): string =>
      `${count} ${what}${count === 1 ? "" : "s"}`;
    const [rows, pages] = [counted(this.rowCount, "row"), counted(this.pageCount, "page")];
    return `${rows}, ${pages}, ${this.#charge.toFixed(2)} RU`;
  }

  add(rowCount: number, answer: Answer): void {
    this.rowCount += rowCount;
    this.pageCount++;
    this.#charge += Number(answer.headers[HEADER.requestCharge] ?? 0);
    const [metrics, explanation] = [headerOf(answer, METRICS), headerOf(answer, EXPLAIN)];
    if (metrics !== undefined) this.metrics.push(metrics);
    if (explanation !== undefined) this.explanations.push(explanation);
    if (this.#isShown) process.stderr.write(`\r\x1b[K${this.summary} …`);
  }

  clear(): void {
    if (this.#isShown) process.stderr.write("\r\x1b[K");
  }
}
