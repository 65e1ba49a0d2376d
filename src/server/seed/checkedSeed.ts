/**
 * Checks a seed as far as that can be done before anything is made: names, policies, rates,
 * scripts, and every item; for what a client's request is checked for, by the same code.
 */
import { throughputProblem } from "../../engine/catalog/database.ts";
import type { ContainerDefinition } from "../../engine/definition/containerDefinition.ts";
import { parseContainerDefinition } from "../../engine/definition/containerDefinition.ts";
import { draftOfValue, parseItem } from "../../engine/item/itemBody.ts";
import { property } from "../../json/value.ts";
import { checkName } from "../../model/ids.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import type { RateRules, Throughput } from "../../model/throughput.ts";
import { rateProblem, SERVERLESS_PROBLEM } from "../../model/throughput.ts";
import { compileKeyPaths } from "../../partition/partitionKeyOf.ts";
import { refusalMessage } from "../../protocol/answer/refusal.ts";
import { parseResource } from "../../protocol/answer/resourceBodies.ts";
import type { SeedContainer, SeedScript, ServerSeed } from "../../seed/seed.ts";
import { BadOption } from "../surroundings/options.ts";
import { problemsOf } from "./loadSeeds.ts";
import { itemsOf } from "./seedItems.ts";

/** Throws a `BadOption` that has all problems of definitions, or the first one of items. */
export async function checkSeed(seed: ServerSeed, rules: RateRules): Promise<void> {
  const problems: string[] = [];
  const note = (place: string, problem: string | undefined): void => {
    if (problem !== undefined) problems.push(`${place}: ${problem}`);
  };
  const definitions = new Map<SeedContainer, ContainerDefinition>();
  for (const database of seed.databases) {
    note(database.place, checkName(database.id, rules.limits));
    note(database.place, rateProblemOf(database.throughput, rules));
    for (const container of database.containers) {
      note(container.place, rateProblemOf(container.throughput, rules));
      if (hasKey(container)) {
        const definition = definitionOf(container, rules);
        if (typeof definition === "string") note(container.place, definition);
        else {
          definitions.set(container, definition);
          const refusal = throughputProblem(definition, container.throughput?.kind);
          note(container.place, refusal && refusalMessage(refusal));
        }
      }
      for (const script of container.scripts) note(script.place, scriptProblem(script, rules));
    }
  }
  if (problems.length > 0) throw problemsOf(problems);
  for (const { containers } of seed.databases) {
    for (const container of containers) {
      await checkItems(container, definitions.get(container)?.partitionKey, rules);
    }
  }
}

export function hasKey({ body }: SeedContainer): boolean {
  return property(body, "partitionKey") !== undefined;
}

/** The definition of a container that the seed describes, or what is wrong with it. */
function definitionOf({ id, body }: SeedContainer, rules: RateRules): ContainerDefinition | string {
  const parsed = parseContainerDefinition({ ...body, id }, undefined, rules.limits);
  return parsed.ok ? parsed.value : parsed.error;
}

/** The body of a script as clients send it. */
export function scriptBody({ id, terms, code }: SeedScript): { [name: string]: string } {
  return { ...(terms as { [name: string]: string }), id, body: "text" in code ? code.text : "" };
}

function scriptProblem(script: SeedScript, { limits }: RateRules): string | undefined {
  const parsed = parseResource(script.kind, scriptBody(script), limits);
  return parsed.ok ? undefined : parsed.error;
}

function rateProblemOf(
  throughput: Throughput | undefined,
  { limits, rates }: RateRules,
): string | undefined {
  if (throughput === undefined) return undefined;
  return rates?.isServerless === true ? SERVERLESS_PROBLEM : rateProblem(throughput, limits);
}

async function checkItems(
  { items }: SeedContainer,
  key: PartitionKeyDefinition | undefined,
  { limits }: RateRules,
): Promise<void> {
  const readKey = key && compileKeyPaths(key);
  for await (const some of itemsOf(items)) {
    for (const { place, body } of some) {
      const draft = Buffer.isBuffer(body) ? parseItem(body, limits) : draftOfValue(body, limits);
      if (!draft.ok) throw new BadOption(`${place}: ${refusalMessage(draft.error)}`);
      const found = readKey?.(draft.value.object);
      if (found?.ok === false) throw new BadOption(`${place}: ${found.error}`);
    }
  }
}
