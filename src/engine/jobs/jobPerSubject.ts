/**
 * Jobs of one kind, at most one for each subject: a container, or whatever else they are about.
 *
 * Whether there is something to do is read from the subject, so a job needs no record of its own.
 * Its step finds out, and says done when there is nothing.
 */
import type { BackgroundWork } from "./backgroundWork.ts";
import type { JobStep } from "./job.ts";

type SubjectStep<S> = (subject: S, isStopped: () => boolean) => Promise<JobStep<void>>;

export class JobPerSubject<S> {
  readonly #work: BackgroundWork;
  readonly #step: SubjectStep<S>;
  readonly #known = new Set<S>();
  /** Subjects that were started once more while their job ran. */
  readonly #startedAgain = new Set<S>();

  constructor(work: BackgroundWork, step: SubjectStep<S>) {
    this.#work = work;
    this.#step = step;
  }

  /**
   * If the job of the subject runs already, it looks at the subject once more before it ends. If it
   * was left or refused, or ended by a defect, nothing begins before the next opening.
   */
  start(subject: S): void {
    if (this.#known.has(subject)) {
      this.#startedAgain.add(subject);
      return;
    }
    this.#known.add(subject);
    // Whoever stops the work is told of a defect.
    this.#run(subject).catch(() => undefined);
  }

  async #run(subject: S): Promise<void> {
    const step = (isStopped: () => boolean): Promise<JobStep<void>> =>
      this.#step(subject, isStopped);
    do {
      const { kind } = await this.#work.run({ step });
      if (kind !== "done") return;
    } while (this.#startedAgain.delete(subject));
    // In the same turn as the last look at `#startedAgain`: a start from here on is a new job.
    this.#known.delete(subject);
  }
}
