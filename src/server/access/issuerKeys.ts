/**
 * The public keys of an identity provider, from a file or from the one address that the owner of
 * the server named.
 *
 * Invariants
 * - Nothing but that address is ever asked: no token and no answer can name another, and redirects
 *   are not followed.
 * - It is asked when a token names a key that is not known yet, or when what is known has grown
 *   old, and at most once a minute: nobody can make this server hammer it with made-up ids.
 * - If it cannot be read, what was known stays known, and the log says why.
 */

import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { MaybePromise } from "../../base/result.ts";
import type { Millis } from "../../base/units.ts";
import { HOUR_MS, MINUTE_MS, millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { SigningKey, SigningKeys } from "../../protocol/auth/bearerToken.ts";
import { parseKeySet } from "../../protocol/auth/bearerToken.ts";
import { isUrl } from "../surroundings/addresses.ts";
import type { Log } from "../surroundings/log.ts";

interface IssuerKeysSetting {
  /** A path, or an http or https URL. */
  readonly source: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
}

const AGAIN_AFTER: Millis = millis(MINUTE_MS);
/** Keys that a provider withdraws must not be trusted for ever. */
const OLD_AFTER: Millis = millis(HOUR_MS);
const ATTEMPT_MAX: Millis = millis(5000);
const BYTES_MAX = 1024 * 1024;

export class IssuerKeys implements SigningKeys {
  readonly #setting: IssuerKeysSetting;
  #keys: ReadonlyMap<string, SigningKey> = new Map();
  #readAt: Millis | undefined;
  #triedAt: Millis | undefined;
  #reading: Promise<void> | undefined;

  constructor(setting: IssuerKeysSetting) {
    this.#setting = setting;
  }

  find(id: string): MaybePromise<SigningKey | undefined> {
    const key = this.#keys.get(id);
    if (key !== undefined && !this.#isPast(this.#readAt, OLD_AFTER)) return key;
    if (this.#reading === undefined && !this.#isPast(this.#triedAt, AGAIN_AFTER)) return key;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading.then(() => this.#keys.get(id));
  }

  #isPast(since: Millis | undefined, patience: Millis): boolean {
    return since === undefined || this.#setting.clock.now() - since >= patience;
  }

  /** Reads the keys anew. It never rejects. */
  async #read(): Promise<void> {
    const { source, clock, timer, log } = this.#setting;
    this.#triedAt = clock.now();
    try {
      const keys = parseKeySet(await textOf(source, timer));
      if (!keys.ok) throw new Error(`It ${keys.error}.`);
      this.#keys = keys.value;
      this.#readAt = clock.now();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log("issuerKeysNotRead", { reason });
    }
  }
}

async function textOf(source: string, timer: Timer): Promise<string> {
  return isUrl(source) ? fetched(new URL(source), timer) : readFileSync(source, "utf8");
}

function fetched(url: URL, timer: Timer): Promise<string> {
  return new Promise((resolve, reject) => {
    const open = url.protocol === "https:" ? httpsRequest : httpRequest;
    const headers = { accept: "application/json", "user-agent": "orrery" };
    const request = open(url, { agent: false, headers });
    const give = (up: string): void => {
      reject(new Error(up));
      request.destroy();
    };
    const cancel = timer.after(ATTEMPT_MAX, () => give("It does not answer in time."));
    request.on("error", reject);
    request.on("response", (response) => collect(response, give, resolve));
    request.on("close", () => {
      cancel();
      reject(new Error("It breaks off."));
    });
    request.end();
  });
}

function collect(
  response: IncomingMessage,
  give: (up: string) => void,
  resolve: (text: string) => void,
): void {
  if (response.statusCode !== 200) {
    give(`It answers with status ${response.statusCode}.`);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) give(`It answers with more than ${BYTES_MAX} bytes.`);
    else chunks.push(chunk);
  });
  response.on("end", () => resolve(Buffer.concat(chunks).toString()));
  response.on("error", () => give("It breaks off."));
}
