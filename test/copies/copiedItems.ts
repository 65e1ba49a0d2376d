/**
 * The items of a copy campaign, each a function of its number and version, and what writers were
 * told about them. An item that nobody has touched is as it was loaded, and takes no memory.
 *
 * Invariants
 * - A number belongs to one writer, so what that writer was told last is what the item has to be.
 * - A request without an answer leaves two versions, either of which may be found.
 */
import type { ItemDefinition } from "@azure/cosmos";

/** One version of an item. */
export interface Version {
  readonly sequence: number;
  readonly tenant: number;
  /** Seconds to live; absent if it lives for ever. */
  readonly ttl?: number | undefined;
  /** Until when it is certainly there, and from when on it is certainly gone. */
  readonly expires?: { readonly from: number; readonly to: number } | undefined;
}

/** `undefined` is an item that is not there. */
type Told = Version | undefined;

interface Known {
  told: Told;
  /** What a request without an answer may have left. */
  doubt?: { readonly version: Told } | undefined;
}

const TEXT_BYTES_MIN = 100;
const TEXT_BYTES_SPAN = 600;
const ITEMS_PER_KEY = 40;
const TENANT_ITEMS = 150;

export class CopiedItems {
  readonly itemCount: number;
  readonly #touched = new Map<number, Known>();
  readonly #now: () => number;

  constructor(itemCount: number, now: () => number) {
    this.itemCount = itemCount;
    this.#now = now;
  }

  get tenantCount(): number {
    return Math.max(10, Math.ceil(this.itemCount / TENANT_ITEMS));
  }

  keyOf(number: number): string {
    return `p${number % Math.max(10, Math.ceil(this.itemCount / ITEMS_PER_KEY))}`;
  }

  /** As everybody finds it at the beginning. */
  loaded(number: number): Told {
    return number < this.itemCount ? { sequence: 0, tenant: this.#firstTenant(number) } : undefined;
  }

  itemOf(number: number, { sequence, tenant, ttl }: Version): ItemDefinition {
    return {
      id: `i${number}`,
      pk: this.keyOf(number),
      tenant: `t${tenant}`,
      sequence,
      text: textOf(number, sequence),
      ...(ttl !== undefined && { ttl }),
    };
  }

  told(number: number): Told {
    return this.#known(number).told;
  }

  /** What a request is about to do, until it is known whether it did. */
  attempt(number: number, version: Told): void {
    this.#touched.set(number, { told: this.told(number), doubt: { version } });
  }

  settle(number: number, version: Told): void {
    this.#touched.set(number, { told: version });
  }

  isInDoubt(number: number): boolean {
    return this.#known(number).doubt !== undefined;
  }

  get inDoubt(): readonly number[] {
    return [...this.#touched].filter(([, { doubt }]) => doubt !== undefined).map(([n]) => n);
  }

  get touchedCount(): number {
    return this.#touched.size;
  }

  /** "there", "gone", or "either" while a moment of expiry is near. */
  presence(version: Told, at: number = this.#now()): "there" | "gone" | "either" {
    if (version === undefined) return "gone";
    if (version.expires === undefined || at < version.expires.from) return "there";
    return at > version.expires.to ? "gone" : "either";
  }

  /** Takes over what was found of an item in doubt; says what is wrong with it, if anything. */
  adopt(number: number, found: ItemDefinition | undefined): string | undefined {
    const { told, doubt } = this.#known(number);
    const versions = doubt === undefined ? [told] : [told, doubt.version];
    const match = versions.find((version) => this.#fits(number, version, found));
    if (match === undefined && !versions.some((one) => this.#fits(number, one, found))) {
      return `i${number} is ${shown(found)}, and ${JSON.stringify(versions)} was told`;
    }
    this.settle(number, found === undefined ? undefined : dated(match!, found));
    return undefined;
  }

  /** What is wrong with a whole container, whose items come one after the other. */
  judging(): { note(item: ItemDefinition): void; end(): readonly string[] } {
    const startedAt = this.#now();
    const problems: string[] = [];
    const seen = new Set<number>();
    const note = (item: ItemDefinition): void => {
      const number = Number(item.id?.slice(1));
      if (seen.has(number)) problems.push(`${item.id} is there twice`);
      seen.add(number);
      const told = this.told(number);
      if (!this.#fits(number, told, item)) {
        problems.push(`${item.id} is ${shown(item)}, and ${JSON.stringify(told)} was told`);
      }
    };
    const end = (): readonly string[] => {
      const numbers = new Set(this.#touched.keys());
      for (let number = 0; number < this.itemCount; number++) numbers.add(number);
      for (const number of numbers) {
        if (seen.has(number)) continue;
        const told = this.told(number);
        const isDue = [startedAt, this.#now()].every((at) => this.presence(told, at) === "there");
        if (isDue) problems.push(`i${number} is missing, and ${JSON.stringify(told)} was told`);
      }
      return problems;
    };
    return { note, end };
  }

  /** Whether what is found now can be this version. */
  #fits(number: number, version: Told, found: ItemDefinition | undefined): boolean {
    const presence = this.presence(version);
    if (found === undefined) return presence !== "there";
    if (version === undefined || presence === "gone") return false;
    const wanted = this.itemOf(number, version);
    return Object.entries(wanted).every(([name, value]) => found[name] === value);
  }

  #known(number: number): Known {
    return this.#touched.get(number) ?? { told: this.loaded(number) };
  }

  #firstTenant(number: number): number {
    return (number * 7) % this.tenantCount;
  }
}

/** With the moment of expiry that the time stamp of the item tells. */
function dated(version: Version, { _ts: seconds }: ItemDefinition): Version {
  if (version.ttl === undefined) return version;
  const end = (Number(seconds) + version.ttl) * 1000;
  return { ...version, expires: { from: end - 1100, to: end + 1500 } };
}

/** From 300 bytes to 1 KB with everything else that an item has. */
function textOf(number: number, sequence: number): string {
  const mixed = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(sequence + 1, 0x85ebca6b);
  const word = (mixed >>> 0).toString(16).padStart(8, "0");
  const bytes = TEXT_BYTES_MIN + ((mixed >>> 0) % TEXT_BYTES_SPAN);
  return word.repeat(Math.ceil(bytes / word.length)).slice(0, bytes);
}

function shown(item: ItemDefinition | undefined): string {
  if (item === undefined) return "missing";
  const { sequence, tenant, ttl, _ts: ts } = item;
  return JSON.stringify({ sequence, tenant, ttl, ts });
}
