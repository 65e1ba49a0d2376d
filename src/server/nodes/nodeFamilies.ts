/** What is told to Prometheus of a node among several. */
import { counter, gauge } from "../admin/metrics.ts";
import type { Family } from "../admin/prometheus.ts";

interface NodeFigures {
  readonly role: "works" | "forwards" | "waits";
  readonly takeoverCount: number;
  readonly forwardedCount: number;
  readonly knownCount: number;
  readonly silentCount: number;
}

const ROLES = ["works", "forwards", "waits"] as const;

export function nodeFamilies(figures: NodeFigures): readonly Family[] {
  const { role, takeoverCount, forwardedCount, knownCount, silentCount } = figures;
  return [
    gauge(
      "orrery_node_role",
      "1 for what this node does: it works, forwards to the one that works, or waits.",
      ROLES.map((one) => ({ labels: { role: one }, value: one === role ? 1 : 0 })),
    ),
    gauge("orrery_nodes", "Nodes in the book of the database.", [
      { labels: { state: "heard" }, value: knownCount - silentCount },
      { labels: { state: "silent" }, value: silentCount },
    ]),
    counter("orrery_node_takeovers_total", "How often this node has begun to work.", [
      { labels: {}, value: takeoverCount },
    ]),
    counter("orrery_node_forwarded_total", "Requests that another node answered for this one.", [
      { labels: {}, value: forwardedCount },
    ]),
  ];
}
