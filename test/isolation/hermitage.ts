/**
 * The anomalies of the Hermitage tables, each as a question that two or three clients can ask a
 * server, and what no two answers may say together. A batch is sent whole, so a transaction cannot
 * wait in the middle for another one: what is tried instead is many rounds at the same time.
 *
 * PMP is about conditions that items fulfil. A batch has no other condition than which ids are
 * there, so that is what is asked.
 */
import type { Bug } from "./fakeStore.ts";
import type { Step, StepResult, Target } from "./target.ts";
import { isOk } from "./target.ts";

export interface HermitageCase {
  readonly anomaly: string;
  /** What does not happen. */
  readonly rule: string;
  /** A store that is wrong in this way must be found out by the case. */
  readonly bug: Bug;
  /** One round, on items of its own. Returns what went wrong. */
  round(stage: Stage): Promise<readonly string[]>;
}

/** A logical partition that nobody else uses, with the lists x and y, both empty. */
export class Stage {
  readonly #target: Target;
  readonly #partition: string;

  private constructor(target: Target, partition: string) {
    this.#target = target;
    this.#partition = partition;
  }

  static async open(target: Target, partition: string): Promise<Stage> {
    const stage = new Stage(target, partition);
    await stage.must(0, create("x"), create("y"));
    return stage;
  }

  async send(client: number, ...steps: readonly Step[]): Promise<readonly StepResult[]> {
    const answer = await this.#target.run(client, this.#partition, steps);
    if (answer.kind === "lost") throw new Error("an answer was lost, and nobody was killed");
    return answer.results;
  }

  async must(client: number, ...steps: readonly Step[]): Promise<readonly StepResult[]> {
    const results = await this.send(client, ...steps);
    if (isOk(results)) return results;
    throw new Error(`${JSON.stringify(steps)} was answered ${JSON.stringify(results)}`);
  }

  /** What each list holds, as text. */
  async look(client: number, ...ids: readonly string[]): Promise<readonly string[]> {
    const results = await this.must(client, ...ids.map(read));
    return results.map(({ values }) => `[${values}]`);
  }

  /** Does something again and again while something else is under way. */
  async during(work: Promise<unknown>, again: () => Promise<void>): Promise<void> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    work.then(end, end);
    while (!isOver) await again();
    await work;
  }

  /** Looks again and again while something is under way; returns every sight. */
  async watch(
    client: number,
    ids: readonly string[],
    work: Promise<unknown>,
  ): Promise<readonly (readonly string[])[]> {
    const sights: (readonly string[])[] = [];
    await this.during(work, async () => {
      sights.push(await this.look(client, ...ids));
    });
    return sights;
  }
}

const read = (id: string): Step => ({ kind: "read", id });
const create = (id: string): Step => ({ kind: "create", id, values: [] });
const set = (id: string, ...values: number[]): Step => ({ kind: "replace", id, values });
const push = (id: string, value: number): Step => ({ kind: "push", id, value });

const COUNTERS = [0, 1, 2];
const COUNT_EACH = 2;

