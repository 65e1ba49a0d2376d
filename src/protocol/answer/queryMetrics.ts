/**
 * The header that tells what a page of a query did, in the order and form SDKs take apart.
 *
 * Clients compute what the engine itself took by subtracting the times of index, loading and
 * writing from that of the execution, so that one contains the others.
 */

export interface MeasuredWork {
  readonly compileMs: number;
  readonly totalMs: number;
  readonly indexMs: number;
  readonly loadMs: number;
  /** The time that was spent in functions that users wrote. */
  readonly functionMs: number;
  readonly itemCount: number;
  readonly itemBytes: number;
  /** Items that were read and that the filter did not let through. */
  readonly missCount: number;
  readonly rowCount: number;
  readonly rowBytes: number;
}

/** No semicolon at the end: one SDK would take what follows for another metric. */
export function queryMetricsText(work: MeasuredWork): string {
  const metrics: readonly (readonly [string, string])[] = [
    ["totalExecutionTimeInMs", time(work.compileMs + work.totalMs)],
    ["queryCompileTimeInMs", time(work.compileMs)],
    // Compiling is measured as a whole, and so is everything that evaluates.
    ["queryLogicalPlanBuildTimeInMs", time(0)],
    ["queryPhysicalPlanBuildTimeInMs", time(0)],
    ["queryOptimizationTimeInMs", time(0)],
    ["VMExecutionTimeInMs", time(Math.max(work.totalMs, work.indexMs + work.loadMs))],
    ["indexLookupTimeInMs", time(work.indexMs)],
    ["documentLoadTimeInMs", time(work.loadMs)],
    ["systemFunctionExecuteTimeInMs", time(0)],
    ["userFunctionExecuteTimeInMs", time(work.functionMs)],
    ["retrievedDocumentCount", String(work.itemCount)],
    ["retrievedDocumentSize", String(work.itemBytes)],
    ["outputDocumentCount", String(work.rowCount)],
    ["outputDocumentSize", String(work.rowBytes)],
    ["writeOutputTimeInMs", time(0)],
    ["indexUtilizationRatio", hitRatio(work).toFixed(2)],
  ];
  return metrics.map(([name, value]) => `${name}=${value}`).join(";");
}

/** The share of the items that were read which the filter let through. */
function hitRatio({ itemCount, missCount }: MeasuredWork): number {
  return itemCount === 0 ? 1 : Math.max(0, 1 - missCount / itemCount);
}

function time(ms: number): string {
  return ms.toFixed(2);
}
