/** Two versions of something side by side; lines that only one of them has are marked. */
import type { VNode } from "preact";
import { Button } from "../parts/button.tsx";
import { ScrolledText } from "./scrolledText.tsx";

interface TwoVersionsProps {
  /** What has two versions, such as "the item". */
  readonly what: string;
  readonly mine: string;
  readonly theirs: string;
  readonly onKeepTheirs: () => void;
  readonly onSaveMine: () => void;
}

export function TwoVersions({
  what,
  mine,
  theirs,
  onKeepTheirs,
  onSaveMine,
}: TwoVersionsProps): VNode {
  return (
    <div role="alert">
      <p>
        <strong>Somebody changed {what} meanwhile.</strong> Nothing was saved. Lines that differ are
        marked.
      </p>
      <div class="twoVersions">
        <Version title="Yours" text={mine} other={theirs} />
        <Version title="As it is now" text={theirs} other={mine} />
      </div>
      <div class="dialogFoot">
        <Button onPress={onKeepTheirs}>Go on with theirs</Button>
        <Button kind="danger" onPress={onSaveMine}>
          Save mine over it
        </Button>
      </div>
    </div>
  );
}

interface VersionProps {
  readonly title: string;
  readonly text: string;
  readonly other: string;
}

function Version({ title, text, other }: VersionProps): VNode {
  const known = new Set(other.split("\n").map(bare));
  return (
    <div>
      <h3>{title}</h3>
      <ScrolledText label={`${title}, as JSON`}>
        {text
          .split("\n")
          .map((line, index) =>
            known.has(bare(line)) ? (
              <span key={index}>{`  ${line}\n`}</span>
            ) : (
              <mark key={index}>{`≠ ${line}\n`}</mark>
            ),
          )}
      </ScrolledText>
    </div>
  );
}

/** A comma at the end is no difference. */
function bare(line: string): string {
  return line.trim().replace(/,$/, "");
}