export const HERMITAGE: readonly HermitageCase[] = [
  {
    anomaly: "G0",
    rule: "of two batches that write the same two items, both items show the same one",
    bug: "interleaved",
    async round(stage) {
      await Promise.all([
        stage.must(0, set("x", 1), set("y", 1)),
        stage.must(1, set("y", 2), set("x", 2)),
      ]);
      const [x, y] = await stage.look(2, "x", "y");
      return x === y ? [] : [`x is ${x} and y is ${y}`];
    },
  },
  {
    anomaly: "G1a",
    rule: "nobody sees what a batch wrote that failed, not even for a moment",
    bug: "dirtyRead",
    async round(stage) {
      const failing = Promise.all(
        [1, 2, 3].map((client) => stage.send(client, set("x", client), set("y", 1), create("y"))),
      );
      const sights = await stage.watch(0, ["x"], failing);
      const all = [...sights, await stage.look(0, "x")];
      return all.flatMap(([x]) => (x === "[]" ? [] : [`x was seen as ${x}`]));
    },
  },
  {
    anomaly: "G1b",
    rule: "nobody sees an item in the middle of a batch",
    bug: "interleaved",
    async round(stage) {
      const writing = stage.must(1, set("x", 1), set("y", 1), set("x", 1, 2));
      const sights = await stage.watch(0, ["x"], writing);
      return sights.flatMap(([x]) => (x === "[1]" ? ["x was seen between two writes"] : []));
    },
  },
  {
    anomaly: "G1c",
    rule: "of two batches at most one sees what the other wrote",
    bug: "interleaved",
    async round(stage) {
      const [one, other] = await Promise.all([
        stage.must(0, set("x", 1), read("y")),
        stage.must(1, set("y", 1), read("x")),
      ]);
      const isCircle = one[1]!.values!.length > 0 && other[1]!.values!.length > 0;
      return isCircle ? ["both saw what the other wrote"] : [];
    },
  },
  {
    anomaly: "OTV",
    rule: "whoever has seen a batch overwritten does not see it again, in no item",
    bug: "interleaved",
    async round(stage) {
      const writing = Promise.all([
        stage.must(1, set("x", 1), set("y", 1)),
        stage.must(2, set("x", 2), set("y", 2)),
      ]);
      const sights = await stage.watch(0, ["x", "y"], writing);
      const problems = sights.flatMap(([x, y]) => (x === y ? [] : [`x was ${x}, y was ${y}`]));
      const changes = sights.filter(([x], at) => x !== sights[at - 1]?.[0]).map(([x]) => x);
      const hasVanished = new Set(changes).size < changes.length;
      return hasVanished ? [...problems, `x was ${changes.join(", then ")}`] : problems;
    },
  },
  {
    anomaly: "PMP",
    rule: "which items are there does not change in the middle of a batch",
    bug: "interleaved",
    async round(stage) {
      const coming = async (): Promise<void> => {
        for (let turn = 0; turn < 3; turn++) {
          await stage.must(1, create("m"), create("n"));
          await stage.must(1, { kind: "delete", id: "m" }, { kind: "delete", id: "n" });
        }
      };
      const problems: string[] = [];
      await stage.during(coming(), async () => {
        const [, m, n] = await stage.send(0, read("x"), read("m"), read("n"));
        if (m!.status !== 404 && n!.status === 404) problems.push("m was there without n");
      });
      return problems;
    },
  },
  {
    anomaly: "P4",
    rule: "no update under an etag is lost",
    bug: "etagIgnored",
    async round(stage) {
      const countUp = async (client: number): Promise<void> => {
        for (let count = 0; count < COUNT_EACH; ) {
          const [seen] = await stage.must(client, read("x"));
          const { values, etag } = seen!;
          const value = client * COUNT_EACH + count;
          const replaced: Step = {
            kind: "replace",
            id: "x",
            values: [...values!, value],
            ifMatch: etag!,
          };
          if (isOk(await stage.send(client, read("y"), replaced))) count++;
        }
      };
      await Promise.all(COUNTERS.map(countUp));
      const [x] = await stage.must(0, read("x"));
      const expected = COUNTERS.length * COUNT_EACH;
      return x!.values!.length === expected ? [] : [`${x!.values!.length} of ${expected} are left`];
    },
  },
  {
    anomaly: "G-single",
    rule: "a batch that reads two items sees both before or both after another batch",
    bug: "interleaved",
    async round(stage) {
      const writing = Promise.all([1, 2, 3].map((n) => stage.must(n, push("x", n), push("y", n))));
      const sights = await stage.watch(0, ["x", "y"], writing);
      return sights.flatMap(([x, y]) => (x === y ? [] : [`x was ${x}, y was ${y}`]));
    },
  },
  {
    anomaly: "G2-item",
    rule: "of two batches that each read what the other writes, one sees the other",
    bug: "interleaved",
    async round(stage) {
      const [one, other] = await Promise.all([
        stage.must(0, read("x"), push("y", 1)),
        stage.must(1, read("y"), push("x", 1)),
      ]);
      const isSkewed = one[0]!.values!.length === 0 && other[0]!.values!.length === 0;
      return isSkewed ? ["neither saw what the other wrote"] : [];
    },
  },
];
