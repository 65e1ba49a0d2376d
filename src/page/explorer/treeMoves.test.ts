/** Where keys lead in the tree of databases and containers. */
import { expect, test } from "vitest";
import type { OverviewRow } from "../../protocol/admin.ts";
import { nameOf, nodeId, type TreeMove, treeMove, visibleNodes } from "./treeMoves.ts";

const row = (database: string, container: string): OverviewRow =>
  ({ database, container }) as OverviewRow;
const CONTAINERS = [row("shop", "orders"), row("shop", "carts"), row("bank", "accounts")];
const nodes = visibleNodes(["empty"], CONTAINERS, (name) => name === "bank");

test("rows are in order, and those of a closed database are out of sight", () => {
  expect(nodes.map(nameOf)).toEqual(["bank", "empty", "shop", "carts", "orders"]);
});

test.each<[string, string, TreeMove | undefined]>([
  ["ArrowDown", nodeId("bank"), { kind: "focus", id: nodeId("empty") }],
  ["ArrowUp", nodeId("bank"), undefined],
  ["End", nodeId("bank"), { kind: "focus", id: nodeId("shop", "orders") }],
  ["Home", nodeId("shop", "orders"), { kind: "focus", id: nodeId("bank") }],
  ["ArrowRight", nodeId("bank"), { kind: "open", database: "bank" }],
  ["ArrowRight", nodeId("shop"), { kind: "focus", id: nodeId("shop", "carts") }],
  ["ArrowRight", nodeId("empty"), undefined],
  ["ArrowRight", nodeId("shop", "carts"), undefined],
  ["ArrowLeft", nodeId("shop", "orders"), { kind: "focus", id: nodeId("shop") }],
  ["ArrowLeft", nodeId("shop"), { kind: "close", database: "shop" }],
  ["ArrowLeft", nodeId("bank"), undefined],
  ["Enter", nodeId("shop", "carts"), { kind: "choose", id: nodeId("shop", "carts") }],
  ["o", nodeId("bank"), { kind: "focus", id: nodeId("shop", "orders") }],
  ["x", nodeId("bank"), undefined],
  ["Tab", nodeId("bank"), undefined],
  ["Enter", "gone", undefined],
])("%s at %s", (key, at, wanted) => {
  expect(treeMove(key, nodes, at)).toEqual(wanted);
});
