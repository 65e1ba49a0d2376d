/**
 * Items out of a container, page by page: of a running server by the client of this program, of an
 * account elsewhere by the official one. Every page has its price, and reading ends before the
 * price that was set is passed by more than a page.
 *
 * A sample of a container is the first items that the account gives, physical partition after
 * physical partition: there is no way to pick by chance without reading, and paying for,
 * everything.
 */
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import type { Profile } from "../../lab/profile/profile.ts";
import type { Profiler } from "../../lab/profile/profiler.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { Client } from "../connect/client.ts";
import type { Answer } from "../connect/connection.ts";
import { officialClient } from "../connect/officialClient.ts";
import type { ContainerName, ServerAccount } from "../connect/serverOptions.ts";
import { CommandFailure } from "../terminal/failure.ts";
import type { ReadingEnd, ReadingProgress, SampleSize } from "./inputItems.ts";

interface ContainerOptions {
  readonly account: ServerAccount;
  readonly name: ContainerName;
  /** Through the official client. */
  readonly isOfficial: boolean;
  readonly sample: SampleSize | undefined;
  readonly ruMax: number | undefined;
  readonly isStopped: () => boolean;
  readonly onProgress: (progress: Omit<ReadingProgress, "seconds">) => void;
}

interface Page {
  readonly values: readonly unknown[];
  readonly ru: number;
}

interface ContainerReader {
  pages(sql: string): AsyncIterable<Page>;
  close(): void;
}

const PAGE_COUNT = 1000;

export async function readContainer(
  options: ContainerOptions,
  profiler: Profiler,
): Promise<ReadingEnd> {
  const reader = options.isOfficial ? await officialReader(options) : ownReader(options);
  try {
    return await readPages(reader, options, profiler);
  } finally {
    reader.close();
  }
}

async function readPages(
  reader: ContainerReader,
  options: ContainerOptions,
  profiler: Profiler,
): Promise<ReadingEnd> {
  const { sample, ruMax = Number.POSITIVE_INFINITY } = options;
  let ru = 0;
  let total: number | undefined;
  if (sample !== undefined || Number.isFinite(ruMax)) {
    for await (const page of reader.pages("SELECT VALUE COUNT(1) FROM c")) {
      ru += page.ru;
      for (const value of page.values) total = (total ?? 0) + Number(value);
    }
  }
  const countMax =
    sample === undefined
      ? Number.POSITIVE_INFINITY
      : "count" in sample
        ? sample.count
        : Math.ceil(sample.share * (total ?? 0));
  let bytes = 0;
  let isCut = profiler.itemCount >= countMax;
  for await (const page of reader.pages("SELECT * FROM c")) {
    ru += page.ru;
    for (const value of page.values) {
      if (profiler.itemCount >= countMax) break;
      bytes += take(value, profiler);
    }
    isCut = profiler.itemCount >= countMax || ru >= ruMax || options.isStopped();
    options.onProgress({ readBytes: bytes, totalBytes: undefined, itemCount: profiler.itemCount });
    if (isCut) break;
  }
  return endOf(profiler.itemCount, total, ru, isCut);
}

function take(value: unknown, profiler: Profiler): number {
  if (!isObject(value as JsonValue)) return 0;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  profiler.add(value as JsonObject, bytes);
  return bytes;
}

function endOf(
  itemCount: number,
  total: number | undefined,
  ru: number,
  isCut: boolean,
): ReadingEnd {
  const remarks = [`Reading took ${ru.toFixed(2)} RU.`];
  const isAll = !isCut || (total !== undefined && itemCount >= total);
  if (!isAll) {
    remarks.push(
      "These are the first items that the account gave, physical partition after physical " +
        "partition, not items picked by chance.",
    );
  }
  const coverage: Profile["coverage"] =
    isAll || total === undefined ? "all" : { sampledShare: itemCount / Math.max(1, total) };
  return { coverage, pickedShare: 1, remarks };
}

function ownReader({ account, name }: ContainerOptions): ContainerReader {
  const client = new Client(account);
  async function* pages(sql: string): AsyncIterable<Page> {
    let continuation: string | undefined;
    do {
      const answer = await client.query(name, JSON.stringify({ query: sql, parameters: [] }), {
        [HEADER.crossPartition]: "true",
        [HEADER.maxItemCount]: String(PAGE_COUNT),
        ...(continuation !== undefined && { [HEADER.continuation]: continuation }),
      });
      if (answer.status !== 200) throw refusalOf(answer, account, name);
      yield { values: valuesIn(answer), ru: Number(answer.headers[HEADER.requestCharge] ?? 0) };
      const next = answer.headers[HEADER.continuation];
      continuation = typeof next === "string" && next !== "" ? next : undefined;
    } while (continuation !== undefined);
  }
  return { pages, close: () => client.close() };
}

function valuesIn({ body }: Answer): readonly JsonValue[] {
  const page = JSON.parse(body) as JsonValue;
  const values = isObject(page) ? property(page, "Documents") : undefined;
  if (Array.isArray(values)) return values as readonly JsonValue[];
  throw new CommandFailure("The answer of the server is no page of items.");
}

function refusalOf(answer: Answer, account: ServerAccount, name: ContainerName): CommandFailure {
  const { origin } = account.endpoint;
  const full = `${name.database}/${name.container}`;
  if (answer.status === 401) {
    return new CommandFailure(`The server at ${origin} refuses the key. Give one with --key.`);
  }
  if (answer.status === 404) {
    return new CommandFailure(`There is no container '${full}' at ${origin}.`);
  }
  return new CommandFailure(`The server at ${origin} answered ${answer.status}: ${answer.body}`);
}

async function officialReader({ account, name }: ContainerOptions): Promise<ContainerReader> {
  const { CosmosClient } = await officialClient(process.cwd());
  const { origin } = account.endpoint;
  const client = new CosmosClient({ endpoint: account.endpoint.href, key: account.key });
  const container = client.database(name.database).container(name.container);
  async function* pages(sql: string): AsyncIterable<Page> {
    const iterator = container.items.query<unknown>(sql, { maxItemCount: PAGE_COUNT });
    while (iterator.hasMoreResults()) {
      try {
        const { resources, requestCharge } = await iterator.fetchNext();
        yield { values: resources ?? [], ru: requestCharge };
      } catch (error) {
        throw officialFailure(error, origin, name);
      }
    }
  }
  return { pages, close: () => client.dispose() };
}

function officialFailure(error: unknown, origin: string, name: ContainerName): CommandFailure {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : "";
  const full = `${name.database}/${name.container}`;
  if (code === 404) return new CommandFailure(`There is no container '${full}' at ${origin}.`);
  if (code === 401) return new CommandFailure(`The account at ${origin} refuses the key.`);
  const message = error instanceof Error ? error.message : String(error);
  return new CommandFailure(`The account at ${origin} cannot be read: ${message.split("\n")[0]}`);
}
