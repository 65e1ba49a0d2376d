/**
 * What is there as a seed, without the items: whoever makes it elsewhere has the same databases,
 * containers and scripts. Settings that are as nobody said anything are left out.
 */
import type { Account } from "../../engine/account.ts";
import {
  definitionBody,
  parseContainerDefinition,
} from "../../engine/definition/containerDefinition.ts";
import type { Container } from "../../engine/partition/container.ts";
import { canonicalText } from "../../json/canonical.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { property } from "../../json/value.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import type { ProvisionedThroughput } from "../../model/throughput.ts";
import { rateMaxOf } from "../../model/throughput.ts";
import { BODY_NAMES } from "../../seed/seedNames.ts";

interface WrittenSeed {
  readonly seed: { readonly databases: JsonObject };
  /** Sentences about what a seed cannot have. */
  readonly left: readonly string[];
}

export function writtenSeed(account: Account): WrittenSeed {
  const { catalog } = account;
  const left: string[] = [];
  const databases = catalog.databases().map((database) => {
    const containers = [...database.containers.values()].map(
      (container) => [container.definition.id, containerOf(account, container, left)] as const,
    );
    if (catalog.resources.count(database.rid, "user") > 0) {
      left.push(`The users of '${database.record.id}', and their permissions.`);
    }
    const written: JsonObject = {
      ...throughputOf(database.record.throughput),
      ...(containers.length > 0 && { containers: Object.fromEntries(containers) }),
    };
    return [database.record.id, written] as const;
  });
  return { seed: { databases: Object.fromEntries(databases) }, left };
}

function containerOf(account: Account, container: Container, left: string[]): JsonObject {
  const { definition, record } = container;
  const name = `${container.databaseId}/${definition.id}`;
  if (definition.clientEncryptionPolicy !== undefined) {
    left.push(`The client encryption policy of '${name}'.`);
  }
  if (record.throughput?.buckets !== undefined) left.push(`The throughput buckets of '${name}'.`);
  const { id, partitionKey } = definition;
  const whole = definitionBody(definition);
  const least = { id, partitionKey: property(whole, "partitionKey")! };
  const bare = parseContainerDefinition(least, undefined, account.limits);
  const defaults = bare.ok ? definitionBody(bare.value) : {};
  const members = BODY_NAMES.flatMap((member): [string, JsonValue][] => {
    const value = property(whole, member);
    const usual = property(defaults, member);
    if (value === undefined) return [];
    const isUsual = usual !== undefined && canonicalText(usual) === canonicalText(value);
    return isUsual ? [] : [[member, value]];
  });
  const { view } = definition;
  return {
    partitionKey: keyOf(partitionKey),
    ...throughputOf(record.throughput),
    ...Object.fromEntries(members),
    ...(view !== undefined && {
      materializedViewDefinition: {
        sourceCollectionId: view.sourceCollectionId,
        definition: view.definition,
      },
    }),
    ...scriptsOf(account, container),
  };
}

/** A path where the seed's default makes the same of it. */
function keyOf({ paths, kind, version, systemKey }: PartitionKeyDefinition): JsonValue {
  if (version !== 2 || systemKey === true) {
    return { paths, kind, version, ...(systemKey === true && { systemKey }) };
  }
  if (kind === "Hash") return paths[0]!;
  return paths.length > 1 ? paths : { paths, kind, version };
}

function throughputOf(own: ProvisionedThroughput | undefined): JsonObject {
  if (own === undefined) return {};
  const wanted = own.pending ?? own;
  const rate = rateMaxOf(wanted);
  return wanted.kind === "manual" ? { throughput: rate } : { autoscale: rate };
}

function scriptsOf({ catalog: { resources } }: Account, { rid }: Container): JsonObject {
  const text = (content: JsonObject, name: string): string => String(property(content, name));
  const code = (kind: "storedProcedure" | "userDefinedFunction"): [string, string][] =>
    resources.list(rid, kind).map(({ record: { id, content } }) => [id, text(content, "body")]);
  const triggers = resources.list(rid, "trigger").map(({ record: { id, content } }) => [
    id,
    {
      type: text(content, "triggerType"),
      operation: text(content, "triggerOperation"),
      body: text(content, "body"),
    },
  ]);
  return Object.fromEntries(
    [
      ["storedProcedures", code("storedProcedure")] as const,
      ["triggers", triggers as [string, JsonValue][]] as const,
      ["userDefinedFunctions", code("userDefinedFunction")] as const,
    ].flatMap(([name, entries]) =>
      entries.length === 0 ? [] : [[name, Object.fromEntries<JsonValue>(entries)]],
    ),
  );
}
