/**
 * What was begun and what was promised, line by line, and what may therefore be found after a power
 * cut at any line: of every item the version that was last acknowledged, or the one that was being
 * written; of every accepted job its record.
 */
import { createHash } from "node:crypto";
import type { Random } from "../../src/base/world.ts";
import type { JsonObject } from "../../src/json/value.ts";

/** The version of an item; null when it is gone. */
export type Version = number | null;

export type LedgerLine =
  /** Containers are there from here on. */
  | { readonly kind: "ready" }
  | { readonly kind: "begin" | "done"; readonly item: string; readonly sequence: Version }
  | { readonly kind: "job"; readonly id: string };

/** What may be found, and what must be. */
export interface Expectation {
  readonly isReady: boolean;
  /** The versions that each item may have, by its name. */
  readonly versions: readonly (readonly [string, readonly Version[]])[];
  readonly jobIds: readonly string[];
}

export class Ledger {
  readonly #acknowledged = new Map<string, Version>();
  readonly #underWay = new Map<string, Version>();
  readonly #jobIds: string[] = [];
  #isReady = false;
  acknowledgedCount = 0;

  read(line: LedgerLine): void {
    if (line.kind === "ready") this.#isReady = true;
    else if (line.kind === "job") this.#jobIds.push(line.id);
    else if (line.kind === "begin") this.#underWay.set(line.item, line.sequence);
    else {
      this.#underWay.delete(line.item);
      this.#acknowledged.set(line.item, line.sequence);
      this.acknowledgedCount++;
    }
  }

  expectation(): Expectation {
    const names = new Set([...this.#acknowledged.keys(), ...this.#underWay.keys()]);
    const versions = [...names].map((name): readonly [string, readonly Version[]] => {
      const known = this.#acknowledged.get(name) ?? null;
      const next = this.#underWay.get(name);
      return [name, next === undefined ? [known] : [known, next]];
    });
    return { isReady: this.#isReady, versions, jobIds: [...this.#jobIds] };
  }
}

export function itemName(container: string, index: number): string {
  return `${container}/i${index}`;
}

/** Most are short, some fill a page of the tables, a few several. */
export function itemOf(
  item: string,
  sequence: number,
  random: Random,
): JsonObject & { readonly id: string; readonly pk: string } {
  const id = item.split("/")[1]!;
  const chance = random.next();
  const bytes = chance < 0.05 ? 12_000 : chance < 0.15 ? 3_000 : 200 * random.next();
  const text = Buffer.from(random.bytes(Math.ceil(bytes))).toString("base64");
  const numbers = Array.from({ length: 6 }, () => Math.floor(random.next() * 50));
  return { id, pk: `key ${id}`, sequence, text, numbers, sum: sumOf(id, sequence, text) };
}

/** The version that an item says it is; undefined if its parts do not fit together. */
export function versionOf({ id, sequence, text, sum }: JsonObject): number | undefined {
  const isWhole = sum === sumOf(String(id), Number(sequence), String(text));
  return isWhole ? Number(sequence) : undefined;
}

function sumOf(id: string, sequence: number, text: string): string {
  return createHash("sha256").update(`${id} ${sequence} ${text}`).digest("hex").slice(0, 16);
}
