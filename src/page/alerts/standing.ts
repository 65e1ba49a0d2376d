/** What the page of alerts answers, in a sentence, and which alerts it lists. */
import type { Alert, AlertsReport } from "../../alerts/alertBoard.ts";
import { counted } from "../../base/wording.ts";

export type ListedStates = "active" | "all";

export function answerOf({ alerts, rules, settings }: AlertsReport): string {
  const countOf = (state: Alert["state"]): number =>
    alerts.filter((alert) => alert.state === state).length;
  const [firing, pending] = [countOf("firing"), countOf("pending")];
  const offCount = rules.filter(({ id }) => settings[id]?.isEnabled === false).length;
  const off = offCount === 0 ? "" : `; ${counted(offCount, "rule is", "rules are")} off`;
  const looking = `${counted(rules.length - offCount, "rule looks", "rules look")} at everything`;
  if (firing === 0 && pending === 0) {
    const hasLooked = alerts.some(({ state }) => state === "normal");
    return hasLooked
      ? `Nothing fires. ${looking}${off}.`
      : `There is nothing to judge yet: ${looking} once it has requests${off}.`;
  }
  const parts = [
    ...(firing === 0 ? [] : [counted(firing, "alert fires", "alerts fire")]),
    ...(pending === 0 ? [] : [`${pending} ${pending === 1 ? "is" : "are"} pending`]),
  ];
  return `${parts.join(", ")}. ${looking}${off}.`;
}

export function listed(alerts: readonly Alert[], states: ListedStates): readonly Alert[] {
  if (states === "all") return alerts;
  return alerts.filter(({ state }) => state === "firing" || state === "pending");
}

/** Where an alert is about, in words. */
export function whereOf({ scope }: Alert): string {
  return scope.kind === "server" ? "the server" : `${scope.database}/${scope.container}`;
}
