/**
 * Every kind of store that there is, each made anew for a test, with segments so small that
 * absorption happens all the time. Used by the tests of the contract only.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Timer } from "../base/world.ts";
import { seededRandom } from "../base/world.ts";
import { realClock } from "../server/surroundings/realWorld.ts";
import { openDirectory } from "./disk.ts";
import { EmbeddedStore } from "./embedded/embeddedStore.ts";
import { formFleet } from "./fleet/formFleet.ts";
import { LmdbBottom } from "./lmdb/lmdbBottom.ts";
import { hasPostgres, LocalPostgres } from "./postgres/localPostgres.fake.ts";
import { PostgresStore } from "./postgres/postgresStore.ts";
import type { StoreSubject } from "./promises/storePromise.ts";
import { SimulatedBottom } from "./simulatedBottom.fake.ts";
import { SimulatedDisk } from "./simulatedDisk.fake.ts";

const SUBJECT_OPTIONS = { segmentBytesMax: 3000, sealedCountMax: 2 } as const;

const STEPS = 60;

interface NamedSubject extends StoreSubject {
  readonly name: string;
  /** How long a random history is: fewer steps where each is a round trip to another process. */
  readonly stepCount: number;
}

/** Several stores as one; what they are does not matter to it. */
async function openFleet(timer: Timer): ReturnType<StoreSubject["open"]> {
  const names = ["a", "b", "c"] as const;
  const [first, ...others] = names.map((name) => ({ name, store: EmbeddedStore.inMemory(timer) }));
  return { store: await formFleet([first!, ...others], seededRandom(1)) };
}

export class StoreSubjects {
  readonly all: readonly NamedSubject[];
  readonly #timer: Timer;
  readonly #directories: string[] = [];
  /** One server for all tests of a file, with a database for each. */
  #postgres: Promise<LocalPostgres> | undefined;

  constructor(timer: Timer) {
    this.#timer = timer;
    this.all = [
      {
        name: "memory",
        stepCount: STEPS,
        open: async () => ({ store: EmbeddedStore.inMemory(timer) }),
      },
      { name: "simulated disk", stepCount: STEPS, open: () => this.#openSimulated() },
      { name: "fleet", stepCount: STEPS, open: () => openFleet(timer) },
      { name: "lmdb", stepCount: STEPS, open: () => this.#openDurable() },
      ...(hasPostgres()
        ? [{ name: "postgres", stepCount: STEPS / 4, open: () => this.#openPostgres() }]
        : []),
    ];
  }

  /** Takes away what the stores have left on the disk. */
  async remove(): Promise<void> {
    for (const directory of this.#directories) {
      await rm(directory, { recursive: true, force: true });
    }
    await (await this.#postgres)?.stop();
  }

  async #openPostgres(): ReturnType<StoreSubject["open"]> {
    this.#postgres ??= LocalPostgres.start();
    const url = await (await this.#postgres).newDatabase();
    const world = { clock: realClock, timer: this.#timer, random: seededRandom(1) };
    const terms = { owner: "test", notify: () => undefined, onTaken: () => Promise.resolve() };
    const reopen = () => PostgresStore.open({ url, ...world, ...terms });
    return { store: await reopen(), reopen };
  }

  async #openSimulated(): ReturnType<StoreSubject["open"]> {
    const disk = new SimulatedDisk(seededRandom(1));
    const bottom = new SimulatedBottom(disk);
    const reopen = () => EmbeddedStore.open(this.#timer, SUBJECT_OPTIONS, { disk, bottom });
    return { store: await reopen(), reopen };
  }

  async #openDurable(): ReturnType<StoreSubject["open"]> {
    const root = await mkdtemp(join(tmpdir(), "orrery-contract-"));
    this.#directories.push(root);
    const paths = {
      journalDirectory: join(root, "journal"),
      tablesDirectory: join(root, "t"),
      stepCountMax: 3,
    };
    const reopen = async () => {
      const disk = await openDirectory(paths.journalDirectory);
      const bottom = await LmdbBottom.open(paths);
      return EmbeddedStore.open(this.#timer, SUBJECT_OPTIONS, { disk, bottom });
    };
    return { store: await reopen(), reopen };
  }
}
