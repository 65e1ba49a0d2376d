/**
 * A page that may take several requests. It runs until it ends, or until its time is up before it
 * can give anything; then it is suspended with all that it has collected, and goes on from there
 * when `advance` is called again. A suspended page holds memory: its keeper must call `drop` if no
 * request comes for it.
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

  /**
   * Runs the page until it ends or is suspended again. Must not be called while the page is at
   * work.
   */
  advance(isGone?: IsGone): Promise<PageStep> {
    this.#isGone = isGone;
    return new Promise<PageStep>((resolve, reject) => {
      this.#onSuspended = resolve;
      this.#ending ??= this.#run();
      this.#ending.then(resolve, reject);
      this.#sleep?.end();
      this.#sleep = undefined;
    });
  }

  /**
   * Runs the page to its end in one go; the page is refused when it takes longer than `timeMaxMs`.
   */
  async finish(timeMaxMs: number, isGone?: IsGone): Promise<PageStep> {
    return { kind: "ended", page: await runPage({ ...this.#request, timeMaxMs, isGone }) };
  }

  /** Ends a suspended page that no request will ask for again, and releases what it holds. */
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
