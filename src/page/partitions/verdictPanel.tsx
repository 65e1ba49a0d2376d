/** Whether a split of the selected partition helps, what does instead, and when limits are met. */
import type { VNode } from "preact";
import { bytesText } from "../../base/wording.ts";
import type { ContainerReport, PartitionReport } from "../../statistics/report.ts";
import { Link } from "../parts/link.tsx";
import { shareText } from "../parts/numbers.ts";
import { Panel } from "../parts/panel.tsx";
import type { TagTone } from "../parts/tag.tsx";
import { Tag } from "../parts/tag.tsx";
import { placeAt } from "../session/place.ts";
import { fillingsOf } from "./growth.ts";
import { remediesFor, type SplitVerdict, splitVerdict, type TopKeys } from "./splitVerdict.ts";

const WORDS: Readonly<Record<SplitVerdict["kind"], readonly [TagTone, string]>> = {
  helps: ["good", "yes"],
  useless: ["bad", "no"],
  notNeeded: ["none", "not needed"],
  unknown: ["none", "not known"],
};

interface VerdictPanelProps {
  readonly report: ContainerReport;
  readonly keys: TopKeys;
  readonly picked: PartitionReport;
}

export function VerdictPanel({ report, keys, picked }: VerdictPanelProps): VNode {
  const verdict = splitVerdict(picked, keys, report.limits);
  const [tone, word] = WORDS[verdict.kind];
  const remedies = remediesFor(verdict, report);
  return (
    <Panel title={`Would a split of partition ${picked.id} help?`} class="verdict">
      <p>
        <Tag tone={tone} word={word} /> {verdict.says}
      </p>
      {remedies.length === 0 ? null : (
        <>
          <p>
            <strong>What helps</strong>, best first:
          </p>
          <ol class="numbered">
            {remedies.map((remedy) => (
              <li key={remedy}>{remedy}</li>
            ))}
          </ol>
          <p>
            <Link to={placeAt("lab", report)}>Compare keys in the lab</Link>
          </p>
        </>
      )}
      <p class="tiny">
        One key is called the cause from 50 % of its partition on: guidance of this page. What a
        partition can serve and hold are platform limits.
      </p>
    </Panel>
  );
}

interface GrowthPanelProps extends Omit<VerdictPanelProps, "picked"> {
  readonly dateText: (at: number) => string;
}

export function GrowthPanel({ report, keys, dateText }: GrowthPanelProps): VNode {
  const { bytesPerDay } = report.figures;
  return (
    <Panel title="When is it full?">
      <dl class="facts">
        {fillingsOf(report, keys).map(({ of, name, bytes, bytesMax, fullAt }) => (
          <div key={of}>
            <dt>{bytesText(bytesMax)}</dt>
            <dd>
              {name}: {bytesText(bytes)} now, {shareText(bytes / bytesMax)};{" "}
              {fullAt === undefined ? "no date" : <strong>{dateText(fullAt)}</strong>}
              {of === "physical" ? ". It is split then." : ". Writes to it are refused then (403)."}
            </dd>
          </div>
        ))}
      </dl>
      <p class="tiny">
        {bytesPerDay === undefined
          ? "Growth is known after an hour of measurements."
          : `The container grows by ${bytesText(bytesPerDay)} a day; a partition is taken to ` +
            "grow in proportion to its bytes. No date means later than in ten years, or never."}
      </p>
    </Panel>
  );
}
