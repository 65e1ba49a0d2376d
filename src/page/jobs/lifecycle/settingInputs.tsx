/** The settings of a lifecycle as fields: for the form that starts one, and for a change. */
import type { VNode } from "preact";
import { TextField } from "../../parts/field.tsx";
import type { SettingFields } from "./lifecycleForm.ts";

interface SettingInputsProps {
  readonly fields: SettingFields;
  readonly set: (name: keyof SettingFields) => (value: string) => void;
  readonly problemOf: (name: keyof SettingFields) => string | undefined;
}

const INPUTS: readonly (readonly [name: keyof SettingFields, label: string, help: string])[] = [
  ["date", "Path of the date", "ISO 8601 text, or a number since 1970. Hot has to index it."],
  ["age", "Age at which an item moves", "A duration such as 30d, 12h, 15m or 45s."],
  ["interval", "From one round to the next", "A duration; changes in hot are followed anyway."],
  ["share", "Share of the rate, in percent", "Of each physical partition, on both sides."],
  ["batch", "Items of a step, at most", "A whole number."],
  ["mark", "Property that marks moved items", "Items in hot get it when warm has them."],
  ["markTtl", "Stay in hot after the move", "A duration; then the item expires from hot."],
  ["archiveAfter", "Warn when warm is older than", "A duration, or nothing for no warning."],
];

export function SettingInputs({ fields, set, problemOf }: SettingInputsProps): VNode {
  return (
    <>
      {INPUTS.map(([name, label, help]) => (
        <TextField
          key={name}
          label={label}
          value={fields[name]}
          onInput={set(name)}
          isMono={name === "date" || name === "mark"}
          help={help}
          problem={problemOf(name)}
        />
      ))}
    </>
  );
}
