/**
 * The query texts of a router.
 *
 * A row comes in an envelope with what the router has to know about its item, whatever the caller
 * wants of it: rows can be merged, and found to be the same item, only by that. Values travel as
 * parameters.
 */
import type { QuerySpec } from "../keys/client/container.ts";
import type { NamedValue } from "../keys/client/queryText.ts";
import { propertyAt, valueConditions } from "../keys/client/queryText.ts";
import { orderText } from "./compositeOrder.ts";
import type { RouteSpan } from "./dateFormat.ts";
import type { TierName } from "./pieces.ts";
import { OWN_PARAMETER, type RouteRequest } from "./routeRequest.ts";
import type { RouteSetting } from "./routeSetting.ts";
import { placeCondition } from "./rowPlace.ts";

type TextSetting = Pick<
  RouteSetting,
  "datePath" | "format" | "paths" | "compositeIndexes" | "markProperty"
>;

export class RouteText {
  readonly #setting: TextSetting;
  readonly #request: RouteRequest;

  constructor(setting: TextSetting, request: RouteRequest) {
    this.#setting = setting;
    this.#request = request;
  }

  rows(span: RouteSpan, tier: TierName): QuerySpec {
    const { select = "c" } = this.#request;
    const indexes = this.#setting.compositeIndexes.get(tier) ?? [];
    const { conditions, parameters } = this.#conditions(span);
    const envelope = [`"row": ${select}\n`, ...this.#versionMembers()].join(", ");
    return {
      query:
        `SELECT VALUE { ${envelope} } FROM c WHERE ${conditions.join(" AND ")} ` +
        `ORDER BY ${orderText(this.#request, indexes)}`,
      parameters,
    };
  }

  /** The versions of these items that there are, whether or not they are within the span. */
  versions(span: RouteSpan, ids: readonly string[]): QuerySpec {
    const { conditions, parameters } = this.#conditions(span);
    const fits = `"fits": ${conditions.join(" AND ")}`;
    const name = `${OWN_PARAMETER}Ids`;
    return {
      query:
        `SELECT VALUE { ${[fits, ...this.#versionMembers()].join(", ")} } FROM c ` +
        `WHERE ARRAY_CONTAINS(${name}, c.id)`,
      parameters: [...parameters, { name, value: [...ids] }],
    };
  }

  count(span: RouteSpan): QuerySpec {
    const { conditions, parameters } = this.#conditions(span);
    return {
      query: `SELECT VALUE COUNT(1) FROM c WHERE ${conditions.join(" AND ")}`,
      parameters,
    };
  }

  #versionMembers(): readonly string[] {
    const { datePath, paths, markProperty } = this.#setting;
    // An object and no list: a list would lose its place for what an item lacks.
    const key = paths.map((path, level) => `"${level}": ${propertyAt(path)}`).join(", ");
    const members = [
      '"id": c.id',
      `"key": { ${key} }`,
      '"ts": c._ts',
      `"by": ${propertyAt(this.#request.by)}`,
      `"date": ${propertyAt(datePath)}`,
    ];
    if (markProperty !== undefined) {
      members.push(`"mark": c[${JSON.stringify(markProperty)}] = true`);
    }
    return members;
  }

  #conditions(span: RouteSpan): {
    readonly conditions: readonly string[];
    readonly parameters: NamedValue[];
  } {
    const { values, where, after } = this.#request;
    const { from, before } = this.#setting.format.boundsOf(span);
    const [fromName, beforeName] = [`${OWN_PARAMETER}From`, `${OWN_PARAMETER}Before`];
    const parameters: NamedValue[] = [
      { name: fromName, value: from },
      { name: beforeName, value: before },
      ...this.#request.parameters,
    ];
    const date = propertyAt(this.#setting.datePath);
    const conditions = [
      `${date} >= ${fromName}`,
      `${date} < ${beforeName}`,
      ...valueConditions(values, parameters),
    ];
    if (after !== undefined) conditions.push(placeCondition(after, this.#request, parameters));
    // A line of its own: the text may end in a comment.
    if (where !== undefined) conditions.push(`(${where}\n)`);
    return { conditions, parameters };
  }
}
