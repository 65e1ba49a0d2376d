/** The numbers that decide in a rule: what is in force, what is usual, and where each is from. */
import type { VNode } from "preact";
import type { AlertsReport } from "../../alerts/alertBoard.ts";
import type { RuleDescription } from "../../alerts/rules/catalogue.ts";
import { Tag } from "../parts/tag.tsx";
import { thresholdText, wordsIn } from "./figureText.ts";

interface ThresholdsProps {
  readonly rule: RuleDescription;
  readonly setting: AlertsReport["settings"][string] | undefined;
}

export function Thresholds({ rule, setting }: ThresholdsProps): VNode {
  return (
    <div class="scroll">
      <table>
        <tbody>
          {rule.settings.map(({ name, value, unit, meaning, origin, page }) => {
            const inForce = setting?.values[name] ?? value;
            return (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                  <br />
                  <span class="small">{meaning === "" ? wordsIn(name) : meaning}</span>
                  <br />
                  {origin === "platformLimit" ? (
                    <Tag tone="now" word="platform limit" />
                  ) : (
                    <Tag tone="info" word={page === undefined ? "our guidance" : "guidance"} />
                  )}
                </th>
                <td class="number">
                  {thresholdText(inForce, unit)}
                  {inForce === value ? null : (
                    <>
                      <br />
                      <span class="small">usually {thresholdText(value, unit)}</span>
                    </>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
