/**
 * A connection to the items of one container that stays open, with one request at a time, signed by
 * itself: for many small writes, where the official client would be most of the work.
 */
import { createHmac } from "node:crypto";
import { Agent, request } from "node:http";
import type { Site } from "../crash/site.ts";

export interface LineAnswer {
  readonly status: number;
  readonly etag: string | undefined;
  /** Of the version that was written. */
  readonly itemLsn: number | undefined;
  readonly body: string;
}

export interface LineCall {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Of the item; undefined for what is sent to the container. */
  readonly id?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class ItemLine {
  readonly #site: Pick<Site, "endpoint" | "key">;
  readonly #link: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** `link` is that of the container, such as `dbs/d/colls/c`. */
  constructor(site: Pick<Site, "endpoint" | "key">, link: string) {
    this.#site = site;
    this.#link = link;
  }

  /** Rejects when the answer did not arrive whole: then nobody knows what became of the request. */
  call({ method, id, headers, body }: LineCall): Promise<LineAnswer> {
    const link = id === undefined ? this.#link : `${this.#link}/docs/${id}`;
    const path = id === undefined ? `/${link}/docs` : `/${link}`;
    const date = new Date().toUTCString();
    const signed = {
      ...headers,
      "x-ms-date": date,
      "x-ms-version": "2020-07-15",
      authorization: this.#signatureOf(method, link, date),
      ...(body !== undefined && {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
      }),
    };
    const options = { method, headers: signed, agent: this.#agent };
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, this.#site.endpoint), options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("close", () => {
          if (!response.complete) return reject(new Error("the answer broke off"));
          const itemLsn = response.headers["x-ms-item-lsn"];
          return resolve({
            status: response.statusCode ?? 0,
            etag: response.headers.etag,
            itemLsn: itemLsn === undefined ? undefined : Number(itemLsn),
            body: Buffer.concat(chunks).toString(),
          });
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #signatureOf(method: string, link: string, date: string): string {
    const text = `${method.toLowerCase()}\ndocs\n${link}\n${date.toLowerCase()}\n\n`;
    const key = Buffer.from(this.#site.key, "base64");
    const digest = createHmac("sha256", key).update(text).digest("base64");
    return encodeURIComponent(`type=master&ver=1.0&sig=${digest}`);
  }
}
