/** The databases and their containers: one stop of the Tab key, arrows inside. */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { NamedContainer } from "../../model/copyJob.ts";
import type { OverviewRow } from "../../protocol/admin.ts";
import { Icon } from "../parts/icon.tsx";
import { amountText } from "../parts/numbers.ts";
import {
  type ContainerView,
  nameOf,
  nodeId,
  type TreeNode,
  treeMove,
  visibleNodes,
} from "./treeMoves.ts";

interface ContainerTreeProps {
  readonly databases: readonly string[];
  readonly containers: readonly OverviewRow[];
  readonly picked: NamedContainer | undefined;
  readonly view: ContainerView;
  readonly onPick: (about: NamedContainer, view: ContainerView) => void;
}

export function ContainerTree(props: ContainerTreeProps): VNode {
  const { databases, containers, picked, view, onPick } = props;
  const [closed, setClosed] = useState<readonly string[]>([]);
  const [focused, setFocused] = useState<string | undefined>(undefined);
  const tree = useRef<HTMLUListElement>(null);
  const openId = picked && nodeId(picked.database, picked.container);
  const nodes = visibleNodes(databases, containers, (name) => closed.includes(name), openId);
  const pickedId = picked && nodeId(picked.database, picked.container, view);
  const stop =
    [focused, pickedId].find((id) => nodes.some((node) => node.id === id)) ?? nodes[0]?.id;
  const setOpen = (database: string, isOpen: boolean): void =>
    setClosed((before) => [
      ...before.filter((name) => name !== database),
      ...(isOpen ? [] : [database]),
    ]);
  const choose = (node: TreeNode): void => {
    setFocused(node.id);
    if (node.kind === "database") setOpen(node.database, !node.isOpen);
    else {
      const about = { database: node.database, container: node.row.container };
      onPick(about, node.kind === "view" ? node.view : "");
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || stop === undefined) return;
    const move = treeMove(event.key, nodes, stop);
    if (move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (move.kind === "choose") choose(nodes.find(({ id }) => id === move.id)!);
    else if (move.kind === "focus") {
      setFocused(move.id);
      const index = nodes.findIndex(({ id }) => id === move.id);
      tree.current?.querySelectorAll<HTMLElement>("[role=treeitem]")[index]?.focus();
    } else setOpen(move.database, move.kind === "open");
  };
  return (
    <ul
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the tree pattern.
      role="tree"
      class="tree"
      aria-label="Databases and containers"
      ref={tree}
      onKeyDown={onKeyDown}
    >
      {nodes.map((node) => (
        <TreeRow
          key={node.id}
          node={node}
          isStop={node.id === stop}
          isPicked={node.id === pickedId}
          isOpen={node.kind === "database" ? node.isOpen : node.id === openId}
          onFocus={() => setFocused(node.id)}
          onChoose={() => choose(node)}
        />
      ))}
    </ul>
  );
}

const LEVELS = { database: 1, container: 2, view: 3 } as const;

interface TreeRowProps {
  readonly node: TreeNode;
  readonly isStop: boolean;
  readonly isPicked: boolean;
  readonly isOpen: boolean;
  readonly onFocus: () => void;
  readonly onChoose: () => void;
}

function TreeRow({ node, isStop, isPicked, isOpen, onFocus, onChoose }: TreeRowProps): VNode {
  const isDatabase = node.kind === "database";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the tree around it.
    <li
      role="treeitem"
      aria-level={LEVELS[node.kind]}
      aria-expanded={node.kind === "view" ? undefined : isOpen}
      aria-selected={isPicked}
      tabIndex={isStop ? 0 : -1}
      class={node.kind}
      onFocus={onFocus}
      onClick={onChoose}
    >
      {isDatabase ? (
        <>
          <Icon name={isOpen ? "down" : "right"} />
          <span class="unseen">Database </span>
        </>
      ) : null}
      <span class="treeName">{nameOf(node)}</span>
      {node.kind !== "container" ? null : (
        <span class="tiny">
          {amountText(node.row.itemCount)}
          <span class="unseen"> items</span>
        </span>
      )}
    </li>
  );
}
