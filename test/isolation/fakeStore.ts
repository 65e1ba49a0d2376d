/**
 * A store of batches in a few lines, right by default and wrong on request: a checker that has
 * never failed proves nothing. Each bug is a mistake that somebody has made in a real database.
 *
 * Requests wait for a random number of turns before and after they take effect, so that many are
 * under way at a time. A crash loses the answers of those; what they did, and nothing else, is up
 * to chance.
 */
import type { Random } from "../../src/base/world.ts";
import type { Answer, Step, StepResult, Target } from "./target.ts";

/** Bug → what it does. */
export const BUGS = {
  interleaved: "lets others in between two operations of a batch",
  keptHalf: "keeps what a batch did before it failed",
  lostUpdate: "computes on what it read a moment ago, and writes without looking again",
  staleRead: "answers some reads from a copy that is behind",
  etagIgnored: "does not look at etags",
  dirtyRead: "shows what a batch did before it is rolled back",
  halfAfterCrash: "finds half a batch after a crash",
  forgetfulCrash: "acknowledges what a crash can still undo",
  lateAfterCrash: "does what was lost with a crash a while after it",
  appliedTwice: "applies a batch twice now and then",
  reordered: "appends in front now and then",
} as const;

export type Bug = keyof typeof BUGS;

interface Version {
  readonly etag: string;
  readonly values: readonly number[];
}

type Items = Map<string, Version>;

interface Call {
  readonly key: string;
  readonly steps: readonly Step[];
  isApplied: boolean;
  isLost: boolean;
}

export class FakeStore implements Target {
  readonly #random: Random;
  readonly #bug: Bug | undefined;
  readonly #pending = new Set<Call>();
  #items: Items = new Map();
  /** As it was a while ago. */
  #behind: Items = new Map();
  #late: Call[] = [];
  #commitCount = 0;
  #etag = 0;

  constructor(random: Random, bug: Bug | undefined) {
    this.#random = random;
    this.#bug = bug;
  }

  async run(_client: number, partition: string, steps: readonly Step[]): Promise<Answer> {
    const call = { key: `${partition}/`, steps, isApplied: false, isLost: false };
    this.#pending.add(call);
    await this.#turns(6);
    const results = call.isLost ? [] : await this.#apply(call);
    await this.#turns(6);
    this.#pending.delete(call);
    return call.isLost ? { kind: "lost" } : { kind: "answered", results };
  }

