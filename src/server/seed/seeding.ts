/**
 * What a running server does with seeds: makes those it was started with, and others while it runs;
 * and, where nothing is kept, goes back to its beginnings.
 *
 * One after the other: nobody sees a reset between two halves of a seed.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Account } from "../../engine/account.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { readSeedValue } from "../../seed/readSeed.ts";
import type { ServerSeed } from "../../seed/seed.ts";
import { BadOption } from "../surroundings/options.ts";
import { checkSeed } from "./checkedSeed.ts";
import type { InitReport } from "./initReport.ts";
import { problemsOf } from "./loadSeeds.ts";
import { fillContainer, makeSeeds } from "./makeSeed.ts";
import { writtenSeed } from "./writtenSeed.ts";

interface SeedingSetting {
  readonly account: Account;
  /** What the server was started with. */
  readonly seeds: readonly ServerSeed[];
  /** Where the data is; absent for a throw-away server. */
  readonly kept: string | undefined;
}

export class Seeding {
  readonly #setting: SeedingSetting;
  #last: Promise<unknown> = Promise.resolve();

  constructor(setting: SeedingSetting) {
    this.#setting = setting;
  }

  /** Undefined where the server was started with no seed. */
  begin(): Promise<InitReport | undefined> {
    const { seeds } = this.#setting;
    return seeds.length === 0 ? Promise.resolve(undefined) : this.make(seeds);
  }

  /** Rejects with a `BadOption` that says what is wrong. */
  make(seeds: readonly ServerSeed[]): Promise<InitReport> {
    const { account, kept } = this.#setting;
    return this.#inTurn(async () => {
      for (const seed of seeds) await checkSeed(seed, account);
      return makeSeeds(account, seeds, kept);
    });
  }

  /** Of a request: what names files is refused. */
  makeValue(value: JsonObject): Promise<Result<object, string>> {
    return told(() => {
      const read = readSeedValue("seed", value);
      if (!read.ok) throw problemsOf(read.error);
      refusePaths(read.value);
      return this.make([read.value]);
    });
  }

  /** Items of a request, for a container that is there. */
  fill(
    database: string,
    container: string,
    items: readonly JsonValue[],
  ): Promise<Result<object, string>> {
    const { account, kept } = this.#setting;
    return told(() =>
      this.#inTurn(() => fillContainer(account, { database, container, items, kept })),
    );
  }

  written(): object {
    return writtenSeed(this.#setting.account);
  }

  resetNow(): Promise<Result<object, string>> {
    return told(async () => {
      await this.reset();
      return { isReset: true };
    });
  }

  /** Drops every database, and makes anew what the server was started with. */
  reset(): Promise<void> {
    const { account, seeds, kept } = this.#setting;
    return this.#inTurn(async () => {
      if (kept !== undefined) throw resetRefusal(kept);
      const { catalog } = account;
      catalog.noteReset();
      for (const database of catalog.databases()) await catalog.deleteDatabase(database);
      await makeSeeds(account, seeds, undefined);
    });
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(step);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

async function told(act: () => Promise<object>): Promise<Result<object, string>> {
  try {
    return ok(await act());
  } catch (error) {
    if (error instanceof BadOption) return no(error.message);
    throw error;
  }
}

/** They would be files of this machine, and whoever asks may be on another. */
function refusePaths({ databases }: ServerSeed): void {
  for (const { containers } of databases) {
    for (const { items, scripts } of containers) {
      const item = items.find((one) => "path" in one);
      const script = scripts.find(({ code }) => "path" in code);
      const place = (item ?? script)?.place;
      if (place === undefined) continue;
      throw new BadOption(`${place}: it names a file, and a request has to bring all it needs.`);
    }
  }
}

/** Whoever keeps data wants it kept: nothing that tests do by habit may drop it. */
export function resetRefusal(kept: string): BadOption {
  return new BadOption(
    `A reset drops everything, and this server keeps its data, in ${kept}. Only one that keeps ` +
      "nothing is reset: start it with --memory, or startOrrery({ memory: true }).",
  );
}
