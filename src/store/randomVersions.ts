/**
 * Random adoptions, as a split or merge might ask for them: versions in any order, with old LSNs
 * and numbers from anywhere, ends of items that were never here, and some of it once more, as after
 * a retry.
 * Computed on the model of the contract and crash tests; used by those only.
 */
import type { Lsn } from "../base/units.ts";
import { lsn } from "../base/units.ts";
import type { Random } from "../base/world.ts";
import type { ModelStore } from "./modelStore.ts";
import type { AdoptedVersion, LogKind, StoredItem } from "./partitionStore.ts";

export interface Adoption {
  readonly versions: readonly AdoptedVersion[];
  readonly throughLsn: Lsn;
}

export interface AdoptionSetting {
  readonly model: ModelStore;
  readonly part: number;
  readonly keys: readonly string[];
  readonly terms: readonly string[];
  /** Every item number that this part has ever seen. */
  readonly usedNumbers: ReadonlySet<number>;
}

export function randomAdoption(random: Random, setting: AdoptionSetting): Adoption {
  return new Adopting(random, setting).adoption();
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

  #versionOf(key: string, stored: StoredItem | undefined): AdoptedVersion {
    const before = stored && { lsn: stored.lsn, bodyBytes: stored.body.length };
    const number = stored?.number ?? this.#newNumber();
    const { model, part, terms } = this.#setting;
    const held = model.termsOf(part, number);
    if (stored !== undefined && this.#pick(4) === 0) {
      const termsRemoved = held;
      const write = { kind: "delete", key, number, before, termsRemoved } as const;
      return { lsn: this.#anyLsn(), logKind: "deleted", write };
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

  /** The end of an item that is not here; another one may have its key by now. */
  #endFromElsewhere(): AdoptedVersion {
    const { model, part, keys } = this.#setting;
    const ends = model.log(part).filter(({ kind }) => kind === "deleted");
    const again = ends.length > 0 && this.#pick(2) === 0 ? this.#choose(ends) : undefined;
    const key = again?.key ?? this.#choose(keys);
    const number = again?.number ?? this.#newNumber();
    const write = { kind: "delete", key, number, before: undefined, termsRemoved: [] } as const;
    return { lsn: again?.lsn ?? this.#anyLsn(), logKind: "deleted", write };
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
