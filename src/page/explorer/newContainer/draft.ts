/** What has been filled in of a new container so far, as typed, and what is still missing. */
import { no, ok, type Result } from "../../../base/result.ts";
import type { AskedThroughput } from "../data/dataPlane.ts";
import {
  DAY_SECONDS_TEXT,
  type Definition,
  type DefinitionDraft,
  ttlMember,
} from "../settings/definitionDraft.ts";

export interface ContainerDraft extends Pick<DefinitionDraft, "ttl" | "seconds"> {
  readonly database: string;
  readonly container: string;
  readonly key: string;
  readonly kind: AskedThroughput["kind"];
  readonly rate: string;
  /** One a line, each of one path or of several with commas between them. */
  readonly uniqueKeys: string;
  /** Items to try the key on. */
  readonly text: string;
}

/** The least rate that the service takes, in RU/s. */
const RATE_MIN: Readonly<Record<AskedThroughput["kind"], number>> = {
  manual: 400,
  autoscale: 1000,
};

export function firstDraft(database: string): ContainerDraft {
  return {
    database,
    container: "",
    key: "",
    kind: "manual",
    rate: String(RATE_MIN.manual),
    ttl: "off",
    seconds: DAY_SECONDS_TEXT,
    uniqueKeys: "",
    text: "",
  };
}

export function rateMinOf(kind: AskedThroughput["kind"]): number {
  return RATE_MIN[kind];
}

export function whyNotCreated(draft: ContainerDraft): string | undefined {
  const { database, container, key, kind, rate } = draft;
  if (database.trim() === "") return "Name a database.";
  if (container.trim() === "") return "Name the container.";
  if (key.trim() === "") return "Type a partition key.";
  const rateMin = rateMinOf(kind);
  if (!(Number(rate) >= rateMin)) return `At least ${rateMin} RU/s.`;
  const others = otherMembers(draft);
  return others.ok ? undefined : others.error;
}

/** What the definition has besides id and key, or what is wrong with what was typed. */
export function otherMembers(draft: ContainerDraft): Result<Definition, string> {
  const ttl = ttlMember(draft);
  if (!ttl.ok) return ttl;
  const uniqueKeys = uniqueKeysIn(draft.uniqueKeys);
  if (!uniqueKeys.ok) return uniqueKeys;
  const hasKeys = uniqueKeys.value.length > 0;
  return ok({
    ...ttl.value,
    ...(hasKeys && { uniqueKeyPolicy: { uniqueKeys: uniqueKeys.value } }),
  });
}

interface UniqueKey {
  readonly paths: readonly string[];
}

/** The server knows how many there may be, and of how many paths. */
function uniqueKeysIn(text: string): Result<readonly UniqueKey[], string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const keys = lines.map((line) => ({ paths: line.split(",").map((path) => path.trim()) }));
  const wrong = keys.flatMap(({ paths }) => paths).find((path) => !/^\/./.test(path));
  return wrong === undefined
    ? ok(keys)
    : no(`A unique key is made of paths such as /email; "${wrong}" is none.`);
}
