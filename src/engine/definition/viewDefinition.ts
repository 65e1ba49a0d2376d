/**
 * The definition of a materialised view: a container that the server fills from another one, which
 * is its source. Clients know it by two names, of which they may send either or both.
 *
 * A view has one row for each item of its source, with all of its properties or some of them. So
 * the query that defines it can only say which: a clause that would leave items out, or make up
 * values, is refused with the reason.
 *
 * The source and the query are fixed when the container is created. A replacement may repeat them
 * or leave them out.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { SYSTEM_PROPERTIES, TIME_STAMP } from "../../base/systemProperties.ts";
import { member, objectOf, optional, refuse, textOf } from "../../json/reading.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { parseKeyPath } from "../../partition/partitionKeyOf.ts";
import type { Expression, Query } from "../../query/language/ast.ts";
import { parseQuery } from "../../query/language/parser.ts";

export type ViewDefinition = {
  /** The name of the source, in the same database. */
  readonly sourceCollectionId: string;
  /** The catalogue fills it in when the view is created. */
  readonly sourceCollectionRid?: string;
  /** The query that says which properties the rows have. */
  readonly definition: string;
};

/** Which properties of an item its row has; "all" of them, or those with these names. */
export type ViewSelection = "all" | ReadonlySet<string>;

/** The property in which a row has the id of its item; its own id is made up. */
export const SOURCE_ID = "_id";

/** The names under which clients send and read the definition; the older one first. */
const MEMBER_NAMES = ["materializedViewDefinition", "globalSecondaryIndexDefinition"] as const;

/** `read` gives the members of the container's body. */
export function readViewDefinition(
  read: (name: string) => JsonValue | undefined,
  previous: ViewDefinition | undefined,
  isReplacement: boolean,
): ViewDefinition | undefined {
  const [first, second] = MEMBER_NAMES.map((name) => readUnder(name, read(name)));
  if (first !== undefined && second !== undefined && !agree(first, second)) {
    refuse(`The members '${MEMBER_NAMES.join("' and '")}' do not say the same.`);
  }
  const sent = first && second ? { ...second, ...first } : (first ?? second);
  if (!isReplacement) return sent;
  if (sent === undefined) return previous;
  if (previous === undefined) {
    return refuse("A container that clients fill cannot become a view. Create a new one.");
  }
  return agree(sent, previous)
    ? previous
    : refuse("The source and the definition of a view cannot be changed.");
}

/** The definition as clients see it, under both names. */
export function viewMembers(view: ViewDefinition | undefined, status?: string): JsonObject {
  if (view === undefined) return {};
  const body = { ...view, ...optional("status", status) };
  return Object.fromEntries(MEMBER_NAMES.map((name) => [name, body]));
}

function readUnder(name: string, value: JsonValue | undefined): ViewDefinition | undefined {
  if (value === undefined) return undefined;
  const body = objectOf(value, `The member '${name}'`);
  const text = (inner: string): string => textOf(member(body, inner), `'${inner}' in '${name}'`);
  const sourceCollectionId = text("sourceCollectionId");
  const definition = text("definition");
  const selection = selectionOf(definition);
  if (!selection.ok) refuse(`The definition of the view '${definition}' ${selection.error}`);
  const hasRid = member(body, "sourceCollectionRid") !== undefined;
  return {
    sourceCollectionId,
    ...optional("sourceCollectionRid", hasRid ? text("sourceCollectionRid") : undefined),
    definition,
  };
}

function agree(one: ViewDefinition, other: ViewDefinition): boolean {
  const rids = [one.sourceCollectionRid, other.sourceCollectionRid];
  return (
    one.sourceCollectionId === other.sourceCollectionId &&
    one.definition === other.definition &&
    (rids.includes(undefined) || rids[0] === rids[1])
  );
}

/** What the query selects, or the rest of a sentence that says why it cannot define a view. */
export function selectionOf(definition: string): Result<ViewSelection, string> {
  const parsed = parseQuery(definition);
  if (!parsed.ok) {
    const { error } = parsed;
    const message = error.kind === "refused" ? error.message : error.diagnostics[0]!.message;
    return no(`is not a query: ${message}`);
  }
  const clause = otherClauseOf(parsed.value);
  if (clause !== undefined) return no(`must not have ${clause}: a view has a row for each item.`);
  const name = itemNameOf(parsed.value);
  if (name === undefined) return no("must be over the items alone: FROM and a name.");
  const { selection } = parsed.value.select;
  if (selection.kind === "star") return ok("all");
  if (selection.kind === "value") return no("must not have VALUE: a row of a view is an object.");
  const names = new Set<string>();
  for (const { expression, alias } of selection.items) {
    if (alias !== undefined) return no("must not have AS: properties keep their names.");
    const selected = propertyOf(expression, name);
    if (!selected.ok) return selected;
    if (names.has(selected.value)) return no(`selects '${selected.value}' twice.`);
    names.add(selected.value);
  }
  return ok(names);
}

/** The clause that says more than which properties there are. */
function otherClauseOf({
  select,
  from,
  where,
  groupBy,
  orderBy,
  offsetLimit,
}: Query): string | undefined {
  if (select.isDistinct) return "DISTINCT";
  if (select.top !== undefined) return "TOP";
  if (from?.kind === "join") return "JOIN";
  if (where !== undefined) return "WHERE";
  if (groupBy !== undefined) return "GROUP BY";
  if (orderBy !== undefined) return "ORDER BY";
  return offsetLimit === undefined ? undefined : "OFFSET and LIMIT";
}

/** What the query calls an item. */
function itemNameOf({ from }: Query): string | undefined {
  if (from?.kind !== "collection" || from.collection.kind !== "path") return undefined;
  const { root, steps } = from.collection;
  return steps.length === 0 ? (from.alias ?? root) : undefined;
}

function propertyOf(expression: Expression, itemName: string): Result<string, string> {
  const name = nameOf(expression);
  if (name === undefined || !("object" in expression)) return no(whyNoProperty(expression));
  const { object } = expression;
  if (object.kind !== "identifier") {
    return no("must select properties of the item itself, and not what is inside of them.");
  }
  if (object.name !== itemName) return no(`names '${object.name}', which FROM does not.`);
  if (SYSTEM_PROPERTIES.has(name) && !KEPT_PROPERTIES.has(name)) {
    return no(`must not select '${name}': rows have one of their own.`);
  }
  return ok(name);
}

/** System properties that a row has from its item, selected or not. */
const KEPT_PROPERTIES: ReadonlySet<string> = new Set(["_etag", TIME_STAMP]);

/** The name at the end of `c.name` or `c["name"]`. */
function nameOf(expression: Expression): string | undefined {
  if (expression.kind === "member") return expression.name;
  if (expression.kind !== "index") return undefined;
  return expression.index.kind === "string" ? expression.index.value : undefined;
}

function whyNoProperty({ kind }: Expression): string {
  if (kind === "call") return "must not call functions.";
  if (kind === "subquery") return "must not have subqueries or EXISTS.";
  return "must select nothing but properties of the item, such as c.name.";
}

/** The first path whose property rows do not have; `undefined` if they have all. */
export function unselectedPath(
  selection: ViewSelection,
  paths: readonly string[],
): string | undefined {
  if (selection === "all") return undefined;
  return paths.find((path) => {
    const [name = ""] = parseKeyPath(path) ?? [];
    return name !== "id" && name !== SOURCE_ID && !selection.has(name);
  });
}
