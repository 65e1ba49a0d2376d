/** A line to type into, with its name above it and what is wrong below it. */
import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** True when the label is for screen readers only. */
  readonly isLabelHidden?: boolean | undefined;
  readonly type?: "text" | "password" | "search" | "number" | undefined;
  readonly placeholder?: string | undefined;
  readonly help?: ComponentChildren;
  /** What is wrong with what was typed, and what to do. */
  readonly problem?: string | undefined;
  readonly isMono?: boolean | undefined;
  readonly autoComplete?: string | undefined;
  /** Is given the element, so that a key can move the focus here. */
  readonly inputRef?: ((element: HTMLInputElement | null) => void) | undefined;
}

export function TextField(props: TextFieldProps): VNode {
  const { label, value, onInput, isLabelHidden, type = "text", help, problem, isMono } = props;
  const id = useId();
  // The types want the kind of an input to be known; here it is one of those that take text.
  const kind = { type } as { readonly type: "text" };
  const described = [
    ...(help === undefined ? [] : [`${id}h`]),
    ...(problem === undefined ? [] : [`${id}p`]),
  ];
  return (
    <div class="field">
      <label for={id} class={isLabelHidden === true ? "unseen" : "fieldLabel"}>
        {label}
      </label>
      <input
        id={id}
        ref={props.inputRef ?? null}
        class={`input ${isMono === true ? "mono" : ""}`}
        {...kind}
        value={value}
        placeholder={props.placeholder}
        autoComplete={props.autoComplete ?? "off"}
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
        aria-invalid={problem === undefined ? undefined : "true"}
        aria-describedby={described.length === 0 ? undefined : described.join(" ")}
      />
      {help === undefined ? null : (
        <p class="small" id={`${id}h`}>
          {help}
        </p>
      )}
      {problem === undefined ? null : (
        <p class="problem" id={`${id}p`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
