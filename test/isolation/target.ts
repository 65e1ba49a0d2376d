/**
 * What clients of lists ask for, whoever answers: the server by the official client
 * (`serverTarget.ts`), or a store of a few lines that can be made wrong (`fakeStore.ts`). And what an
 * answer has to look like.
 */

/** One operation. An item holds a list of numbers, and nothing else that matters. */
export type Step =
  | { readonly kind: "read"; readonly id: string }
  | {
      readonly kind: "create" | "upsert" | "replace";
      readonly id: string;
      readonly values: readonly number[];
      /** The etag that the item must have. */
      readonly ifMatch?: string;
    }
  /** A patch that adds at the end of the list. */
  | { readonly kind: "push"; readonly id: string; readonly value: number }
  | { readonly kind: "delete"; readonly id: string };

export interface StepResult {
  readonly status: number;
  readonly etag?: string | undefined;
  /** The list as it is after the step, unless the item is gone. */
  readonly values?: readonly number[] | undefined;
}

/** A result for each step; or nobody knows what became of it, and it is over by now. */
export type Answer =
  | { readonly kind: "answered"; readonly results: readonly StepResult[] }
  | { readonly kind: "lost" };

export interface Target {
  /** One step by itself is a plain operation; more of them are one batch. */
  run(client: number, partition: string, steps: readonly Step[]): Promise<Answer>;
  /** Every item of a logical partition. Asked when nothing else is under way. */
  readAll(partition: string): Promise<ReadonlyMap<string, readonly number[]>>;
}

/** The status of an operation that another one of its batch took with it. */
const FAILED_DEPENDENCY = 424;

/** Why a step may fail. */
const REFUSALS: Readonly<Record<Step["kind"], readonly number[]>> = {
  read: [404],
  create: [409],
  upsert: [412],
  replace: [404, 412],
  push: [404],
  delete: [404],
};

const SUCCESSES: Readonly<Record<Step["kind"], readonly number[]>> = {
  read: [200],
  create: [201],
  upsert: [200, 201],
  replace: [200],
  push: [200],
  delete: [204],
};

export function isOk(results: readonly StepResult[]): boolean {
  return results.every(({ status }) => status < 400);
}

/** What is wrong with the form of an answer; undefined if nothing is. */
export function flawOf(steps: readonly Step[], results: readonly StepResult[]): string | undefined {
  const told = `${steps.map(({ kind }) => kind)} was answered ${results.map(({ status }) => status)}`;
  if (results.length !== steps.length) return `${told}: not a result for each operation`;
  const isAllowed = (allowed: Readonly<Record<Step["kind"], readonly number[]>>, at: number) =>
    allowed[steps[at]!.kind].includes(results[at]!.status);
  if (isOk(results)) {
    const strange = steps.findIndex((_, at) => !isAllowed(SUCCESSES, at));
    return strange < 0 ? undefined : `${told}: a strange success`;
  }
  const own = results.flatMap(({ status }, at) => (status === FAILED_DEPENDENCY ? [] : [at]));
  if (own.length !== 1) return `${told}: not one status of its own and 424 for all others`;
  return isAllowed(REFUSALS, own[0]!) ? undefined : `${told}: a strange refusal`;
}
