/** A choice out of a list that is too long for a row of buttons: the browser's own. */
import type { VNode } from "preact";
import { useId } from "preact/hooks";

interface MenuProps<T extends string> {
  readonly label: string;
  readonly isLabelHidden?: boolean | undefined;
  readonly choices: readonly { readonly value: T; readonly word: string }[];
  readonly value: T;
  readonly onChoose: (value: T) => void;
}

export function Menu<T extends string>({
  label,
  isLabelHidden,
  choices,
  value,
  onChoose,
}: MenuProps<T>): VNode {
  const id = useId();
  return (
    <div class="menu">
      <label for={id} class={isLabelHidden === true ? "unseen" : "fieldLabel"}>
        {label}
      </label>
      <select
        id={id}
        class="input"
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value as T)}
      >
        {choices.map(({ value: each, word }) => (
          <option key={each} value={each}>
            {word}
          </option>
        ))}
      </select>
    </div>
  );
}
