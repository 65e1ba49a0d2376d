/**
 * Eight writers on one container, each with items of its own, and what each was told about them.
 *
 * An answer of 2xx is a promise. A 404 or 409 says what the writer knows already. Anything else,
 * and no answer at all, leaves the outcome open until the item is read again after a restart.
 */
import { createHash } from "node:crypto";
import type { Random } from "../../src/base/world.ts";
import type { Call } from "./serverProcess.ts";
import { Client, type Server } from "./serverProcess.ts";
import { pick } from "./workload.ts";

const WRITER_COUNT = 8;
const ITEMS_PER_WRITER = 25;
const TEXT_BYTES = 1000;
const CONTAINER = "dbs/crash/colls/items";

/** A version of an item; `null` when it is gone. */
type Version = { readonly sequence: number; readonly etag?: string | undefined } | null;

interface Known {
  acknowledged: Version;
  /** What a request without an answer may have left. */
  unknown: Version | undefined;
}

export class KillWriters {
  readonly #random: Random;
  readonly #items = new Map<string, Known>();
  #sequence = 0;
  acknowledgedCount = 0;

  constructor(random: Random) {
    this.#random = random;
    for (let writer = 0; writer < WRITER_COUNT; writer++) {
      for (let index = 0; index < ITEMS_PER_WRITER; index++) {
        this.#items.set(`w${writer}-${index}`, { acknowledged: null, unknown: undefined });
      }
    }
  }

  static async makeContainer(server: Server): Promise<void> {
    const client = new Client(server);
    const body = { id: "items", partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } };
    const calls: readonly Call[] = [
      { method: "POST", resourceType: "dbs", link: "", path: "/dbs", body: '{"id":"crash"}' },
      {
        method: "POST",
        resourceType: "colls",
        link: "dbs/crash",
        path: "/dbs/crash/colls",
        body: JSON.stringify(body),
      },
    ];
    for (const call of calls) {
      const { status, body: answer } = await client.call(call);
      if (status !== 201) throw new Error(`the container could not be made: ${answer}`);
    }
    client.close();
  }

  /** Writes until the server is gone. */
  async write(server: Server): Promise<void> {
    const writers = Array.from({ length: WRITER_COUNT }, async (_, writer) => {
      const client = new Client(server);
      while (await this.#writeOne(client, `w${writer}-${pick(this.#random, ITEMS_PER_WRITER)}`)) {
        // On to the next item.
      }
      client.close();
    });
    await Promise.all(writers);
  }

  /** False when the server did not answer. */
  async #writeOne(client: Client, id: string): Promise<boolean> {
    const known = this.#items.get(id)!;
    const sequence = ++this.#sequence;
    const call = callOf(id, sequence, this.#random);
    known.unknown = call.method === "DELETE" ? null : { sequence };
    try {
      const { status, etag, body } = await client.call(call);
      const isRefusal = status === (known.acknowledged === null ? 404 : 409);
      if (!isRefusal && (status < 200 || status > 299)) throw new Error(`${status}: ${body}`);
      if (!isRefusal) {
        known.acknowledged = call.method === "DELETE" ? null : { sequence, etag };
        this.acknowledgedCount++;
      }
      known.unknown = undefined;
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error) return false;
      if (error instanceof Error && error.message === "the answer broke off") return false;
      throw error;
    }
  }

  /** Reads every item; returns what is wrong, and takes over what it finds. */
  async verify(server: Server): Promise<readonly string[]> {
    const client = new Client(server);
    const problems: string[] = [];
    for (const [id, known] of this.#items) {
      const { status, body } = await client.call(itemCall("GET", id));
      if (status !== 200 && status !== 404) problems.push(`${id}: answer ${status}`);
      const found = status === 200 ? versionIn(id, body) : null;
      const isKept =
        found?.sequence === known.acknowledged?.sequence &&
        found?.etag === known.acknowledged?.etag;
      const isUnknown = known.unknown !== undefined && found?.sequence === known.unknown?.sequence;
      if (!isKept && !isUnknown) {
        const [was, is] = [JSON.stringify(known), JSON.stringify(found)];
        problems.push(`${id}: ${is} where ${was} was told`);
      }
      known.acknowledged = found;
      known.unknown = undefined;
    }
    client.close();
    return problems;
  }
}

function callOf(id: string, sequence: number, random: Random): Call {
  const text = Buffer.from(random.bytes(TEXT_BYTES * 0.75)).toString("base64");
  const body = JSON.stringify({ id, pk: id, sequence, text, sum: sumOf(id, sequence, text) });
  const chance = random.next();
  if (chance < 0.2) return itemCall("DELETE", id);
  if (chance < 0.5) return { ...itemCall("PUT", id), body };
  const isUpsert = chance < 0.7;
  return {
    method: "POST",
    resourceType: "docs",
    link: CONTAINER,
    path: `/${CONTAINER}/docs`,
    headers: { ...keyHeader(id), ...(isUpsert && { "x-ms-documentdb-is-upsert": "true" }) },
    body,
  };
}

function itemCall(method: string, id: string): Call {
  const link = `${CONTAINER}/docs/${id}`;
  return { method, resourceType: "docs", link, path: `/${link}`, headers: keyHeader(id) };
}

function keyHeader(id: string): Record<string, string> {
  return { "x-ms-documentdb-partitionkey": JSON.stringify([id]) };
}

/** A version whose parts do not fit together gets a number that nobody was told. */
function versionIn(id: string, body: string): Version {
  const item = JSON.parse(body) as Record<string, unknown>;
  const { sequence, text, sum, _etag: etag } = item;
  const isWhole = sum === sumOf(id, Number(sequence), String(text));
  return { sequence: isWhole ? Number(sequence) : -1, etag: String(etag) };
}

function sumOf(id: string, sequence: number, text: string): string {
  return createHash("sha256").update(`${id} ${sequence} ${text}`).digest("hex");
}
