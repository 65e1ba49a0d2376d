/**
 * A transaction on lists as a stored procedure: the same steps as a batch, one after the other, all
 * of them or none. A step that is refused makes the script throw, and its message says which.
 */
import type { Container } from "@azure/cosmos";
import type { Step, StepResult } from "./target.ts";

export const PROCEDURE_ID = "steps";

/** Runs on the server. */
export const PROCEDURE = `function (steps) {
  const items = getContext().getCollection();
  const results = [];
  next();

  function next() {
    const step = steps[results.length];
    if (step === undefined) return getContext().getResponse().setBody(results);
    const link = items.getAltLink() + "/docs/" + step.id;
    const options = step.ifMatch === undefined ? {} : { etag: step.ifMatch };
    const done = (success) => (error, item) => {
      if (error) throw new Error("REFUSED " + JSON.stringify([results.length, error.number]));
      const etag = item && item._etag;
      results.push({ status: success, etag, values: item && item.list });
      next();
    };
    const self = items.getSelfLink();
    const wanted = [{ op: "add", path: "/list/-", value: step.value }];
    const isAccepted =
      step.kind === "read" ? items.readDocument(link, options, done(200))
      : step.kind === "delete" ? items.deleteDocument(link, options, done(204))
      : step.kind === "push" ? items.patchDocument(link, wanted, options, done(200))
      : step.kind === "create" ? items.createDocument(self, step.body, options, done(201))
      : step.kind === "upsert" ? items.readDocument(link, (missing) => {
          items.upsertDocument(self, step.body, options, done(missing ? 201 : 200));
        })
      : items.replaceDocument(link, step.body, options, done(200));
    if (!isAccepted) throw new Error("not accepted");
  }
}`;

const TRIES_MAX = 50;

export async function sendProcedure(
  container: Container,
  pk: string,
  steps: readonly Step[],
): Promise<readonly StepResult[]> {
  const procedure = container.scripts.storedProcedure(PROCEDURE_ID);
  const sent = steps.map((step) =>
    "values" in step ? { ...step, body: { id: step.id, pk, list: step.values } } : step,
  );
  for (let tries = 1; ; tries++) {
    try {
      return (await procedure.execute<readonly StepResult[]>(pk, [sent])).resource!;
    } catch (error) {
      const { code, message } = error as { readonly code?: unknown; readonly message: string };
      const [, refused] = /REFUSED (\[[^\]]*\])/.exec(message) ?? [];
      if (code === 400 && refused !== undefined)
        return refusedAt(steps.length, JSON.parse(refused));
      // Others changed what it had read, or it took too long: nothing was done.
      if ((code !== 429 && code !== 408) || tries === TRIES_MAX) throw error;
    }
  }
}

function refusedAt(count: number, [failed, status]: [number, number]): readonly StepResult[] {
  return Array.from({ length: count }, (_, at) => ({ status: at === failed ? status : 424 }));
}
