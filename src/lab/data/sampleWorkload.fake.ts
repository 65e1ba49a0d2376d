/** For tests: workloads with only what matters said. */
import type {
  Growth,
  Operation,
  OperationKind,
  PropertyShape,
  Workload,
} from "../workload/workload.ts";

export function sampleProperty(path: string, said: Partial<PropertyShape> = {}): PropertyShape {
  return {
    path,
    distinct: undefined,
    isUnique: false,
    items: { kind: "uniform" },
    requests: undefined,
    within: undefined,
    distinctWithin: undefined,
    time: undefined,
    changes: false,
    missingShare: 0,
    ...said,
  };
}

export function sampleOperation(
  id: string,
  kind: OperationKind,
  said: Partial<Operation> = {},
): Operation {
  return {
    id,
    kind,
    ratePerSecond: 1,
    peakFactor: undefined,
    hours: undefined,
    sql: undefined,
    parameters: new Map(),
    knows: undefined,
    resultItems: undefined,
    pageSize: 100,
    ru: undefined,
    changes: [],
    transactionScope: undefined,
    ageDays: undefined,
    ...said,
  };
}

export function sampleQuery(id: string, sql: string, said: Partial<Operation> = {}): Operation {
  return sampleOperation(id, "query", { sql, ...said });
}

export const SAMPLE_GROWTH: Growth = {
  itemsPerDay: 10_000,
  initialItems: 0,
  retentionDays: undefined,
  perMonth: 0,
  peakFactor: 1,
  hours: undefined,
};

export function sampleWorkload(
  said: Partial<Omit<Workload, "properties" | "growth">> & {
    readonly properties?: readonly PropertyShape[];
    readonly growth?: Partial<Growth>;
  } = {},
): Workload {
  const { properties = [], growth = {}, ...rest } = said;
  return {
    name: "sample",
    title: "Sample",
    item: { bytes: 1024, example: undefined },
    throughput: undefined,
    consistency: "session",
    operations: [],
    candidates: [],
    horizonMonths: 12,
    remarks: [],
    ...rest,
    properties: new Map(properties.map((property) => [property.path, property])),
    growth: { ...SAMPLE_GROWTH, ...growth },
  };
}
