/**
 * Procedures, triggers and functions of a container go with its name: the copy has the same ones
 * before it takes over. Those that were put there meanwhile are written over.
 */
import type { Result } from "../../base/result.ts";
import { ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Container } from "../partition/container.ts";

const SCRIPT_KINDS = ["storedProcedure", "trigger", "userDefinedFunction"] as const;

export async function copyScripts(
  { resources }: Pick<Catalog, "resources">,
  source: Container,
  target: Container,
): Promise<Result<void, Refusal>> {
  for (const kind of SCRIPT_KINDS) {
    for (const { record } of resources.list(source.rid, kind)) {
      const { id, content } = record;
      const written = await resources.upsert(target, kind, { id, content });
      if (!written.ok) return written;
    }
  }
  return ok(undefined);
}
