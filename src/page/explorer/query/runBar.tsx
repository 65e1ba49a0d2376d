/** Run and cancel, the size of a page, the limit of RU, and the values of parameters. */
import type { VNode } from "preact";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Menu } from "../../parts/menu.tsx";

export const PAGE_SIZES = ["20", "50", "100", "500", "1000"] as const;
export type PageSize = (typeof PAGE_SIZES)[number];

export interface RunBarProps {
  readonly isRunning: boolean;
  readonly whyNot: string | undefined;
  readonly onRun: () => void;
  readonly onCancel: () => void;
  readonly pageSize: PageSize;
  readonly onPageSize: (size: PageSize) => void;
  /** As typed; empty: no limit. */
  readonly cap: string;
  readonly onCap: (cap: string) => void;
  readonly parameters: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly onValue: (name: string, value: string) => void;
}

export function RunBar(props: RunBarProps): VNode {
  const { isRunning, whyNot, onRun, onCancel, parameters, values, onValue } = props;
  return (
    <div class="runBar">
      <Button kind="primary" onPress={onRun} whyNot={isRunning ? undefined : whyNot}>
        Run <span class="keyHint">Ctrl ↵</span>
      </Button>
      {isRunning ? <Button onPress={onCancel}>Cancel</Button> : null}
      <Menu
        label="Rows a page"
        choices={PAGE_SIZES.map((value) => ({ value, word: value }))}
        value={props.pageSize}
        onChoose={props.onPageSize}
      />
      <div class="narrow">
        <TextField
          label="Stop after RU"
          type="number"
          value={props.cap}
          onInput={props.onCap}
          placeholder="no limit"
        />
      </div>
      {parameters.map((name) => (
        <div key={name} class="narrow">
          <TextField
            label={name}
            isMono
            value={values[name] ?? ""}
            onInput={(value) => onValue(name, value)}
            placeholder="JSON or text"
          />
        </div>
      ))}
    </div>
  );
}

/** JSON where it is JSON, a text otherwise: `3`, `"3"` and `ada` are three values. */
export function parameterValue(typed: string): unknown {
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    return typed;
  }
}
