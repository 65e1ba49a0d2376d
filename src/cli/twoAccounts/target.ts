/** The two containers of a copy: what the source is, and the target, made if it is not there. */
import type { Container } from "@azure/cosmos";
import { canonicalText } from "../../json/canonical.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import { pathText } from "../../keys/paths.ts";
import type { CopyThroughput } from "../../model/copyJob.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { ContainerName } from "../connect/serverOptions.ts";
import { parseDefinition } from "../import/placement.ts";
import { CommandFailure } from "../terminal/failure.ts";
import type { CopyAccount } from "./account.ts";
import type { MadeUpLevel } from "./mapping.ts";
import type { TwoAccounts } from "./options.ts";

export interface EndContainer {
  readonly container: Container;
  readonly rid: string;
  readonly body: JsonObject;
  readonly key: PartitionKeyDefinition;
  /** Seconds; undefined when nothing expires. */
  readonly defaultTtl: number | undefined;
}

/** Undefined when there is none. */
export async function endOf(
  account: CopyAccount,
  name: ContainerName,
): Promise<EndContainer | undefined> {
  const container = account.container(name);
  let body: JsonObject;
  try {
    body = (await container.read()).resource as unknown as JsonObject;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 404) return undefined;
    throw account.failureOf(error);
  }
  const key = parseDefinition(body);
  if (!key.ok) {
    throw new CommandFailure(`What ${account.origin} says of its container: ${key.error}.`);
  }
  const ttl = property(body, "defaultTtl");
  return {
    container,
    rid: String(property(body, "_rid")),
    body,
    key: key.value,
    defaultTtl: typeof ttl === "number" ? ttl : undefined,
  };
}

/** The key that the target has to have, and what of it is written into the copies. */
export function keyPlan(
  { levels, question }: TwoAccounts,
  source: PartitionKeyDefinition,
): { readonly key: PartitionKeyDefinition; readonly madeUp: readonly MadeUpLevel[] } {
  if (levels === undefined) return { key: source, madeUp: [] };
  const named = question.keyProperties;
  const count = levels.filter(({ kind }) => kind !== "path").length;
  const madeUp: MadeUpLevel[] = [];
  const paths = levels.map((level) => {
    if (level.kind === "path") return pathText(level);
    const number = madeUp.length;
    const path = named?.[number] ?? (count === 1 ? "/partitionKey" : `/partitionKey${number + 1}`);
    const steps = parseKeyPath(path)!;
    if (source.paths.some((other) => parseKeyPath(other)?.join("/") === steps.join("/"))) {
      throw new CommandFailure(
        `${path} holds the key of the source, by which copies are known again. Name another ` +
          "property with --key-property.",
      );
    }
    madeUp.push({ expression: level, steps, isNamed: named !== undefined });
    return path;
  });
  const kind = paths.length === 1 ? "Hash" : "MultiHash";
  return { key: { paths, kind, version: 2 }, madeUp };
}

/** Members of a container's body that are about this one and no other. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(["id", "partitionKey", "statistics"]);

export async function makeTarget(
  account: CopyAccount,
  two: TwoAccounts,
  source: EndContainer,
  key: PartitionKeyDefinition,
): Promise<EndContainer> {
  const { target, definition, throughput } = two.question;
  const members = Object.entries({ ...source.body, ...definition }).filter(
    ([name, value]) => !OWN_MEMBERS.has(name) && !name.startsWith("_") && value !== null,
  );
  const { systemKey: _systemKey, ...partitionKey } = key;
  const body = { ...Object.fromEntries(members), id: target.container, partitionKey };
  const rate = throughput ?? (await rateOf(source.container));
  try {
    const { database } = await account.client.databases.createIfNotExists({ id: target.database });
    await database.containers.create({ ...body, ...rateMembers(rate) } as never);
  } catch (error) {
    throw account.failureOf(error);
  }
  const made = await endOf(account, target);
  if (made !== undefined) return made;
  throw new CommandFailure(`The container is not there although ${account.origin} has made it.`);
}

/** As the source has it; undefined for one that shares a rate or has none. */
async function rateOf(source: Container): Promise<CopyThroughput | undefined> {
  const { resource } = await source.readOffer().catch(() => ({ resource: undefined }));
  const content = resource?.content as JsonValue | undefined;
  if (content === undefined || !isObject(content)) return undefined;
  const scale = property(content, "offerAutopilotSettings");
  const ceiling = isObject(scale ?? null) ? property(scale as JsonObject, "maxThroughput") : null;
  if (typeof ceiling === "number") return { kind: "autoscale", ratePerSecond: ceiling };
  const rate = property(content, "offerThroughput");
  return typeof rate === "number" ? { kind: "manual", ratePerSecond: rate } : undefined;
}

function rateMembers(rate: CopyThroughput | undefined): object {
  if (rate === undefined || rate.kind === "shared") return {};
  return rate.kind === "manual"
    ? { throughput: rate.ratePerSecond }
    : { maxThroughput: rate.ratePerSecond };
}

/** A target that is there already is taken as it is, and has to fit. */
export function checkTarget(
  two: TwoAccounts,
  target: EndContainer,
  key: PartitionKeyDefinition,
): void {
  const { definition, throughput } = two.question;
  const [wanted, there] = [key, target.key].map(({ paths }) => paths.join(","));
  if (wanted !== there) {
    throw new CommandFailure(
      `The target is there already, with the partition key ${there}, not ${wanted}. Name ` +
        "another one.",
    );
  }
  if (definition === undefined && throughput === undefined) return;
  throw new CommandFailure(
    "The target is there already; --index-policy, --default-ttl, --throughput, --autoscale and " +
      "--shared are for one that is made. Leave them out, or name another target.",
  );
}

/** One container under two addresses. Rids alone do not tell: other accounts may have the same. */
export function isSameContainer(a: EndContainer, b: EndContainer): boolean {
  return canonicalText(a.body) === canonicalText(b.body);
}
