/**
 * Asks for something before anything else goes on. The browser keeps the focus inside and closes it
 * with Escape; then the focus is where it was before.
 */
import type { ComponentChildren, VNode } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons at the foot. */
  readonly foot?: ComponentChildren;
  readonly size?: "small" | "large" | undefined;
  /** True where the title would only repeat what the first field says. */
  readonly isTitleHidden?: boolean | undefined;
}

export function Dialog(props: DialogProps): VNode {
  const { title, onClose, children, foot, size = "small", isTitleHidden = false } = props;
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key is pressed: who types on at once types into the dialog.
  useLayoutEffect(() => {
    const dialog = element.current!;
    const focused = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      // By now the dialog may be out of the document, and the browser gives nothing back then.
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    };
  }, []);
  // A click on the dialog itself, not on what is in it, is a click beside it.
  const onClick = (event: MouseEvent): void => {
    if (event.target === element.current) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it with Escape.
    <dialog
      ref={element}
      class={`dialog ${size}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={onClick}
    >
      <div class="dialogBody">
        <header class={isTitleHidden ? "unseen" : "dialogHead"}>
          <h2 id={id}>{title}</h2>
          {isTitleHidden ? null : (
            <Button kind="quiet" onPress={onClose} label="Close">
              <Icon name="close" />
            </Button>
          )}
        </header>
        {children}
        {foot === undefined ? null : <footer class="dialogFoot">{foot}</footer>}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What will happen, and what it leaves behind. */
  readonly children: ComponentChildren;
  /** A verb with its object, such as "Delete 12 items". */
  readonly action: string;
  readonly isDangerous?: boolean | undefined;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks once before something that cannot be undone. */
export function Confirm(props: ConfirmProps): VNode {
  const { title, children, action, isDangerous, onConfirm, onClose } = props;
  const foot = (
    <>
      <Button onPress={onClose}>Cancel</Button>
      <Button kind={isDangerous === true ? "danger" : "primary"} onPress={onConfirm}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} foot={foot}>
      {children}
    </Dialog>
  );
}
