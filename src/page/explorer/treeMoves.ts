/**
 * The tree of databases and containers as rows, and where keys lead in it: the tree pattern. Not
 * here: how it is drawn.
 */
import type { OverviewRow } from "../../protocol/admin.ts";

/** What can be looked at of a container, as the address has it; items are the empty one. */
const CONTAINER_VIEWS = [
  { id: "", title: "Items" },
  { id: "settings", title: "Settings" },
  { id: "scripts", title: "Scripts" },
  { id: "feed", title: "Change feed" },
  { id: "delete", title: "Delete items" },
] as const;

export type ContainerView = (typeof CONTAINER_VIEWS)[number]["id"];

export function viewIn(segments: readonly string[]): ContainerView {
  return CONTAINER_VIEWS.find(({ id }) => id === segments[2])?.id ?? "";
}

export type TreeNode =
  | {
      readonly kind: "database";
      readonly id: string;
      readonly database: string;
      readonly isOpen: boolean;
      readonly containerCount: number;
    }
  | {
      readonly kind: "container";
      readonly id: string;
      readonly database: string;
      readonly row: OverviewRow;
    }
  | {
      readonly kind: "view";
      readonly id: string;
      readonly database: string;
      readonly row: OverviewRow;
      readonly view: ContainerView;
      readonly title: string;
    };

export function nodeId(database: string, container?: string, view?: string): string {
  return JSON.stringify([database, container, view].filter((name) => name !== undefined));
}

/** The rows in sight, from top to bottom, by name; below the picked container its views. */
export function visibleNodes(
  databases: readonly string[],
  containers: readonly OverviewRow[],
  isClosed: (database: string) => boolean,
  pickedId?: string,
): readonly TreeNode[] {
  const names = [...new Set([...databases, ...containers.map(({ database }) => database)])];
  return names.toSorted().flatMap((database): TreeNode[] => {
    const own = containers
      .filter((each) => each.database === database)
      .toSorted((one, other) => (one.container < other.container ? -1 : 1));
    const isOpen = !isClosed(database);
    const head: TreeNode = {
      kind: "database",
      id: nodeId(database),
      database,
      isOpen,
      containerCount: own.length,
    };
    if (!isOpen) return [head];
    const leaves = own.flatMap((row): TreeNode[] => {
      const id = nodeId(database, row.container);
      const leaf: TreeNode = { kind: "container", id, database, row };
      return id === pickedId ? [leaf, ...viewsOf(database, row)] : [leaf];
    });
    return [head, ...leaves];
  });
}

function viewsOf(database: string, row: OverviewRow): readonly TreeNode[] {
  return CONTAINER_VIEWS.map(({ id: view, title }) => ({
    kind: "view",
    id: nodeId(database, row.container, view),
    database,
    row,
    view,
    title,
  }));
}

export type TreeMove =
  | { readonly kind: "focus"; readonly id: string }
  | { readonly kind: "open" | "close"; readonly database: string }
  | { readonly kind: "choose"; readonly id: string };

/** What a key does at a node; `undefined` when nothing. */
export function treeMove(
  key: string,
  nodes: readonly TreeNode[],
  focusedId: string,
): TreeMove | undefined {
  const at = nodes.findIndex(({ id }) => id === focusedId);
  const node = nodes[at];
  if (node === undefined) return undefined;
  const focus = (index: number): TreeMove | undefined => {
    const target = nodes[index];
    return target === undefined ? undefined : { kind: "focus", id: target.id };
  };
  switch (key) {
    case "ArrowDown":
      return focus(at + 1);
    case "ArrowUp":
      return focus(at - 1);
    case "Home":
      return focus(0);
    case "End":
      return focus(nodes.length - 1);
    case "Enter":
    case " ":
      return { kind: "choose", id: node.id };
    case "ArrowRight":
      if (node.kind === "view") return undefined;
      if (node.kind === "container")
        return nodes[at + 1]?.kind === "view" ? focus(at + 1) : undefined;
      if (!node.isOpen) return { kind: "open", database: node.database };
      return node.containerCount > 0 ? focus(at + 1) : undefined;
    case "ArrowLeft":
      if (node.kind === "view")
        return { kind: "focus", id: nodeId(node.database, node.row.container) };
      if (node.kind === "container") return { kind: "focus", id: nodeId(node.database) };
      return node.isOpen ? { kind: "close", database: node.database } : undefined;
    default:
      return letterMove(key, nodes, at);
  }
}

/** A letter leads to the next node whose name begins with it. */
function letterMove(key: string, nodes: readonly TreeNode[], at: number): TreeMove | undefined {
  if (key.length !== 1) return undefined;
  const after = [...nodes.slice(at + 1), ...nodes.slice(0, at)];
  const found = after.find((node) => nameOf(node).toLowerCase().startsWith(key.toLowerCase()));
  return found === undefined ? undefined : { kind: "focus", id: found.id };
}

export function nameOf(node: TreeNode): string {
  if (node.kind === "view") return node.title;
  return node.kind === "database" ? node.database : node.row.container;
}
