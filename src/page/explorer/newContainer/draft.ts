/** What has been filled in of a new container so far, as typed, and what is still missing. */
import type { AskedThroughput } from "../data/dataPlane.ts";

export interface ContainerDraft {
  readonly database: string;
  readonly container: string;
  readonly key: string;
  readonly kind: AskedThroughput["kind"];
  readonly rate: string;
  /** Items to try the key on. */
  readonly text: string;
}

/** The least rate that the service takes, in RU/s. */
const RATE_MIN: Readonly<Record<AskedThroughput["kind"], number>> = {
  manual: 400,
  autoscale: 1000,
};

export function firstDraft(database: string): ContainerDraft {
  const rate = String(RATE_MIN.manual);
  return { database, container: "", key: "", kind: "manual", rate, text: "" };
}

export function rateMinOf(kind: AskedThroughput["kind"]): number {
  return RATE_MIN[kind];
}

export function whyNotCreated(draft: ContainerDraft): string | undefined {
  const { database, container, key, kind, rate } = draft;
  if (database.trim() === "") return "Name a database.";
  if (container.trim() === "") return "Name the container.";
  if (key.trim() === "") return "Type a partition key.";
  const rateMin = rateMinOf(kind);
  return Number(rate) >= rateMin ? undefined : `At least ${rateMin} RU/s.`;
}
