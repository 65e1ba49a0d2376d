/**
 * Who must come before whom, as a graph, and the circles in it.
 *
 * Three kinds of edges come from the orders of lists: one transaction appended behind another (ww),
 * read what it appended (wr), or did not see what it appended (rw). The fourth is time: whoever
 * ended before another began. Instead of an edge for each such pair there is a chain of moments,
 * one for each end; a transaction leads to the moment of its end, and the last moment before its
 * beginning leads to it.
 *
 * Every edge inside a strongly connected component lies on a circle, so the components of ever
 * larger graphs tell which kinds of edges a circle needs.
 */
import type { AnomalyKind, Findings } from "./findings.ts";
import type { Transaction } from "./history.ts";
import { describeTransaction } from "./history.ts";
import type { ListOrders } from "./versionOrder.ts";

type EdgeKind = "ww" | "wr" | "rw" | "time";

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly kind: EdgeKind;
}

/** Nodes below the number of transactions are those; the others are moments. */
interface Graph {
  readonly nodeCount: number;
  readonly edges: readonly Edge[];
}

/** In this order: each graph holds the ones before it. */
const SEARCHES: readonly {
  readonly kinds: readonly EdgeKind[];
  /** What a circle must have to be new. */
  readonly needs: EdgeKind;
  readonly anomaly: AnomalyKind;
}[] = [
  { kinds: ["ww"], needs: "ww", anomaly: "G0" },
  { kinds: ["ww", "wr"], needs: "wr", anomaly: "G1c" },
  { kinds: ["ww", "wr", "rw"], needs: "rw", anomaly: "G2-item" },
  { kinds: ["ww", "wr", "rw", "time"], needs: "time", anomaly: "realTimeCycle" },
];

/** Looking for a circle with one rw edge costs a search for each; a hopeless history has many. */
const TRIES_MAX = 200;

export function findCycles(
  history: readonly Transaction[],
  orders: ListOrders,
  findings: Findings,
): void {
  const graph = dependenciesOf(history, orders);
  for (const { kinds, needs, anomaly } of SEARCHES) {
    const edges = graph.edges.filter(({ kind }) => kinds.includes(kind));
    const outgoing = outgoingOf(graph.nodeCount, edges);
    const components = componentsOf(graph.nodeCount, edges, outgoing);
    const inside = edges.filter(({ from, to }) => components[from] === components[to]);
    for (const candidates of byComponent(inside, components, needs)) {
      const within = (edge: Edge): boolean => components[edge.to] === components[edge.from];
      const single = needs === "rw" ? singleMiss(edges, outgoing, candidates, within) : undefined;
      const cycle = single ?? closedBy(edges, outgoing, candidates[0]!, within)!;
      findings.add(single ? "G-single" : anomaly, describeCycle(history, cycle));
    }
  }
}

function dependenciesOf(history: readonly Transaction[], orders: ListOrders): Graph {
  const edges: Edge[] = [];
  const add = (from: number | undefined, to: number | undefined, kind: EdgeKind): void => {
    if (from !== undefined && to !== undefined && from !== to) edges.push({ from, to, kind });
  };
  const visible = new Set<number>();
  for (const order of orders.values()) {
    order.order.forEach((_, position) => {
      const writer = order.writerAt(position);
      if (writer !== undefined) visible.add(writer);
      add(writer, order.writerAt(position + 1), "ww");
    });
    for (const { reader, length } of order.readings) {
      add(order.writerAt(length - 1), reader, "wr");
      // If the next one is the reader's own, whoever comes after that is told by ww.
      add(reader, order.writerAt(length), "rw");
    }
  }
  const isThere = (index: number): boolean =>
    history[index]!.outcome === "ok" || visible.has(index);
  return { nodeCount: addTime(history, isThere, add), edges };
}

/** Returns the number of nodes there are then. */
function addTime(
  history: readonly Transaction[],
  isThere: (index: number) => boolean,
  add: (from: number | undefined, to: number | undefined, kind: EdgeKind) => void,
): number {
  const indices = Array.from(history.keys()).filter(isThere);
  const begins = indices.toSorted((a, b) => history[a]!.beganAt - history[b]!.beganAt);
  const ends = indices.toSorted((a, b) => history[a]!.endedAt - history[b]!.endedAt);
  let moment = history.length - 1;
  let next = 0;
  for (const beginner of begins) {
    for (; next < ends.length; next++) {
      const ended = ends[next]!;
      if (history[ended]!.endedAt >= history[beginner]!.beganAt) break;
      moment++;
      if (next > 0) add(moment - 1, moment, "time");
      add(ended, moment, "time");
    }
    if (next > 0) add(moment, beginner, "time");
  }
  return moment + 1;
}

