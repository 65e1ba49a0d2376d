/** One of a few, all in sight: radio buttons in a row. */
import type { VNode } from "preact";
import { useId } from "preact/hooks";

interface SegmentedProps<T extends string> {
  /** What is chosen, for screen readers; shown before the choices if `isLabelShown`. */
  readonly label: string;
  readonly isLabelShown?: boolean | undefined;
  readonly choices: readonly { readonly value: T; readonly word: string }[];
  readonly value: T;
  readonly onChoose: (value: T) => void;
}

export function Segmented<T extends string>(props: SegmentedProps<T>): VNode {
  const { label, isLabelShown, choices, value, onChoose } = props;
  const name = useId();
  return (
    <fieldset class="segmented">
      <legend class={isLabelShown === true ? "fieldLabel" : "unseen"}>{label}</legend>
      <div class="segments">
        {choices.map(({ value: each, word }) => (
          <label key={each}>
            <input
              type="radio"
              name={name}
              value={each}
              checked={each === value}
              onChange={() => onChoose(each)}
            />
            {word}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
