/** Tells the mirror of a container, if it has one, of the reads that were served. */
import type { Account } from "../../../engine/account.ts";
import type { ItemOutcome } from "../../../engine/item/itemCommand.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { ReadTerms } from "../../../model/request/readTerms.ts";
import type { Epk } from "../../../partition/epkRange.ts";

interface ServedRead {
  readonly epk: Epk;
  readonly id: string;
  readonly terms: ReadTerms;
  readonly outcome: ItemOutcome;
}

export function noteRead(
  { mirroring }: Account,
  container: Container,
  { epk, id, terms, outcome }: ServedRead,
): void {
  const mirror = mirroring.active?.get(container);
  mirror?.noteRead({ epk, id, consistency: terms.consistency, outcome });
}
