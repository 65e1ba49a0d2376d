/**
 * The keys of the account: a primary and a secondary one, each also for reading only.
 *
 * A key is what an option says, or else what was kept when it was regenerated. Without either there
 * is no such key, but for the primary one, which there is always: the well-known key, where only
 * programs on this machine can reach the server or its owner wants it, else one that was made once
 * and is kept beside the data.
 *
 * Invariants
 * - A regenerated key is on disk before anybody gets to see it, readable by its owner only, and
 *   counts from the same moment on in which its predecessor does not count any more.
 * - A key that an option gives is never regenerated: it would be back after the next start.
 * - `list` is the same list as long as no key changes.
 */
import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Random } from "../../base/world.ts";
import type { AccountKeyEntry, AccountKeyName, KeyOrigin } from "../../protocol/admin.ts";
import { KEY_NAMES } from "../../protocol/admin.ts";
import type { AccountKey, KeyRing } from "../../protocol/auth/authorization.ts";
import { isKey, WELL_KNOWN_KEY } from "../surroundings/options.ts";
import type { OrreryOptions } from "../surroundings/orreryOptions.ts";
import type { KeptFile } from "../tls/keptFile.ts";
import { faultOf, readIfPresent, readOrCreate, replace } from "../tls/keptFile.ts";

export interface AccountKeysSetting {
  readonly options: Pick<
    OrreryOptions,
    "key" | "secondaryKey" | "readOnlyKey" | "secondaryReadOnlyKey"
  >;
  /** Whether the key that everybody knows may be the primary one. */
  readonly mayUseWellKnown: boolean;
  /** Where keys are kept; absent for a throw-away server, whose keys go with it. */
  readonly directory: string | undefined;
  /** Where they are kept instead, if several servers have them in common. */
  readonly shared?: SharedKeys | undefined;
  readonly random: Random;
}

/** Keys that several servers have in common. */
interface SharedKeys {
  /** What was kept when the server began. */
  readonly kept: Keys;
  keep(keys: Keys): Promise<void>;
}

const KEY_BYTES = 64;
const KEPT_REMEDY =
  "Put back a copy of it, or delete it: then the keys in it are gone, and clients need the others.";

export type Keys = Readonly<Partial<Record<AccountKeyName, string>>>;

export class AccountKeys implements KeyRing {
  readonly #given: Keys;
  readonly #file: KeptFile | undefined;
  readonly #shared: SharedKeys | undefined;
  readonly #random: Random;
  /** The primary key when no option gives one and none was regenerated. */
  readonly #first: { readonly key: string; readonly origin: KeyOrigin } | undefined;
  #kept: Keys;
  #making: Promise<void> = Promise.resolve();
  #list: readonly AccountKey[];

