/**
 * Random adoptions, as a split or merge might ask for them: versions in any order, with old LSNs
 * and numbers from anywhere, ends of items that were never here, and some of it once more, as after
 * a retry. Kept versions are as random, and the part has swept some of them already.
 * Computed on the model of the contract and crash tests; used by those only.
 */
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import type { Random } from "../../base/world.ts";
import type {
  Adopted,
  AdoptedVersion,
  KeptVersion,
  LogKind,
  StoredItem,
} from "../partitionStore.ts";
import { isEnd } from "../partitionStore.ts";
import type { ModelStore } from "./modelStore.ts";

export interface Adoption {
  readonly versions: readonly Adopted[];
  readonly throughLsn: Lsn;
}

interface AdoptionSetting {
  readonly model: ModelStore;
  readonly part: number;
  readonly keys: readonly string[];
  readonly terms?: readonly string[];
  /** Every item number that this part has ever seen. */
  readonly usedNumbers: ReadonlySet<number>;
}

export function randomAdoption(random: Random, setting: AdoptionSetting): Adoption {
  return new Adopting(random, setting).adoption();
}

/** The setting needs no terms. */
export function randomKeptVersions(
  random: Random,
  setting: AdoptionSetting,
): readonly KeptVersion[] {
  return new Adopting(random, setting).keptVersions();
}

class Adopting {
  readonly #random: Random;
  readonly #setting: AdoptionSetting;
  readonly #throughLsn: Lsn;
  readonly #taken: Set<number>;

  constructor(random: Random, setting: AdoptionSetting) {
    this.#random = random;
    this.#setting = setting;
    const reached = setting.model.head(setting.part).lsn;
    this.#throughLsn = lsn(Math.max(1, reached - 3 + this.#pick(10)));
    this.#taken = new Set(setting.usedNumbers);
  }

  adoption(): Adoption {
    const { model, part, keys } = this.#setting;
    const chosen = new Set(Array.from({ length: this.#pick(5) }, () => this.#choose(keys)));
    const versions = [...chosen].map((key) => this.#versionOf(key, model.get(part, key)));
    if (this.#pick(3) === 0) versions.push(this.#endFromElsewhere());
    return { versions, throughLsn: this.#throughLsn };
  }

  keptVersions(): readonly KeptVersion[] {
    const { model, part } = this.#setting;
    if (model.head(part).lsn === 0) return [];
    const here = model.versions(part);
    const again = here.slice(this.#pick(here.length)).slice(0, this.#pick(3));
    const others = Array.from({ length: this.#pick(4) }, () => this.#keptVersion());
    return [...again, ...others];
  }

  #keptVersion(): KeptVersion {
    const { model, part, keys } = this.#setting;
    const at = 1 + this.#pick(model.head(part).lsn);
    return {
      lsn: lsn(at),
      number: this.#newNumber(),
      kind: this.#choose<LogKind>(["created", "replaced", "deleted", "expired"]),
      key: this.#choose(keys),
      tag: this.#pick(1000) - 500,
      previousLsn: lsn(this.#pick(at)),
      body: Buffer.from(this.#random.bytes(this.#pick(60))),
    };
  }

  #versionOf(key: string, stored: StoredItem | undefined): Adopted {
    if (stored !== undefined && this.#pick(5) === 0) return this.#termsOf(key, stored.number);
    const before = stored && { lsn: stored.lsn, bodyBytes: stored.body.length };
    const number = stored?.number ?? this.#newNumber();
    const { model, part, terms = [] } = this.#setting;
    const held = model.termsOf(part, number);
    if (stored !== undefined && this.#pick(4) === 0) {
      const termsRemoved = held;
      const tag = this.#pick(1000);
      const write = { kind: "delete", key, number, tag, before, termsRemoved } as const;
      return { lsn: this.#anyLsn(), logKind: this.#anyEnd(), write };
    }
    const logKind: LogKind = this.#pick(2) === 0 ? "created" : "replaced";
    if (stored !== undefined && this.#pick(3) === 0) {
      // The very version that is here, by somebody who does not know which terms it has.
      const { tag, body } = stored;
      const item = { kind: "put", key, number, tag, body, before } as const;
      return { lsn: stored.lsn, logKind, write: { ...item, termsAdded: held, termsRemoved: held } };
    }
    const next = terms.filter(() => this.#pick(3) === 0);
    const write = {
      kind: "put",
      key,
      number,
      tag: this.#pick(1000),
      body: Buffer.from(this.#random.bytes(this.#pick(120))),
      before,
      termsAdded: next.filter((term) => !held.includes(term)),
      termsRemoved: held.filter((term) => !next.includes(term)),
    } as const;
    return { lsn: this.#anyLsn(), logKind, write };
  }

  /** Terms that the item gets, some of which it has already. */
  #termsOf(key: string, number: number): Adopted {
    const { terms = [] } = this.#setting;
    const some = terms.filter(() => this.#pick(2) === 0);
    return { write: { kind: "reterm", key, number, termsAdded: some, termsRemoved: some } };
  }

  /** The end of an item that is not here; another one may have its key by now. */
  #endFromElsewhere(): AdoptedVersion {
    const { model, part, keys } = this.#setting;
    const ends = model.log(part).filter(({ kind }) => isEnd(kind));
    const again = ends.length > 0 && this.#pick(2) === 0 ? this.#choose(ends) : undefined;
    const key = again?.key ?? this.#choose(keys);
    const number = again?.number ?? this.#newNumber();
    const tag = this.#pick(1000);
    const gone = { before: undefined, termsRemoved: [] };
    const write = { kind: "delete", key, number, tag, ...gone } as const;
    const logKind = again?.kind ?? this.#anyEnd();
    return { lsn: again?.lsn ?? this.#anyLsn(), logKind, write };
  }

  #anyEnd(): LogKind {
    return this.#pick(3) === 0 ? "expired" : "deleted";
  }

  /** Up to where the part will be. */
  #anyLsn(): Lsn {
    const { model, part } = this.#setting;
    return lsn(1 + this.#pick(Math.max(model.head(part).lsn, this.#throughLsn)));
  }

  /** One that no item has had: above all others, or from a gap between them. */
  #newNumber(): number {
    const { numberMax } = this.#setting.model.head(this.#setting.part);
    let number = 1 + this.#pick(numberMax + 20);
    while (this.#taken.has(number)) number++;
    this.#taken.add(number);
    return number;
  }

  #choose<T>(from: readonly T[]): T {
    return from[this.#pick(from.length)]!;
  }

  #pick(bound: number): number {
    return Math.floor(this.#random.next() * bound);
  }
}
