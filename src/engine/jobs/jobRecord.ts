/**
 * What is known of a job whose end somebody may ask for: shown in the list of jobs, and recorded by
 * the catalogue if the job was accepted. A record is JSON; each kind of job adds to it what the job
 * needs to go on after a restart.
 */

export interface JobSummary {
  /** Never given twice, also not after a restart. */
  readonly id: string;
  /** Says which kind of job it is, and with it what else its record holds. */
  readonly kind: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Of a job that has no end of its own, so that nobody waits for it. */
  readonly isEndless?: true;
  /** Once it is there, the rest of the summary is as it was at the end. */
  readonly outcome?: KeptOutcome<object> | undefined;
}

/** Failed: it could not be done. Cancelled: what the job was about is no more. */
export type KeptOutcome<R extends object> = Unmeasured<R> & { readonly seconds: number };

/** The same, before it is known how long the job took. */
export type Unmeasured<R extends object> =
  | ({ readonly state: "done" } & R)
  | { readonly state: "failed" | "cancelled"; readonly reason: string };

/** The job is open until its summary has an outcome. */
export interface JobRecord {
  readonly job: JobSummary;
}

/** What a commit of the catalogue does to the records of jobs. */
export interface JobChange {
  readonly puts: readonly JobRecord[];
  readonly removals: readonly JobRecord[];
  /** Called after the commit, without suspending in between. */
  apply(): void;
}
