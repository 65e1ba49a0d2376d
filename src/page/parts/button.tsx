/**
 * Buttons: a verb with its object; `…` at the end means that it asks first. One that cannot be used
 * stays focusable and points to its reason, which is shown beside it.
 */
import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onPress: () => void;
  /** One primary button on a page. */
  readonly kind?: "primary" | "plain" | "quiet" | "danger" | undefined;
  /** Why it cannot be used now; absent when it can. */
  readonly whyNot?: string | undefined;
  readonly label?: string | undefined;
  readonly isPressed?: boolean | undefined;
  readonly isExpanded?: boolean | undefined;
  readonly type?: "button" | "submit" | undefined;
  readonly class?: string | undefined;
}

export function Button(props: ButtonProps): VNode {
  const { children, onPress, kind = "plain", whyNot, label, isPressed, isExpanded } = props;
  const reasonId = useId();
  const isOff = whyNot !== undefined;
  const press = (event: Event): void => {
    if (isOff) event.preventDefault();
    else onPress();
  };
  const button = (
    <button
      type={props.type ?? "button"}
      class={`button ${kind} ${props.class ?? ""}`}
      onClick={press}
      aria-label={label}
      aria-disabled={isOff ? "true" : undefined}
      aria-describedby={isOff ? reasonId : undefined}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
    >
      {children}
    </button>
  );
  if (!isOff) return button;
  return (
    <span class="buttonWithReason">
      {button}
      <span class="small" id={reasonId}>
        {whyNot}
      </span>
    </span>
  );
}
