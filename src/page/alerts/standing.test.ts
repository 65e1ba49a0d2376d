/** What the page of alerts says. */
import { expect, test } from "vitest";
import type { Alert, AlertsReport } from "../../alerts/alertBoard.ts";
import { answerOf, listed, whereOf } from "./standing.ts";

function alert(state: Alert["state"]): Alert {
  const scope = { kind: "container", database: "shop", container: "orders", rid: "r" } as const;
  return { id: state, rule: "a", title: "", scope, state, since: 0, says: "", todo: [], docs: [] };
}

function report(states: readonly Alert["state"][], isOff = false): AlertsReport {
  const setting = { forSeconds: 0, clearSeconds: 0, values: {} };
  return {
    alerts: states.map(alert),
    history: [],
    rules: [{ id: "a" }, { id: "b" }] as unknown as AlertsReport["rules"],
    settings: { a: { ...setting, isEnabled: true }, b: { ...setting, isEnabled: !isOff } },
  };
}

test.each<[AlertsReport, string]>([
  [report([]), "There is nothing to judge yet: 2 rules look at everything once it has requests."],
  [
    report(["noData"]),
    "There is nothing to judge yet: 2 rules look at everything once it has requests.",
  ],
  [report(["normal", "noData"]), "Nothing fires. 2 rules look at everything."],
  [report(["normal"], true), "Nothing fires. 1 rule looks at everything; 1 rule is off."],
  [
    report(["firing", "firing", "pending", "normal"]),
    "2 alerts fire, 1 is pending. 2 rules look at everything.",
  ],
  [report(["pending", "pending"]), "2 are pending. 2 rules look at everything."],
])("%#", (each, answer) => {
  expect(answerOf(each)).toBe(answer);
});

test("those that matter now are listed, or all", () => {
  const all = (["firing", "pending", "normal", "noData"] as const).map(alert);
  expect(listed(all, "active")).toHaveLength(2);
  expect(listed(all, "all")).toBe(all);
});

test("an alert is about a container or the server", () => {
  expect(whereOf(alert("firing"))).toBe("shop/orders");
  expect(whereOf({ ...alert("firing"), scope: { kind: "server" } })).toBe("the server");
});
