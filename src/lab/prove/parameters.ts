/**
 * Values for the parameters of a query: those that an item has, and times before now.
 *
 * What a parameter stands for is told by what it is compared with, wherever in the text that is.
 */
import { DAY_MS } from "../../base/units.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { pathText } from "../../keys/paths.ts";
import type { Expression } from "../../query/language/ast.ts";
import { parseQuery } from "../../query/language/parser.ts";
import { walkExpressions } from "../../query/language/visitor.ts";
import { timeText } from "../candidate/itemOf.ts";
import type { DataFacts } from "../data/facts.ts";
import type { OperationModel } from "../simulate/operationModel.ts";
import { valueIn } from "../workload/pathField.ts";

export interface QueryParameter {
  readonly name: string;
  readonly value: JsonValue;
  /** The path that it is one of the values of, where it is compared for equality. */
  readonly path: string | undefined;
}

/** What a parameter is for. */
interface Role {
  readonly kind: "equal" | "list" | "lower" | "upper";
  readonly path: string;
}

interface Surroundings {
  /** The value of the next item that is asked for. */
  next(path: string): JsonValue | undefined;
  readonly subject: JsonObject;
  readonly nowMillis: number;
}

/** Makes values for one operation; the subject is the item that is asked for. */
export class TraceParameters {
  readonly #model: OperationModel;
  readonly #facts: DataFacts;
  readonly #names: readonly string[];
  readonly #roles: ReadonlyMap<string, Role>;

  constructor(model: OperationModel, facts: DataFacts) {
    this.#model = model;
    this.#facts = facts;
    const { names, roles } = rolesIn(model.operation.sql ?? "");
    this.#names = names;
    this.#roles = roles;
  }

  /** `subjectAt` gives the subject, and for lists others like it. */
  of(subjectAt: (index: number) => JsonObject, nowMillis: number): readonly QueryParameter[] {
    let subjects = 0;
    const next = (path: string): JsonValue | undefined => valueIn(subjectAt(subjects++), path);
    return this.#names.map((name) => {
      const role = this.#roles.get(name);
      const isOfPath = role?.kind === "equal" || role?.kind === "list";
      return {
        name,
        value: this.#valueOf(name, role, { next, nowMillis, subject: subjectAt(0) }),
        path: isOfPath ? role.path : undefined,
      };
    });
  }

  #valueOf(
    name: string,
    role: Role | undefined,
    { next, nowMillis, subject }: Surroundings,
  ): JsonValue {
    const { agoDays, values } = this.#model.operation.parameters.get(name) ?? {};
    if (agoDays !== undefined) return this.#timeAt(role?.path, nowMillis - agoDays * DAY_MS);
    if (role?.kind === "list") {
      const count = Math.max(1, values?.length ?? 1);
      const found = Array.from({ length: count }, () => next(role.path));
      return found.filter((value) => value !== undefined);
    }
    const found =
      role === undefined
        ? undefined
        : role.kind === "equal"
          ? next(role.path)
          : this.#boundOf(role, subject, nowMillis);
    return found === undefined ? (values?.[0] ?? "value") : found;
  }

  /** An end of a range that nobody has described. */
  #boundOf({ kind, path }: Role, subject: JsonObject, nowMillis: number): JsonValue | undefined {
    if (this.#facts.properties.get(path)?.time === undefined) return valueIn(subject, path);
    const span = kind === "lower" ? (this.#model.spanDays ?? 0) : 0;
    return this.#timeAt(path, nowMillis - span * DAY_MS);
  }

  /** In the form that items have it. */
  #timeAt(path: string | undefined, millis: number): JsonValue {
    const form = path === undefined ? undefined : valueIn(this.#facts.example, path);
    if (typeof form === "number") return Math.floor(form < 1e11 ? millis / 1000 : millis);
    const resolution = path === undefined ? undefined : this.#facts.properties.get(path)?.time;
    return timeText(resolution ?? "second", millis);
  }
}

function rolesIn(sql: string): {
  readonly names: readonly string[];
  readonly roles: ReadonlyMap<string, Role>;
} {
  const parsed = parseQuery(sql);
  const names = new Set<string>(sql.match(/@[A-Za-z_]\w*/g) ?? []);
  const roles = new Map<string, Role>();
  const note = (place: Expression, other: Expression, kind: Role["kind"]): void => {
    const path = pathIn(place);
    if (path === undefined || other.kind !== "parameter" || roles.has(other.name)) return;
    roles.set(other.name, { kind, path });
  };
  if (!parsed.ok) return { names: [...names], roles };
  walkExpressions(parsed.value, (part) => {
    if (part.kind === "binary") {
      const [toRight, toLeft] = KINDS.get(part.operator) ?? [];
      if (toRight !== undefined) note(part.left, part.right, toRight);
      if (toLeft !== undefined) note(part.right, part.left, toLeft);
    } else if (part.kind === "between") {
      note(part.operand, part.low, "lower");
      note(part.operand, part.high, "upper");
    } else if (part.kind === "in") {
      for (const element of part.list) note(part.needle, element, "equal");
    } else if (part.kind === "call" && part.args.length >= 2) {
      const isList = part.name.toUpperCase() === "ARRAY_CONTAINS";
      if (isList) note(part.args[1]!, part.args[0]!, "list");
      else note(part.args[0]!, part.args[1]!, "equal");
    }
  });
  return { names: [...names], roles };
}

/** By operator: what the right side is to the left one, and the other way round. */
const KINDS: ReadonlyMap<string, readonly [Role["kind"], Role["kind"]]> = new Map([
  ["=", ["equal", "equal"]],
  ["!=", ["equal", "equal"]],
  [">", ["lower", "upper"]],
  [">=", ["lower", "upper"]],
  ["<", ["upper", "lower"]],
  ["<=", ["upper", "lower"]],
]);

/** The path below the container's alias, whatever it is called. */
function pathIn(expression: Expression): string | undefined {
  const steps: string[] = [];
  let part = expression;
  while (part.kind === "member") {
    steps.unshift(part.name);
    part = part.object;
  }
  return part.kind === "identifier" && steps.length > 0
    ? pathText({ kind: "path", steps })
    : undefined;
}