  constructor(setting: AccountKeysSetting) {
    const { options, mayUseWellKnown, directory, shared, random } = setting;
    this.#random = random;
    this.#shared = shared;
    this.#given = {
      primary: options.key,
      secondary: options.secondaryKey,
      primaryReadOnly: options.readOnlyKey,
      secondaryReadOnly: options.secondaryReadOnlyKey,
    } as Keys;
    const isInFile = directory !== undefined && shared === undefined;
    this.#file = isInFile ? fileIn(directory, "account.keys") : undefined;
    this.#kept = shared?.kept ?? (this.#file === undefined ? {} : keysIn(this.#file));
    if ((this.#given.primary ?? this.#kept.primary) !== undefined) this.#first = undefined;
    else if (mayUseWellKnown) this.#first = { key: WELL_KNOWN_KEY, origin: "wellKnown" };
    else this.#first = { key: this.#madeOnce(directory), origin: "generated" };
    this.#list = this.#listed();
  }

  /** The primary key is the first. */
  get list(): readonly AccountKey[] {
    return this.#list;
  }

  get primary(): string {
    return this.#list[0]!.key;
  }

  /** The four keys by name; an entry without a key stands for one that does not exist. */
  entries(): readonly AccountKeyEntry[] {
    return KEY_NAMES.map((name) => this.#entry(name));
  }

  /** Another server may have made keys anew, where several have them in common. */
  takeOver(kept: Keys): void {
    if (JSON.stringify(kept) === JSON.stringify(this.#kept)) return;
    this.#kept = kept;
    this.#list = this.#listed();
  }

  /** Makes a key, or makes it anew; or says why not. One after the other. */
  async regenerate(name: AccountKeyName): Promise<Result<AccountKeyEntry, string>> {
    const making = this.#making.then(() => this.#regenerate(name));
    this.#making = making.then(
      () => undefined,
      () => undefined,
    );
    return making;
  }

  async #regenerate(name: AccountKeyName): Promise<Result<AccountKeyEntry, string>> {
    if (this.#given[name] !== undefined) {
      return no(
        `The ${name} key is given by an option or a file, so it cannot be regenerated here. ` +
          "Start the server with another one, or without.",
      );
    }
    const kept = { ...this.#kept, [name]: this.#made() };
    if (this.#file !== undefined) keep(this.#file, kept);
    await this.#shared?.keep(kept);
    this.#kept = kept;
    this.#list = this.#listed();
    return ok(this.#entry(name));
  }

  #entry(name: AccountKeyName): AccountKeyEntry {
    const isReadOnly = isForReading(name);
    const given = this.#given[name];
    if (given !== undefined) return { name, isReadOnly, origin: "option", key: given };
    const kept = this.#kept[name];
    if (kept !== undefined) return { name, isReadOnly, origin: "generated", key: kept };
    if (name === "primary" && this.#first !== undefined) {
      return { name, isReadOnly, ...this.#first };
    }
    return { name, isReadOnly, origin: "none" };
  }

  #listed(): readonly AccountKey[] {
    return this.entries().flatMap(({ key, isReadOnly }) =>
      key === undefined ? [] : [{ key, isReadOnly }],
    );
  }

  /** As servers did before keys could be regenerated: one key, in a file of its own. */
  #madeOnce(directory: string | undefined): string {
    if (directory === undefined) return this.#made();
    const file = fileIn(directory, "account.key");
    const key = readOrCreate(file, () => `${this.#made()}\n`).trim();
    if (isKey(key)) return key;
    throw faultOf(file, "is damaged: it holds no key in base64");
  }

  #made(): string {
    return AccountKeys.newKey(this.#random);
  }

  static newKey(random: Random): string {
    return Buffer.from(random.bytes(KEY_BYTES)).toString("base64");
  }
}

/** The keys that a server has kept in its directory by itself. */
export function keysKeptIn(directory: string): Keys {
  const first = readIfPresent(fileIn(directory, "account.key"))?.trim();
  const kept = keysIn(fileIn(directory, "account.keys"));
  return first === undefined ? kept : { primary: first, ...kept };
}

/** Keys as JSON; undefined if it is none of ours. */
export function keysOf(text: string): Keys | undefined {
  const keys = new Map(Object.entries(objectIn(text) ?? { damaged: true }));
  for (const [name, key] of keys) {
    const isKnown = KEY_NAMES.some((known) => known === name);
    if (!isKnown || typeof key !== "string" || !isKey(key)) return undefined;
  }
  return Object.fromEntries(keys) as Keys;
}

const isForReading = (name: AccountKeyName): boolean => name.endsWith("ReadOnly");

function fileIn(directory: string, name: string): KeptFile {
  return { path: join(directory, name), mode: 0o600, remedy: KEPT_REMEDY };
}

function keysIn(file: KeptFile): Keys {
  const text = readIfPresent(file);
  if (text === undefined) return {};
  const keys = keysOf(text);
  if (keys === undefined) throw faultOf(file, "is damaged: it is no JSON object of account keys");
  return keys;
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The name of a file survives a power cut only once its directory is synced. */
function keep(file: KeptFile, keys: Keys): void {
  replace(file, `${JSON.stringify(keys, undefined, 2)}\n`);
  const directory = openSync(dirname(file.path), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
