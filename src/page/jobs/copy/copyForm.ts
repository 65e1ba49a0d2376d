/**
 * What the form that starts a copy asks for, as text in the address, and the question to the server
 * that follows from it; or what is wrong with it, and what to do.
 */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { JsonObject } from "../../../json/value.ts";
import { parseKeyLevels, printKeyExpression } from "../../../keys/expressionText.ts";
import type { CopyQuestion, CopyThroughput, NamedContainer } from "../../../model/copyJob.ts";

export interface CopyForm {
  /** `shop/orders` */
  readonly source: string;
  readonly target: string;
  /** Levels, separated by commas; empty: the key stays. */
  readonly key: string;
  /** Where levels that are made up are written, separated by commas. */
  readonly property: string;
  readonly mode: "online" | "offline";
  readonly switchBy: "names" | "application";
  /** What becomes of items that cannot be copied. */
  readonly setback: "stop" | "setAside";
  /** A number, in percent. */
  readonly share: string;
  /** The throughput of the copy; empty: as the source has it. */
  readonly rateKind: "" | "manual" | "autoscale";
  /** RU/s, if there is a kind. */
  readonly rate: string;
  /** The indexing policy of the copy as JSON; empty: that of the source. */
  readonly policy: string;
}

export const USUAL_FORM: CopyForm = {
  source: "",
  target: "",
  key: "",
  property: "",
  mode: "online",
  switchBy: "names",
  setback: "stop",
  share: "20",
  rateKind: "",
  rate: "",
  policy: "",
};

const NAME_MAX = 100;

/** The form with one field typed. A target that nobody chose goes on following source and key. */
export function withField(form: CopyForm, name: keyof CopyForm, value: string): CopyForm {
  const next = { ...form, [name]: value };
  const isFollowing = name !== "target" && form.target === proposedTarget(form);
  return isFollowing ? { ...next, target: proposedTarget(next) } : next;
}

/** Beside the source, with a name that says the new key. */
function proposedTarget({ source, key }: CopyForm): string {
  const named = namedIn(source);
  if (named === undefined) return "";
  const words = key.match(/[A-Za-z0-9]+/g) ?? [];
  const name = [named.container, ...(words.length === 0 ? ["copy"] : ["by", ...words])].join("-");
  return `${named.database}/${name.slice(0, NAME_MAX)}`;
}

interface FormProblem {
  readonly field: keyof CopyForm;
  readonly message: string;
}

export function questionOf(form: CopyForm): Result<CopyQuestion, FormProblem> {
  const source = namedIn(form.source);
  if (source === undefined) return wrong("source", "Choose the container that is to be copied.");
  const target = namedIn(form.target);
  if (target === undefined) {
    return wrong("target", "Write database/container, such as shop/orders2.");
  }
  if (form.source.trim() === form.target.trim()) {
    return wrong("target", "The copy needs another name than its source.");
  }
  const levels = levelsIn(form.key);
  if (!levels.ok) return wrong("key", levels.error);
  const properties = partsOf(form.property);
  const madeUpCount = levels.value.filter((level) => !level.isPath).length;
  if (madeUpCount !== properties.length) {
    return wrong(
      "property",
      madeUpCount === 0
        ? "No level of the key is made up, so there is nothing to write. Leave this empty."
        : `Name a path for each level that is made up: ${madeUpCount}.`,
    );
  }
  const sharePercent = Number(form.share);
  if (form.share.trim() === "" || !(sharePercent > 0 && sharePercent <= 100)) {
    return wrong("share", "Write a number of percent: more than 0, at most 100.");
  }
  const throughput = throughputIn(form);
  if (!throughput.ok) return wrong("rate", throughput.error);
  const policy = policyIn(form.policy);
  if (!policy.ok) return wrong("policy", policy.error);
  return ok({
    source,
    target,
    ...(levels.value.length > 0 && { key: levels.value.map(({ text }) => text) }),
    ...(properties.length > 0 && { keyProperties: properties }),
    ...(policy.value !== undefined && { definition: { indexingPolicy: policy.value } }),
    ...(throughput.value !== undefined && { throughput: throughput.value }),
    mode: form.mode,
    ...(form.mode === "online" && { switchBy: form.switchBy }),
    ...(form.setback === "setAside" && {
      onClash: "setAside" as const,
      onMissingKey: "setAside" as const,
      onRefused: "setAside" as const,
    }),
    sharePercent,
  });
}

/** The server knows the least and the steps; here it only has to be a rate. */
function throughputIn({ rateKind, rate }: CopyForm): Result<CopyThroughput | undefined, string> {
  if (rateKind === "") return ok(undefined);
  const ratePerSecond = Number(rate);
  return rate.trim() !== "" && Number.isInteger(ratePerSecond) && ratePerSecond > 0
    ? ok({ kind: rateKind, ratePerSecond })
    : no("Write a whole number of RU/s.");
}

function policyIn(text: string): Result<JsonObject | undefined, string> {
  if (text.trim() === "") return ok(undefined);
  try {
    const policy: unknown = JSON.parse(text);
    if (typeof policy === "object" && policy !== null && !Array.isArray(policy)) {
      return ok(policy as JsonObject);
    }
    return no("An indexing policy is a JSON object.");
  } catch (error) {
    return no(`This is not JSON: ${(error as Error).message}`);
  }
}

function wrong(field: keyof CopyForm, message: string): Result<never, FormProblem> {
  return no({ field, message });
}

function namedIn(text: string): NamedContainer | undefined {
  const [database = "", container = "", ...rest] = text.trim().split("/");
  return database === "" || container === "" || rest.length > 0
    ? undefined
    : { database, container };
}

interface Level {
  readonly text: string;
  /** False for a level that is made up of others, and has to be written somewhere. */
  readonly isPath: boolean;
}

/** None for an empty text. */
function levelsIn(text: string): Result<readonly Level[], string> {
  if (text.trim() === "") return ok([]);
  const levels = parseKeyLevels(`[${text}]`);
  if (!levels.ok) {
    const { message, at } = levels.error;
    // The bracket that was put in front is not counted.
    const said = message.replace("] is expected after", "an end or a comma is expected after");
    return no(`At character ${Math.max(0, at - 1) + 1}: ${said}.`);
  }
  return ok(
    levels.value.map((level) => ({
      text: printKeyExpression(level),
      isPath: level.kind === "path",
    })),
  );
}

/** True when a key has a level that has to be written somewhere. */
export function isMadeUp(key: string): boolean {
  const levels = levelsIn(key);
  return levels.ok && levels.value.some(({ isPath }) => !isPath);
}

function partsOf(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Whether a dry run was of the same question, whatever defaults the server filled in. */
export function isPlanOf(asked: CopyQuestion, question: CopyQuestion): boolean {
  const setbacks = ["onClash", "onMissingKey", "onRefused"] as const;
  return (
    (["source", "target", "key", "keyProperties", "mode", "sharePercent"] as const).every(
      (name) => JSON.stringify(asked[name]) === JSON.stringify(question[name]),
    ) &&
    (question.switchBy === undefined || asked.switchBy === question.switchBy) &&
    setbacks.every((name) => (asked[name] ?? "stop") === (question[name] ?? "stop"))
  );
}
