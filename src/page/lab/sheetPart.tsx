/** The form that writes a workload: operations as rows, and what the container grows by. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import { Menu } from "../parts/menu.tsx";
import type { LabState } from "./labState.ts";
import type { WorkloadRow, WorkloadSheet } from "./workloadRows.ts";
import { byHelp, ROW_KINDS, USUAL_SHEET, workloadYaml } from "./workloadRows.ts";

export function SheetPart({ lab }: { readonly lab: LabState }): VNode {
  const { form, setWorkload } = lab;
  const [sheet, setSheet] = useState<WorkloadSheet>(() => ({
    ...USUAL_SHEET,
    name: form.about?.container ?? USUAL_SHEET.name,
  }));
  const change = (changes: Partial<WorkloadSheet>): void => {
    const next = { ...sheet, ...changes };
    setSheet(next);
    setWorkload(workloadYaml(next));
  };
  const changeRow = (at: number, changes: Partial<WorkloadRow>): void =>
    change({ rows: sheet.rows.map((row, index) => (index === at ? { ...row, ...changes } : row)) });
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        change({});
      }}
    >
      {sheet.rows.map((row, at) => (
        <OperationRow
          key={at}
          row={row}
          at={at}
          onChange={(changes) => changeRow(at, changes)}
          onRemove={() => change({ rows: sheet.rows.filter((_, index) => index !== at) })}
        />
      ))}
      <p>
        <Button
          onPress={() => change({ rows: [...sheet.rows, { kind: "query", by: "", rate: "1" }] })}
        >
          Add an operation
        </Button>
      </p>
      <GrowthFields sheet={sheet} change={change} />
      <p>
        <Button type="submit" onPress={() => undefined}>
          Write the workload
        </Button>
      </p>
    </form>
  );
}

interface OperationRowProps {
  readonly row: WorkloadRow;
  readonly at: number;
  readonly onChange: (changes: Partial<WorkloadRow>) => void;
  readonly onRemove: () => void;
}

function OperationRow({ row, at, onChange, onRemove }: OperationRowProps): VNode {
  return (
    <fieldset class="sheetRow">
      <legend class="unseen">Operation {at + 1}</legend>
      <Menu
        label="Operation"
        choices={ROW_KINDS}
        value={row.kind}
        onChoose={(kind) => onChange({ kind })}
      />
      <TextField
        label="By"
        isMono
        value={row.by}
        onInput={(by) => onChange({ by })}
        help={byHelp(row.kind)}
      />
      <TextField
        label="Rate"
        value={row.rate}
        onInput={(rate) => onChange({ rate })}
        help="a second; or 5/min"
      />
      <Button kind="quiet" label={`Take away operation ${at + 1}`} onPress={onRemove}>
        Take away
      </Button>
    </fieldset>
  );
}

interface GrowthFieldsProps {
  readonly sheet: WorkloadSheet;
  readonly change: (changes: Partial<WorkloadSheet>) => void;
}

function GrowthFields({ sheet, change }: GrowthFieldsProps): VNode {
  return (
    <div class="sheetGrowth">
      <TextField
        label="Items that come each day"
        value={sheet.itemsPerDay}
        onInput={(itemsPerDay) => change({ itemsPerDay })}
        help="Empty: as the creates say."
      />
      <TextField
        label="Kept for"
        value={sheet.retention}
        onInput={(retention) => change({ retention })}
        help="Such as 90 days; empty: for ever."
      />
      <TextField
        label="Peak over the mean"
        value={sheet.peakFactor}
        onInput={(peakFactor) => change({ peakFactor })}
      />
      <TextField
        label="More each month"
        value={sheet.perMonth}
        onInput={(perMonth) => change({ perMonth })}
        help="A share: 0.05 is 5 % more."
      />
    </div>
  );
}
