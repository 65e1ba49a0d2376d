/**
 * What clients asked of some lists and what they were told, as the checker reads it.
 *
 * A list only ever grows at its end, and no value is appended to it twice, so a list that somebody
 * read tells who wrote before whom. Instants are ticks of one counter: of two events in this
 * process it is always known which came first.
 *
 * Not here: what follows from a history (`listAppend.ts`), and how one comes about
 * (`listClients.ts`).
 */

export type ListStep =
  | { readonly kind: "append"; readonly list: string; readonly value: number }
  | { readonly kind: "read"; readonly list: string; readonly values: readonly number[] };

export interface Transaction {
  readonly process: number;
  /** Failed: it must have had no effect. Unknown: nobody was told, so either is right. */
  readonly outcome: "ok" | "failed" | "unknown";
  /** In order. Of a transaction that is not ok there are no reads. */
  readonly steps: readonly ListStep[];
  /** It had no effect before this. */
  readonly beganAt: number;
  /** It had no effect after this; Infinity if nothing is known of its end. */
  readonly endedAt: number;
}

/** What every list holds when all is over. A list that is not named here was not looked at. */
export type Finals = ReadonlyMap<string, readonly number[]>;

interface OpenTransaction {
  end(outcome: Transaction["outcome"], steps: readonly ListStep[]): void;
}

export class Recorder {
  readonly #transactions: Transaction[] = [];
  #now = 0;

  begin(process: number): OpenTransaction {
    const beganAt = ++this.#now;
    return {
      end: (outcome, steps) => {
        const endedAt = ++this.#now;
        this.#transactions.push({ process, outcome, steps, beganAt, endedAt });
      },
    };
  }

  get transactions(): readonly Transaction[] {
    return this.#transactions;
  }

  countOf(outcome: Transaction["outcome"]): number {
    return this.#transactions.filter((transaction) => transaction.outcome === outcome).length;
  }
}

/** `3 ok 7..12: x+5 y=[1,2]`: the fourth of the history, from tick 7 to 12. */
export function describeTransaction(history: readonly Transaction[], index: number): string {
  const { outcome, steps, beganAt, endedAt } = history[index]!;
  const words = steps.map((step) =>
    step.kind === "append"
      ? `${step.list}+${step.value}`
      : `${step.list}=[${step.values.length > 6 ? "…," : ""}${step.values.slice(-6)}]`,
  );
  return `${index} ${outcome} ${beganAt}..${endedAt}: ${words.join(" ")}`;
}