/** For each node the edges that leave it: `edges[list[i]]` for `i` from `start[n]` to `start[n+1]`. */
interface Outgoing {
  readonly start: Int32Array;
  readonly list: Int32Array;
}

function outgoingOf(nodeCount: number, edges: readonly Edge[]): Outgoing {
  const start = new Int32Array(nodeCount + 1);
  for (const { from } of edges) start[from + 1]!++;
  for (let node = 0; node < nodeCount; node++) start[node + 1]! += start[node]!;
  const list = new Int32Array(edges.length);
  const filled = start.slice();
  edges.forEach(({ from }, index) => {
    list[filled[from]!++] = index;
  });
  return { start, list };
}

/** Tarjan's strongly connected components, without recursion: the component of each node. */
function componentsOf(
  nodeCount: number,
  edges: readonly Edge[],
  { start, list }: Outgoing,
): Int32Array {
  const component = new Int32Array(nodeCount).fill(-1);
  const visitedAt = new Int32Array(nodeCount).fill(-1);
  const lowest = new Int32Array(nodeCount);
  const nextEdge = start.slice();
  const open: number[] = [];
  const path: number[] = [];
  let visitCount = 0;
  let componentCount = 0;
  const enter = (node: number): void => {
    visitedAt[node] = visitCount;
    lowest[node] = visitCount++;
    open.push(node);
    path.push(node);
  };
  const leave = (node: number): void => {
    path.pop();
    const parent = path.at(-1);
    if (parent !== undefined) lowest[parent] = Math.min(lowest[parent]!, lowest[node]!);
    if (lowest[node] !== visitedAt[node]) return;
    for (let member = -1; member !== node; ) {
      member = open.pop()!;
      component[member] = componentCount;
    }
    componentCount++;
  };
  for (let root = 0; root < nodeCount; root++) {
    if (visitedAt[root] === -1) enter(root);
    while (path.length > 0) {
      const node = path.at(-1)!;
      if (nextEdge[node]! === start[node + 1]!) leave(node);
      else {
        const { to } = edges[list[nextEdge[node]!++]!]!;
        if (visitedAt[to] === -1) enter(to);
        else if (component[to] === -1) lowest[node] = Math.min(lowest[node]!, visitedAt[to]!);
      }
    }
  }
  return component;
}

/** The edges of one kind in each component that has some. */
function byComponent(
  inside: readonly Edge[],
  components: Int32Array,
  kind: EdgeKind,
): Iterable<readonly Edge[]> {
  const groups = new Map<number, Edge[]>();
  for (const edge of inside) {
    if (edge.kind !== kind) continue;
    const component = components[edge.from]!;
    const group = groups.get(component);
    if (group === undefined) groups.set(component, [edge]);
    else group.push(edge);
  }
  return groups.values();
}

/** A circle in which only one edge says that something was not seen. */
function singleMiss(
  edges: readonly Edge[],
  outgoing: Outgoing,
  candidates: readonly Edge[],
  within: (edge: Edge) => boolean,
): readonly Edge[] | undefined {
  for (const miss of candidates.slice(0, TRIES_MAX)) {
    const cycle = closedBy(edges, outgoing, miss, (edge) => edge.kind !== "rw" && within(edge));
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** The shortest circle that begins with this edge and goes on with edges that may be taken. */
function closedBy(
  edges: readonly Edge[],
  { start, list }: Outgoing,
  first: Edge,
  mayTake: (edge: Edge) => boolean,
): readonly Edge[] | undefined {
  const reachedBy = new Map<number, Edge>([[first.to, first]]);
  const queue = [first.to];
  for (const node of queue) {
    if (node === first.from) break;
    for (let at = start[node]!; at < start[node + 1]!; at++) {
      const edge = edges[list[at]!]!;
      if (reachedBy.has(edge.to) || !mayTake(edge)) continue;
      reachedBy.set(edge.to, edge);
      queue.push(edge.to);
    }
  }
  const cycle: Edge[] = [];
  for (let node = first.from; cycle.at(-1) !== first; ) {
    const edge = reachedBy.get(node);
    if (edge === undefined) return undefined;
    cycle.push(edge);
    node = edge.from;
  }
  return cycle.reverse();
}

/** The transactions of a circle, and by what one leads to the next; moments are passed over. */
function describeCycle(history: readonly Transaction[], cycle: readonly Edge[]): string {
  const isTransaction = (node: number): boolean => node < history.length;
  return cycle
    .filter(({ from }) => isTransaction(from))
    .map(({ from, kind }) => `(${describeTransaction(history, from)}) -${kind}->`)
    .join(" ");
}
