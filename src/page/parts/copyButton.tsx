/** Puts a text on the clipboard and says so. */
import type { VNode } from "preact";
import { usePage } from "../control/page.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface CopyButtonProps {
  /** A text, or what gets it when it is wanted: a key is not fetched before. */
  readonly text: string | (() => Promise<string | undefined>);
  /** What is copied, such as "the connection string". */
  readonly what: string;
}

export function CopyButton({ text, what }: CopyButtonProps): VNode {
  const { announcer } = usePage();
  const copy = async (): Promise<void> => {
    const copied = typeof text === "string" ? text : await text();
    if (copied === undefined) {
      announcer.warn(`There is nothing to copy: ${what} could not be read.`);
      return;
    }
    await navigator.clipboard.writeText(copied).then(
      () => announcer.say(`Copied ${what}.`),
      () => announcer.warn(`The browser did not let the page copy ${what}.`),
    );
  };
  return (
    <Button onPress={() => void copy()} label={`Copy ${what}`}>
      <Icon name="copy" /> Copy
    </Button>
  );
}
