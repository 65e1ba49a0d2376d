/**
 * A bar whose track is the limit. What is beyond the limit is hatched; a second, lighter bar may
 * stand below it. The number stands beside it in words, so the bar itself is not read out.
 */
import type { VNode } from "preact";

interface MeterProps {
  /** 1 is the limit. */
  readonly share: number;
  readonly second?: number | undefined;
}

export function Meter({ share, second }: MeterProps): VNode {
  return (
    <div class="meter" aria-hidden="true">
      <Bar share={share} name="first" />
      {second === undefined ? null : <Bar share={second} name="second" />}
    </div>
  );
}

function Bar({ share, name }: { readonly share: number; readonly name: string }): VNode {
  const percent = Math.min(100, Math.max(0, share * 100));
  const isBeyond = share > 1;
  return (
    <div class="track">
      <div class={`bar ${name} ${isBeyond ? "beyond" : ""}`} style={{ width: `${percent}%` }} />
    </div>
  );
}
