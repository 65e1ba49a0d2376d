/** What a view asks of its source, and a source of its views: all are of one database. */
import { assert } from "../../base/assert.ts";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Limits } from "../../model/limits.ts";
import type { ContainerDefinition } from "./containerDefinition.ts";
import type { ViewSelection } from "./viewDefinition.ts";
import { selectionOf, unselectedPath } from "./viewDefinition.ts";

/** A container beside the view. */
interface Sibling {
  readonly rid: string;
  readonly definition: ContainerDefinition;
}

/** The views of a container. */
export function viewsOf<S extends Sibling>(rid: string, siblings: Iterable<S>): readonly S[] {
  return [...siblings].filter(({ definition }) => definition.view?.sourceCollectionRid === rid);
}

/** The definition of a new container, bound to the source if it is a view; or why it cannot be. */
export function withSource(
  definition: ContainerDefinition,
  siblings: ReadonlyMap<string, Sibling>,
  limits: Limits,
): Result<ContainerDefinition, string> {
  const { view, id } = definition;
  if (view === undefined) return ok(definition);
  const { sourceCollectionId, sourceCollectionRid } = view;
  if (sourceCollectionId === id) return no("A container cannot be a view of itself.");
  const source = siblings.get(sourceCollectionId);
  if (source === undefined) {
    return no(`The source of the view, '${sourceCollectionId}', is not in the database.`);
  }
  if (sourceCollectionRid !== undefined && sourceCollectionRid !== source.rid) {
    return no(`The container '${sourceCollectionId}' does not have the rid of the view's source.`);
  }
  if (source.definition.view !== undefined) {
    return no(`The container '${sourceCollectionId}' is a view. A view of a view is not possible.`);
  }
  if (viewsOf(source.rid, siblings.values()).length >= limits.viewsMax) {
    return no(`The container '${sourceCollectionId}' has ${limits.viewsMax} views, and no more.`);
  }
  const problem = keyProblem(view.definition, source.definition, definition);
  if (problem !== undefined) return no(problem);
  return ok({ ...definition, view: { ...view, sourceCollectionRid: source.rid } });
}

/** Rows have the key of their item, and a key of their own. */
function keyProblem(
  query: string,
  { partitionKey: ofSource }: ContainerDefinition,
  { partitionKey: own }: ContainerDefinition,
): string | undefined {
  const selection = viewSelection(query);
  const missing = unselectedPath(selection, ofSource.paths);
  if (missing !== undefined) {
    return (
      `The definition of the view must select '${missing}', the partition key of the source: ` +
      "rows lead to their items by it."
    );
  }
  const unkeyed = unselectedPath(selection, own.paths);
  return (
    unkeyed &&
    `The definition of the view must select '${unkeyed}', the partition key of the view: ` +
      "without it no row has a key."
  );
}

/** What the query of an accepted view selects. */
export function viewSelection(query: string): ViewSelection {
  const selection = selectionOf(query);
  assert(selection.ok, "the query was read when the view was accepted");
  return selection.value;
}
