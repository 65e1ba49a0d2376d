/** The rules: what each tells, when it fires, and the numbers that decide. */
import type { VNode } from "preact";
import type { AlertsReport } from "../../alerts/alertBoard.ts";
import { durationText } from "../../base/wording.ts";
import { Coded } from "../parts/coded.tsx";
import { Disclosure } from "../parts/disclosure.tsx";
import { Tag } from "../parts/tag.tsx";
import { DocsLinks } from "./docsLinks.tsx";
import { Thresholds } from "./thresholds.tsx";

export function Rules({ report }: { readonly report: AlertsReport }): VNode {
  return (
    <>
      <p class="rulesHelp small">
        A platform limit is one that the service has; guidance is what somebody thought sensible.
        Set either in a file: <code>orrery start --alerts alerts.json</code>.
      </p>
      <ul class="rules">
        {report.rules.map((rule) => (
          <li key={rule.id}>
            <Rule rule={rule} setting={report.settings[rule.id]} />
          </li>
        ))}
      </ul>
    </>
  );
}

interface RuleProps {
  readonly rule: AlertsReport["rules"][number];
  readonly setting: AlertsReport["settings"][string] | undefined;
}

function Rule({ rule, setting }: RuleProps): VNode {
  const { id, title, fires, scope, docs } = rule;
  const forSeconds = setting?.forSeconds ?? rule.forSeconds;
  const clearSeconds = setting?.clearSeconds ?? rule.clearSeconds;
  return (
    <>
      <div class="noticeHead">
        <h3>{title}</h3>
        <span>
          {setting?.isEnabled === false ? <Tag tone="none" word="off" /> : null}{" "}
          <code class="small">{id}</code>
        </span>
      </div>
      <p>
        <Coded text={fires} />
      </p>
      <p class="small">
        {scope === "server" ? "About the server." : "About every container."} Raised{" "}
        {afterText(forSeconds)}, cleared {afterText(clearSeconds)} without trouble.
      </p>
      <Disclosure summary={`Thresholds of ${id}`}>
        <Thresholds rule={rule} setting={setting} />
        <DocsLinks pages={docs} />
      </Disclosure>
    </>
  );
}

function afterText(seconds: number): string {
  return seconds === 0 ? "at once" : `after ${durationText(seconds)}`;
}
