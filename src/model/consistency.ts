/** The consistency levels of the service, from the strongest to the weakest. */
export type Consistency =
  | "strong"
  | "boundedStaleness"
  | "session"
  | "consistentPrefix"
  | "eventual";
