/**
 * What a page of a query says of its own execution, in the header `x-orrery-explain`: the plan, the
 * work, the charge part by part and physical partition by physical partition.
 */

export interface Explained {
  readonly plan: PlanStep;
  readonly work: {
    readonly partitions: readonly string[];
    readonly access: readonly string[];
    readonly lookups: number;
    readonly terms: number;
    readonly items: number;
    readonly itemBytes: number;
    readonly misses: number;
    readonly rows: number;
    readonly rowBytes: number;
    readonly compileMs: number;
    readonly indexMs: number;
    readonly loadMs: number;
    readonly totalMs: number;
  };
  readonly charge: {
    readonly ru: number;
    readonly parts: readonly ChargePart[];
    readonly advice: readonly ChargeAdvice[];
    readonly partitions: readonly ChargeShare[];
  };
}

interface ChargePart {
  readonly part: string;
  readonly count: number;
  readonly ru: number;
}

export interface ChargeAdvice {
  readonly index: "path" | "composite";
  readonly paths: readonly string[];
  readonly orderBy?: readonly string[] | undefined;
  readonly ru: number;
  readonly saving: number;
}

/** One physical partition, or all those that had no room of their own. */
export interface ChargeShare {
  readonly id?: string | undefined;
  readonly others?: number | undefined;
  readonly ru: number;
  readonly items: number;
  readonly misses: number;
  readonly rows: number;
  /** Milliseconds in the index and on loading items. */
  readonly ms: number;
}

export interface PlanStep {
  readonly step: string;
  readonly of?: PlanStep | undefined;
  readonly [member: string]: unknown;
}

export function explainedIn(header: string | null): Explained | undefined {
  if (header === null) return undefined;
  try {
    return JSON.parse(header) as Explained;
  } catch {
    return undefined;
  }
}
