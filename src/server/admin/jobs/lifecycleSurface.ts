/** Lifecycles as the admin API asks for them, by their ids. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { LifecycleRequest } from "../../../engine/lifecycle/lifecycleRequest.ts";
import { LifecycleRun } from "../../../engine/lifecycle/lifecycleRun.ts";
import type { Lifecycles } from "../../../engine/lifecycle/lifecycles.ts";
import type {
  LifecycleEntry,
  LifecyclePlan,
  LifecycleSettings,
  LifecycleStep,
  UnmovedItem,
} from "../../../model/lifecycle.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { StoreFault } from "../../../store/partitionStore.ts";

type Answer<T> = Promise<Result<T, Refusal>>;

/** A refusal `notFound` means that there is no such lifecycle. */
export interface LifecycleSurface {
  /** Those at work first. */
  entries(): Promise<readonly LifecycleEntry[]>;
  has(id: string): boolean;
  entry(id: string): Answer<LifecycleEntry>;
  plan(request: LifecycleRequest): Answer<LifecyclePlan>;
  start(request: LifecycleRequest): Answer<LifecycleEntry>;
  step(id: string, step: LifecycleStep, change: Partial<LifecycleSettings>): Answer<LifecycleEntry>;
  setAside(id: string): Answer<readonly UnmovedItem[]>;
}

export function lifecycleSurface(lifecycles: Lifecycles): LifecycleSurface {
  const entry = async (id: string): Answer<LifecycleEntry> => {
    const lifecycle = lifecycles.find(id);
    if (lifecycle === undefined) return no({ kind: "notFound" });
    return ok(await lifecycles.entryOf(lifecycle));
  };
  return {
    entries: () => lifecycles.entries(),
    has: (id) => lifecycles.find(id) !== undefined,
    entry,
    plan: (request) => lifecycles.plan(request),
    start: async (request) => {
      const run = await lifecycles.start(request);
      return run.ok ? ok(await lifecycles.entryOf(run.value)) : run;
    },
    step: async (id, step, change) => {
      const lifecycle = lifecycles.find(id);
      if (lifecycle === undefined) return no({ kind: "notFound" });
      if (!(lifecycle instanceof LifecycleRun)) return no(ENDED);
      const done = await unlessFault(() => lifecycles.command(lifecycle, step, change));
      return done.ok ? entry(id) : done;
    },
    setAside: async (id) => {
      const lifecycle = lifecycles.find(id);
      if (lifecycle === undefined) return no({ kind: "notFound" });
      return lifecycle instanceof LifecycleRun
        ? ok(await lifecycles.unmovedOf(lifecycle))
        : no(ENDED);
    },
  };
}

async function unlessFault<T>(act: () => Answer<T>): Answer<T> {
  try {
    return await act();
  } catch (fault) {
    if (!(fault instanceof StoreFault)) throw fault;
    return no({ kind: "unavailable", message: fault.message });
  }
}

const ENDED: Refusal = { kind: "badRequest", message: "The lifecycle has ended." };
