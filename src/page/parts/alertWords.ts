/** Alerts in the words and tones of the page. */
import type { Alert } from "../../alerts/alertBoard.ts";
import type { TagTone } from "./tag.tsx";

export function toneOf({ state, severity }: Pick<Alert, "state" | "severity">): TagTone {
  if (state === "normal") return "good";
  if (state === "noData") return "none";
  if (state === "pending") return "now";
  return severity === "critical" ? "bad" : severity === "warning" ? "warn" : "info";
}

/** What an alert is about: a limit that the service has comes near, or something seems unwise. */
export function originOf({ evidence }: Pick<Alert, "evidence">): string {
  const figures = Object.keys(evidence?.figures ?? {});
  return figures.some((name) => name.startsWith("limit")) ? "platform limit" : "guidance";
}
