/**
 * Up to which date everything that is in hot is in warm as well, and as it is in hot.
 *
 * The mark falls with the write that makes it untrue, before its writer is answered, and rises when
 * everything was looked at. A look takes a while and clients write on, so the writes since its
 * beginning are remembered by the lowest of their dates: what they concern was not looked at.
 */
export class Watermark {
  #settledBefore: number | undefined;
  #lowestSince = Number.POSITIVE_INFINITY;

  /** Absent while it is not known. */
  get settledBefore(): number | undefined {
    return this.#settledBefore;
  }

  /** Says that everything that was written until now is going to be looked at. */
  beginLook(): void {
    this.#lowestSince = Number.POSITIVE_INFINITY;
  }

  /** Says that what is dated before `bound`, and was there when the look began, is settled. */
  endLook(bound: number): void {
    this.#settledBefore = Math.min(bound, this.#lowestSince);
  }

  /** Says that dates mean something else from now on. */
  forget(): void {
    this.#settledBefore = undefined;
  }

  /** Says that something of this date is not in warm as it is in hot. */
  fallTo(date: number): void {
    this.#lowestSince = Math.min(this.#lowestSince, date);
    if (this.#settledBefore !== undefined && date < this.#settledBefore) {
      this.#settledBefore = date;
    }
  }
}
