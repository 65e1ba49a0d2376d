/** Where a key is: its EPK, its physical partition, how full its logical partition is. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { bytesText } from "../../base/wording.ts";
import type { LocateReport } from "../../protocol/admin.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { useAdmin, usePage, useParameter } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import { Link } from "../parts/link.tsx";
import { amountText, shareText } from "../parts/numbers.ts";
import { Panel } from "../parts/panel.tsx";
import { Answered } from "../parts/states.tsx";
import { typedKey } from "../parts/typedKey.ts";
import { containerRoute } from "../session/containerRoute.ts";
import { itemsOfKey } from "../session/keyQuery.ts";
import { keyLineOf, placeText } from "./keyPlace.ts";

interface LocatePanelProps {
  readonly report: ContainerReport;
  readonly onPick: (partitionId: string) => void;
}

export function LocatePanel({ report, onPick }: LocatePanelProps): VNode {
  const { answers } = usePage();
  const [key, setKey] = useParameter("key", "");
  const [text, setText] = useState(key);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const route =
    key === "" ? undefined : `${containerRoute(report)}locate?key=${encodeURIComponent(key)}`;
  const located = useAdmin<LocateReport>(route);
  const submit = (event: Event): void => {
    event.preventDefault();
    const typed = typedKey(text, report.partitionKeyPaths);
    setProblem(typed.ok ? undefined : typed.error);
    if (typed.ok) setKey(typed.value, { isStep: true });
  };
  return (
    <Panel title="Locate a key">
      <form onSubmit={submit} class="locate">
        <TextField
          label={`A value of ${report.partitionKeyPaths.join(", ")}`}
          placeholder='Toys or ["Toys"]'
          isMono
          value={text}
          onInput={setText}
          problem={problem}
        />
        <Button type="submit" onPress={() => undefined}>
          Locate
        </Button>
      </form>
      {route === undefined ? (
        <p class="small">Plain text is a key of one text; numbers and several parts as JSON.</p>
      ) : (
        <Answered of={located} loading={`Locating ${key}.`} onRetry={() => answers.urge(route)}>
          {(value) => <Located report={report} keyJson={key} located={value} onPick={onPick} />}
        </Answered>
      )}
    </Panel>
  );
}

interface LocatedProps extends LocatePanelProps {
  readonly keyJson: string;
  readonly located: LocateReport;
}

function Located({ report, keyJson, located, onPick }: LocatedProps): VNode {
  const { epk, partitionId, itemCount, itemBytes, limitShare } = located;
  const line = keyLineOf(report.partitions);
  const index = report.partitions.findIndex(({ id }) => id === partitionId);
  const beside = [report.partitions[index - 1], report.partitions[index + 1]]
    .flatMap((each) => (each === undefined ? [] : [each.id]))
    .join(" and ");
  return (
    <>
      <dl class="facts" aria-live="polite">
        <div>
          <dt>Key</dt>
          <dd>
            <code>{keyJson}</code>
          </dd>
        </div>
        <div>
          <dt>Partition</dt>
          <dd>
            {partitionId}
            {beside === "" ? "" : `, between its neighbours ${beside}`}
          </dd>
        </div>
        <div>
          <dt>EPK</dt>
          <dd>
            <code>{epk}</code>
            {line.isEven ? `, at ${placeText(line.place(epk))} of the key space` : ""}
          </dd>
        </div>
        <div>
          <dt>Holds</dt>
          <dd>
            {itemCount === 0
              ? "nothing yet"
              : `${itemCount === 1 ? "1 item" : `${amountText(itemCount)} items`}, ` +
                `${bytesText(itemBytes)}, ` +
                `${shareText(limitShare)} of its limit`}
          </dd>
        </div>
      </dl>
      <p class="tools">
        <Button onPress={() => onPick(partitionId)}>Select partition {partitionId}</Button>
        <Link to={itemsOfKey(report, JSON.parse(keyJson) as readonly unknown[])}>
          Open in Explorer
        </Link>
      </p>
    </>
  );
}
