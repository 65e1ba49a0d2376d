/**
 * Clients that all send at the same time what was planned for them, and write down what they were
 * told, in the words of the checker.
 *
 * Not here: what they ask (`listPlans.ts`), whether the answers were right (`listAppend.ts`), and
 * when the server is killed (`campaign.ts`).
 */
import type { Random } from "../../src/base/world.ts";
import { Bystanders } from "./bystanders.ts";
import type { Finals, ListStep } from "./history.ts";
import { Recorder } from "./history.ts";
import type { Plan } from "./listPlans.ts";
import { ListPlans } from "./listPlans.ts";
import type { Step, StepResult, Target } from "./target.ts";
import { flawOf, isOk } from "./target.ts";

/** Without a look before it, nearly every etag that a client knows would be an old one. */
const LOOK_SHARE = 0.4;

export class ListClients {
  readonly #target: Target;
  readonly #random: Random;
  readonly #clientCount: number;
  readonly #plans: ListPlans;
  readonly #bystanders: Bystanders = new Bystanders();
  readonly recorder: Recorder = new Recorder();
  /** Answers that do not even look right. */
  readonly flaws: string[] = [];
  operationCount = 0;

  constructor(
    target: Target,
    random: Random,
    counts: { readonly clients: number; readonly partitions: number },
  ) {
    this.#target = target;
    this.#random = random;
    this.#clientCount = counts.clients;
    this.#plans = new ListPlans(random, counts);
  }

  /** All clients at once, until so many operations were sent. */
  async run(operationCount: number, onProgress: () => void): Promise<void> {
    const work = async (_: unknown, client: number): Promise<void> => {
      while (this.operationCount < operationCount) {
        const look = this.#random.next() < LOOK_SHARE ? this.#plans.planLook() : undefined;
        if (look !== undefined) await this.#send(client, look);
        await this.#send(client, this.#plans.planTransaction(client, look));
        onProgress();
      }
    };
    await Promise.all(Array.from({ length: this.#clientCount }, work));
  }

  /** Every list that anybody appended to, as it is now; notes what is wrong with the bystanders. */
  async finish(): Promise<Finals> {
    const finals = new Map<string, readonly number[]>();
    for (const [partition, ids] of this.#plans.lists) {
      const items = await this.#target.readAll(partition);
      for (const id of ids) finals.set(`${partition}/${id}`, []);
      for (const [id, values] of items) {
        if (!isBystander(id)) finals.set(`${partition}/${id}`, values);
      }
      this.flaws.push(...this.#bystanders.flaws(partition, (id) => items.has(id)));
    }
    return finals;
  }

  async #send(client: number, plan: Plan): Promise<void> {
    const { partition, steps, isDoomed } = plan;
    this.operationCount += steps.length;
    const open = this.recorder.begin(client);
    const answer = await this.#target.run(client, partition, steps);
    if (answer.kind === "lost") {
      open.end("unknown", appendsOf(plan));
      return this.#noteBystanders(plan, undefined);
    }
    const { results } = answer;
    const flaw = flawOf(steps, results);
    if (flaw !== undefined) this.flaws.push(flaw);
    if (isOk(results)) {
      open.end(
        "ok",
        steps.flatMap((step, at) => toldBy(partition, step, results[at])),
      );
      if (isDoomed) this.flaws.push(`${JSON.stringify(steps)} was done, though a step must fail`);
      this.#noteBystanders(plan, results);
    } else open.end("failed", appendsOf(plan));
    if (flaw === undefined) this.#plans.learn(client, plan, results);
  }

  #noteBystanders({ partition, steps }: Plan, results: readonly StepResult[] | undefined): void {
    steps.forEach((step, at) => {
      if (isBystander(step.id)) this.#bystanders.note(partition, step, results?.[at]);
    });
  }
}

function isBystander(id: string): boolean {
  return id.startsWith("bystander-");
}

function appendsOf({ partition, steps }: Plan): readonly ListStep[] {
  return steps.flatMap((step) => appendIn(partition, step));
}

function appendIn(partition: string, step: Step): readonly ListStep[] {
  if (isBystander(step.id) || step.id === "nowhere") return [];
  const list = `${partition}/${step.id}`;
  if (step.kind === "push") return [{ kind: "append", list, value: step.value }];
  if (!("values" in step)) return [];
  return [{ kind: "append", list, value: step.values.at(-1)! }];
}

/**
 * What a step that was done says about its list. A creation, or a write under an etag, also says
 * what was there before.
 */
function toldBy(
  partition: string,
  step: Step,
  result: StepResult | undefined,
): readonly ListStep[] {
  if (isBystander(step.id)) return [];
  const list = `${partition}/${step.id}`;
  const before = "values" in step ? step.values.slice(0, -1) : undefined;
  const after = result?.values;
  return [
    ...(before === undefined ? [] : [{ kind: "read" as const, list, values: before }]),
    ...appendIn(partition, step),
    ...(after === undefined ? [] : [{ kind: "read" as const, list, values: after }]),
  ];
}
