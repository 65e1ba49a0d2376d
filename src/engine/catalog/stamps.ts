/** What marks one version of a resource: an etag that no other has, and the time. */
import type { Clock, Random } from "../../base/world.ts";

interface Stamp {
  readonly etag: string;
  /** Seconds since 1970. */
  readonly ts: number;
}

export class Stamps {
  readonly #clock: Clock;
  /** Differs from one run of the server to the next; a count follows it in every etag. */
  readonly #prefix: string;
  #count = 0;

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#prefix = `${Buffer.from(random.bytes(4)).toString("hex")}-0000-0000-0000-`;
  }

  /** An etag without quotation marks; no text is given twice in the life of an account. */
  nextEtag = (): string => this.#prefix + (++this.#count).toString(16).padStart(12, "0");

  next(): Stamp {
    const ts = Math.floor(this.#clock.wallNow() / 1000);
    return { etag: `"${this.nextEtag()}"`, ts };
  }
}
