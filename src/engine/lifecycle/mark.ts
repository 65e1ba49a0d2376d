/**
 * The mark of an item of hot that warm has: two properties and a short ttl.
 *
 * `migrated: true` is for people and their queries. `migratedStamp` has the etag of the very
 * version that was marked, so a mark says by itself whether it still holds: any write gives the
 * item another etag, and the mark is stale from that moment on, whether the write kept it (a patch)
 * or dropped it (a replace). It also has the lifecycle that made it: a mark of another one may be
 * about another warm container. And it has the ttl that was given with the mark, and the one that
 * the item had before, which it gets back if it is young again.
 *
 * A copy in warm has neither mark nor ttl.
 */
import { SYSTEM_PROPERTIES } from "../../base/systemProperties.ts";
import { carryDigits } from "../../json/digits.ts";
import { stringifyKeepingDigits } from "../../json/stringify.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import { bareEtagOf, exactObjectOf, ownTextOf } from "../item/itemBody.ts";

interface Mark {
  /** The id of the lifecycle that made it. */
  readonly by: string;
  /** Of the version that has the mark, without quotes. */
  readonly etag: string;
  /** The ttl that came with the mark. */
  readonly given: number;
  /** What the item had before, if it had one. */
  readonly ttl?: number | undefined;
}

/** An item without mark and ttl. */
export interface Content {
  readonly object: JsonObject;
  /** Compact JSON, ending in a brace. */
  readonly text: Buffer;
  /** The ttl that its application gave it. */
  readonly ownTtl: number | undefined;
  /** Whether the item has a mark, or what came with one, that it may not keep if it stays. */
  readonly mustShed: boolean;
}

const STAMP = "Stamp";
const TTL = "ttl";

export class Marking {
  readonly #lifecycle: string;
  readonly #name: string;
  readonly #names: readonly string[];
  /** Properties that are no content. */
  readonly #ours: ReadonlySet<string>;

  /** `names`: of the mark, that of now first. Marks under former names hold as well. */
  constructor(lifecycle: string, names: readonly string[]) {
    this.#lifecycle = lifecycle;
    this.#name = names[0]!;
    this.#names = names;
    this.#ours = new Set(names.flatMap((name) => [name, name + STAMP]));
  }

  /** The properties that a copy does not have. */
  get properties(): ReadonlySet<string> {
    return this.#ours;
  }

  markOf(item: JsonObject): Mark | undefined {
    for (const name of this.#names) {
      const stamp = property(item, name + STAMP);
      if (!isObject(stamp)) continue;
      const { by, etag, given, ttl } = stamp;
      if (typeof by !== "string" || typeof etag !== "string" || typeof given !== "number") continue;
      return { by, etag, given, ttl: typeof ttl === "number" ? ttl : undefined };
    }
    return undefined;
  }

  /** True if nothing was written to the item since it was marked. */
  isValid(item: JsonObject, body: Buffer): boolean {
    const mark = this.markOf(item);
    return mark?.by === this.#lifecycle && mark.etag === bareEtagOf(body);
  }

  contentOf({ body }: StoredItem): Content {
    const whole = exactObjectOf(body);
    const mark = this.markOf(whole);
    const ttl = property(whole, TTL);
    const isOurTtl = mark !== undefined && ttl === mark.given;
    const hasOurs = [...this.#ours].some((name) => Object.hasOwn(whole, name));
    const ownTtl = isOurTtl ? mark.ttl : typeof ttl === "number" ? ttl : undefined;
    const isTaken = (name: string): boolean =>
      name !== TTL && !this.#ours.has(name) && !SYSTEM_PROPERTIES.has(name);
    const members = Object.entries(whole).filter(([name]) => isTaken(name));
    // Not by assignment: a property may have the name of something that every object has.
    const object: JsonObject = Object.fromEntries(members);
    carryDigits(whole, object, (name) =>
      typeof name === "string" && isTaken(name) ? name : undefined,
    );
    // Text that lacks nothing stays as its client wrote it.
    const text =
      hasOurs || ttl !== undefined ? Buffer.from(stringifyKeepingDigits(object)) : ownTextOf(body);
    return { object, text, ownTtl, mustShed: mark !== undefined };
  }

  /** The content with a mark that holds for the version of this etag. */
  marked(content: Content, etag: string, given: number): Pick<Content, "object" | "text"> {
    const { ownTtl } = content;
    const stamp = {
      by: this.#lifecycle,
      etag,
      given,
      ...(ownTtl !== undefined && { ttl: ownTtl }),
    };
    return withMembers(content, { [this.#name]: true, [this.#name + STAMP]: stamp, [TTL]: given });
  }

  /** The content as its application has it. */
  unmarked(content: Content): Pick<Content, "object" | "text"> {
    const { ownTtl } = content;
    return withMembers(content, ownTtl === undefined ? {} : { [TTL]: ownTtl });
  }
}

function withMembers(
  { object, text }: Content,
  members: Readonly<Record<string, JsonValue>>,
): Pick<Content, "object" | "text"> {
  const entries = Object.entries(members);
  if (entries.length === 0) return { object, text };
  const added = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  // An item has an id, so there is a member before these.
  const whole = Buffer.concat([text.subarray(0, -1), Buffer.from(`,${added.join(",")}}`)]);
  return { object: Object.fromEntries([...Object.entries(object), ...entries]), text: whole };
}