  readAll(partition: string): Promise<ReadonlyMap<string, readonly number[]>> {
    const key = `${partition}/`;
    const own = [...this.#items].filter(([name]) => name.startsWith(key));
    return Promise.resolve(
      new Map(own.map(([name, item]) => [name.slice(key.length), item.values])),
    );
  }

  crash(): void {
    if (this.#bug === "forgetfulCrash") this.#items = new Map(this.#behind);
    for (const call of this.#pending) {
      call.isLost = true;
      if (call.isApplied) continue;
      const { changes, isDone } = this.#attempt(call);
      if (!isDone || this.#random.next() < 0.5) continue;
      if (this.#bug === "lateAfterCrash") this.#late.push(call);
      else if (this.#bug === "halfAfterCrash") this.#commit(new Map([...changes].slice(0, 1)));
      else this.#commit(changes);
    }
  }

  async #apply(call: Call): Promise<readonly StepResult[]> {
    call.isApplied = true;
    const isHit = this.#random.next() < 0.2;
    if (this.#bug === "interleaved") return this.#applyOneByOne(call);
    const isRead = call.steps.every(({ kind }) => kind === "read");
    if (this.#bug === "staleRead" && isRead && isHit) {
      return this.#attempt(call, this.#behind).results;
    }
    const { results, changes, isDone } = this.#attempt(call);
    if (this.#bug === "lostUpdate") await this.#turns(3);
    if (isDone || this.#bug === "keptHalf") this.#commit(changes);
    else if (this.#bug === "dirtyRead") await this.#showForAMoment(changes);
    if (this.#bug === "appliedTwice" && isDone && isHit) this.#commit(this.#attempt(call).changes);
    for (const late of this.#late.splice(0, this.#random.next() < 0.02 ? 1 : 0)) {
      const { changes: lateChanges, isDone: isLateDone } = this.#attempt(late);
      if (isLateDone) this.#commit(lateChanges);
    }
    return results;
  }

  /** What a batch does to the items, without doing it. */
  #attempt(
    { key, steps }: Pick<Call, "key" | "steps">,
    items: Items = this.#items,
  ): {
    results: readonly StepResult[];
    changes: ReadonlyMap<string, Version | undefined>;
    isDone: boolean;
  } {
    const changes = new Map<string, Version | undefined>();
    const results: StepResult[] = [];
    for (const step of steps) {
      const name = key + step.id;
      const before = changes.has(name) ? changes.get(name) : items.get(name);
      const { status, after } = this.#outcomeOf(step, before);
      if (status >= 400) {
        const failed = steps.map((other) => ({ status: other === step ? status : 424 }));
        return { results: failed, changes, isDone: false };
      }
      if (step.kind !== "read") changes.set(name, after);
      results.push({ status, ...after });
    }
    return { results, changes, isDone: true };
  }

  #outcomeOf(
    step: Step,
    before: Version | undefined,
  ): { status: number; after?: Version | undefined } {
    if (step.kind === "create" && before !== undefined) return { status: 409 };
    const isMade = step.kind === "create" || step.kind === "upsert";
    if (!isMade && before === undefined) return { status: 404 };
    const ifMatch = "ifMatch" in step ? step.ifMatch : undefined;
    const isOutdated = ifMatch !== undefined && before !== undefined && ifMatch !== before.etag;
    if (isOutdated && this.#bug !== "etagIgnored") return { status: 412 };
    if (step.kind === "read") return { status: 200, after: before };
    if (step.kind === "delete") return { status: 204 };
    const values = step.kind === "push" ? this.#pushed(before!.values, step.value) : step.values;
    const status = isMade && before === undefined ? 201 : 200;
    return { status, after: { etag: `e${++this.#etag}`, values } };
  }

  #pushed(values: readonly number[], value: number): readonly number[] {
    const isInFront = this.#bug === "reordered" && this.#random.next() < 0.05;
    return isInFront ? [value, ...values] : [...values, value];
  }

  #commit(changes: ReadonlyMap<string, Version | undefined>): void {
    for (const [name, version] of changes) {
      if (version === undefined) this.#items.delete(name);
      else this.#items.set(name, version);
    }
    if (++this.#commitCount % 20 === 0) this.#behind = new Map(this.#items);
  }

  async #applyOneByOne({ key, steps }: Call): Promise<readonly StepResult[]> {
    const undo: ReadonlyMap<string, Version | undefined>[] = [];
    const results: StepResult[] = [];
    for (const step of steps) {
      const before = new Map([[key + step.id, this.#items.get(key + step.id)]]);
      const one = this.#attempt({ key, steps: [step] });
      if (!one.isDone) {
        for (const changes of undo.reverse()) this.#commit(changes);
        const { status } = one.results[0]!;
        return steps.map((other) => ({ status: other === step ? status : 424 }));
      }
      if (step.kind !== "read") undo.push(before);
      this.#commit(one.changes);
      results.push(...one.results);
      await this.#turns(2);
    }
    return results;
  }

  async #showForAMoment(changes: ReadonlyMap<string, Version | undefined>): Promise<void> {
    const before = new Map(Array.from(changes.keys(), (name) => [name, this.#items.get(name)]));
    this.#commit(changes);
    await this.#turns(3);
    this.#commit(before);
  }

  async #turns(countMax: number): Promise<void> {
    for (let left = Math.floor(this.#random.next() * countMax); left >= 0; left--) {
      await Promise.resolve();
    }
  }
}
