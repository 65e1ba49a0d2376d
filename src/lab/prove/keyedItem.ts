/** An item with the key that a candidate gives it. */
import type { JsonObject } from "../../json/value.ts";
import type { KeyComponent } from "../../keys/component.ts";

export type KeyTuple = readonly KeyComponent[];

export interface KeyedItem {
  readonly item: JsonObject;
  readonly id: string;
  readonly key: KeyTuple;
}
