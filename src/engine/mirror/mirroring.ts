/**
 * The mirrors of an account, at most one for each source. They are in memory alone: whoever wants
 * a container mirrored after a restart starts it again.
 *
 * While nothing is mirrored `active` is undefined, and that is all a read has to look at.
 */
import type { Clock, Timer } from "../../base/world.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { Container } from "../partition/container.ts";
import type { MirroringReport, MirrorTerms } from "./mirror.ts";
import { Mirror } from "./mirror.ts";
import type { AskPage } from "./wholeAnswer.ts";

interface MirroringSetting {
  readonly store: Pick<PartitionStore, "get" | "itemsByNumber">;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ask: AskPage;
}

export class Mirroring {
  readonly #setting: MirroringSetting;
  /** Those that ended by themselves are kept until they are stopped. */
  readonly #mirrors = new Map<Container, Mirror>();
  /** Mirrors that were replaced, or whose source is gone, until nothing of them is under way. */
  readonly #ending = new Set<Promise<void>>();
  #active: ReadonlyMap<Container, Mirror> | undefined;

  constructor(setting: MirroringSetting) {
    this.#setting = setting;
  }

  /** The mirrors by their sources; undefined while there are none. */
  get active(): ReadonlyMap<Container, Mirror> | undefined {
    return this.#active;
  }

  /** Begins to mirror; for a pair that is mirrored already, changes the share. */
  start(terms: MirrorTerms): void {
    const known = this.#mirrors.get(terms.source);
    if (known?.adopt(terms) === true) return;
    if (known !== undefined) this.#end(known);
    const onEnd = (): void => this.#review();
    this.#mirrors.set(terms.source, new Mirror({ ...this.#setting, onEnd }, terms));
    this.#review();
  }

  /** Undefined if the source is not mirrored, or no longer. */
  report(source: Container): MirroringReport | undefined {
    return this.#mirrors.get(source)?.report();
  }

  /** Ends and forgets the mirror of a source; resolves with what it came to. */
  async stop(source: Container): Promise<MirroringReport | undefined> {
    const mirror = this.#mirrors.get(source);
    this.#mirrors.delete(source);
    this.#review();
    await mirror?.end();
    return mirror?.report();
  }

  /** Ends all mirrors; resolves when nothing is under way any more. */
  async close(): Promise<void> {
    await Promise.all([...this.#mirrors.keys()].map((source) => this.stop(source)));
    await Promise.all(this.#ending);
  }

  #end(mirror: Mirror): void {
    const ending: Promise<void> = mirror.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #review(): void {
    for (const [source, mirror] of this.#mirrors) {
      if (!source.isDeleted) continue;
      this.#mirrors.delete(source);
      this.#end(mirror);
    }
    const running = [...this.#mirrors].filter(([, mirror]) => !mirror.isEnded);
    this.#active = running.length === 0 ? undefined : new Map(running);
  }
}
