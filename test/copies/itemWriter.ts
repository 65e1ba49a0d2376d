/**
 * One of the clients that write while a container is copied: it creates, replaces, deletes and lets
 * expire items that are its own, and notes what it was told. It goes by the old key all the time.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ItemDefinition } from "@azure/cosmos";
import type { Random } from "../../src/base/world.ts";
import type { Site } from "../crash/site.ts";
import type { CopiedItems, Version } from "./copiedItems.ts";
import type { Door, DoorStep } from "./doors.ts";

interface WriterSetting {
  readonly site: Site;
  readonly items: CopiedItems;
  readonly random: Random;
  readonly door: Door;
  /** Writes to the numbers `index`, `index + count` and so on. */
  readonly index: number;
  readonly count: number;
  /** Between two writes. */
  readonly pauseMs: number;
  readonly ttlMax: number;
  /** Finds items by their id, whatever the key of the container is. */
  find(id: string): Promise<readonly ItemDefinition[]>;
  complain(problem: string): void;
}

/** Of all writes that replace an item. */
const MOVING_SHARE = 0.1;
/** A time stamp is in whole seconds; the rest is for an answer that took its time. */
const EXPIRY_SLACK_MS = 1500;
const FRESH_SHARE = 0.15;
const LOOK_MS = 50;
const LOOKS_MAX = 200;

export class ItemWriter {
  readonly #setting: WriterSetting;
  #sequence = 0;
  #fresh = 0;
  #isHeld = false;
  #idle: Promise<void> = Promise.resolve();
  writeCount = 0;
  expiringCount = 0;
  movedCount = 0;
  deletedCount = 0;
  lostCount = 0;
  /** The longest that a write took since this was set to 0, if none was lost meanwhile. */
  longestMs = 0;

  constructor(setting: WriterSetting) {
    this.#setting = setting;
  }

  async run(isOver: () => boolean): Promise<void> {
    const { pauseMs } = this.#setting;
    while (!isOver()) {
      if (this.#isHeld) {
        await delay(5);
        continue;
      }
      this.#idle = this.#turn();
      await this.#idle;
      if (pauseMs > 0) await delay(pauseMs);
    }
  }

  /** Resolves when nothing of this writer is under way or in doubt. */
  async hold(): Promise<void> {
    this.#isHeld = true;
    await this.#idle;
    const { items, index, count } = this.#setting;
    for (const number of items.inDoubt) {
      if (number % count === index) await this.#clear(number);
    }
  }

  goOn(): void {
    this.#isHeld = false;
  }

  async #turn(): Promise<void> {
    const { items } = this.#setting;
    const number = this.#pick();
    if (items.isInDoubt(number)) await this.#clear(number);
    else await this.#write(number);
  }

  #pick(): number {
    const { items, random, index, count } = this.#setting;
    const own = Math.floor(items.itemCount / count);
    if (random.next() < FRESH_SHARE) this.#fresh++;
    return Math.floor(random.next() * (own + this.#fresh)) * count + index;
  }

  async #write(number: number): Promise<void> {
    const { items, random, site } = this.#setting;
    const told = items.told(number);
    const presence = items.presence(told);
    const isDeletion = presence === "there" && random.next() < 0.2;
    const version = isDeletion ? undefined : this.#versionAfter(told);
    const kind = isDeletion
      ? "delete"
      : ({ there: "replace", gone: "create", either: "upsert" } as const)[presence];
    items.attempt(number, version);
    const step = this.#stepOf(kind, number, version);
    const startedAt = performance.now();
    const { killCount } = site;
    const asked = await site.ask(() => this.#setting.door.call(step));
    if (asked.kind !== "answered") {
      this.lostCount++;
      return;
    }
    const { status, text } = asked.value;
    if (killCount === site.killCount) {
      this.longestMs = Math.max(this.longestMs, performance.now() - startedAt);
    }
    // An official client asks again by itself when the first answer was lost with the server.
    if (killCount !== site.killCount && (status < 200 || status > 299)) {
      this.lostCount++;
      return;
    }
    if (status < 200 || status > 299) {
      items.settle(number, told);
      // It may have expired on the way.
      if (status === 404 && items.presence(told) !== "there") return;
      this.#setting.complain(`${kind} of i${number} (${JSON.stringify(told)}): ${status} ${text}`);
      return;
    }
    this.#note(number, version, told);
  }

  #note(number: number, version: Version | undefined, told: Version | undefined): void {
    const { items } = this.#setting;
    this.writeCount++;
    if (version === undefined) this.deletedCount++;
    else if (told !== undefined && told.tenant !== version.tenant) this.movedCount++;
    if (version?.ttl === undefined) {
      items.settle(number, version);
      return;
    }
    this.expiringCount++;
    const to = Date.now() + version.ttl * 1000 + EXPIRY_SLACK_MS;
    items.settle(number, { ...version, expires: { from: version.expires!.from, to } });
  }

  #versionAfter(told: Version | undefined): Version {
    const { items, random, ttlMax } = this.#setting;
    const sequence = ++this.#sequence;
    const isMoved = random.next() < MOVING_SHARE;
    const tenant =
      told === undefined || isMoved ? Math.floor(random.next() * items.tenantCount) : told.tenant;
    if (random.next() >= 0.1) return { sequence, tenant };
    const ttl = 1 + Math.floor(random.next() * ttlMax);
    const from = Date.now() + (ttl - 1) * 1000 - 100;
    // Nobody knows when a request without an answer was carried out.
    return { sequence, tenant, ttl, expires: { from, to: Number.POSITIVE_INFINITY } };
  }

  #stepOf(kind: DoorStep["kind"], number: number, version: Version | undefined): DoorStep {
    const { items } = this.#setting;
    if (kind === "delete") {
      return { kind, id: `i${number}`, key: items.keyOf(number) };
    }
    return { kind, item: items.itemOf(number, version!) };
  }

  /** Finds out what became of a request whose answer was lost. */
  async #clear(number: number): Promise<void> {
    const { items, site, find, complain } = this.#setting;
    let found = await site.persist(() => find(`i${number}`));
    // An item that moves to another new key is for a moment in two places, also after a kill.
    for (let looks = 0; found.length > 1 && looks < LOOKS_MAX; looks++) {
      await delay(LOOK_MS);
      found = await site.persist(() => find(`i${number}`));
    }
    const problem = found.length > 1 ? `i${number} is there twice` : items.adopt(number, found[0]);
    if (problem === undefined) return;
    complain(`after a lost answer ${problem}`);
    items.settle(number, items.told(number));
  }
}
