/** How long items live, of a container that is there or of a new one. */
import type { VNode } from "preact";
import { TextField } from "../../parts/field.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import type { DefinitionDraft, TtlKind } from "./definitionDraft.ts";

type TtlDraft = Pick<DefinitionDraft, "ttl" | "seconds">;

interface TtlFieldsProps extends TtlDraft {
  readonly onChange: (changes: Partial<TtlDraft>) => void;
}

const TTL_CHOICES: readonly { readonly value: TtlKind; readonly word: string }[] = [
  { value: "off", word: "Off" },
  { value: "noDefault", word: "On, no default" },
  { value: "seconds", word: "On, in seconds" },
];

const TTL_MEANINGS: Readonly<Record<TtlKind, string>> = {
  off: "Items stay until somebody deletes them, even those with a ttl of their own.",
  noDefault: "Items stay, except those with a ttl of their own.",
  seconds:
    "Items go so many seconds after their last change, unless they have a ttl of their own. " +
    "That includes items that are there already.",
};

export function TtlFields({ ttl, seconds, onChange }: TtlFieldsProps): VNode {
  return (
    <>
      <Segmented
        label="Time to live"
        isLabelShown
        choices={TTL_CHOICES}
        value={ttl}
        onChoose={(chosen) => onChange({ ttl: chosen })}
      />
      {ttl === "seconds" ? (
        <TextField
          label="Seconds after the last change"
          type="number"
          value={seconds}
          onInput={(typed) => onChange({ seconds: typed })}
        />
      ) : null}
      <p class="small">{TTL_MEANINGS[ttl]}</p>
    </>
  );
}
