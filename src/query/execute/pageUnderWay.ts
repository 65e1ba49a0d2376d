/**
 * A page that may take several requests. It runs until it ends, or until its time is up before it
 * can give anything; then it is suspended with all that it has collected, and goes on from there
 * when somebody asks again. Whoever keeps it must drop it if nobody does: it holds memory.
 */
import type { Result } from "../../base/result.ts";
import { QueryFailure } from "../evaluate/run.ts";
import type { QueryProblem } from "../problem.ts";
import type { PageRequest, QueryPage } from "./page.ts";
import { runPage } from "./page.ts";
import type { SuspendedState } from "./pageRun.ts";

export type PageStep =
  | { readonly kind: "ended"; readonly page: Result<QueryPage, QueryProblem> }
  | { readonly kind: "suspended"; readonly state: SuspendedState };

type IsGone = PageRequest["isGone"];

interface Sleep {
  end(): void;
  fail(error: Error): void;
}

export class PageUnderWay {
  readonly #request: PageRequest;
  #ending: Promise<PageStep> | undefined;
  #sleep: Sleep | undefined;
  #isGone: IsGone;
  #onSuspended: (step: PageStep) => void = () => undefined;

  constructor(request: Omit<PageRequest, "suspend" | "isGone">) {
    this.#request = request;
  }

  /** Until it ends or is suspended again. Not to be called while it is at work. */
  advance(isGone?: IsGone): Promise<PageStep> {
    this.#isGone = isGone;
    const suspended = new Promise<PageStep>((resolve) => {
      this.#onSuspended = resolve;
    });
    this.#ending ??= this.#run();
    this.#sleep?.end();
    this.#sleep = undefined;
    return Promise.race([this.#ending, suspended]);
  }

  /** To its end in one go, which is refused when it takes longer than this. */
  async finish(timeMaxMs: number, isGone?: IsGone): Promise<PageStep> {
    return { kind: "ended", page: await runPage({ ...this.#request, timeMaxMs, isGone }) };
  }

  /** Nobody will ask for it again: what a suspended page holds is let go. */
  drop(): void {
    this.#sleep?.fail(new QueryFailure("Nobody waits for the answer."));
    this.#sleep = undefined;
  }

  async #run(): Promise<PageStep> {
    const page = await runPage({
      ...this.#request,
      suspend: (state) => this.#suspend(state),
      isGone: () => this.#isGone?.() === true,
    });
    return { kind: "ended", page };
  }

  #suspend(state: SuspendedState): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sleep = { end: resolve, fail: reject };
      this.#onSuspended({ kind: "suspended", state });
    });
  }
}
