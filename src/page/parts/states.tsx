/**
 * What a table or a chart shows when it has nothing to show, or not all: nothing is ever blank, and
 * a missing number is never zero.
 *
 * | loading     | after a moment; its size is reserved, and a sentence says what is read        |
 * | empty       | what would be here, and how to get it                                         |
 * | no data     | that nobody counted, which is not zero                                        |
 * | partial     | what is known is drawn, and what lacks is said                                |
 * | old         | the time of the last answer; never silently stale                             |
 * | failed      | what was refused, and what to do                                              |
 * | not allowed | what would be needed; differs from empty                                      |
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { millis } from "../../base/units.ts";
import { usePage } from "../control/page.ts";
import type { Watched } from "../session/answers.ts";
import { browserTimer } from "../session/browserWorld.ts";
import type { AskFailure } from "../session/server.ts";
import { Button } from "./button.tsx";
import { Tag } from "./tag.tsx";
import { useTimes } from "./times.ts";

const LOADING_AFTER = millis(300);

/** `what` is a sentence: "Reading the last 6 hours of shop/orders." */
export function Loading({
  what,
  rows = 4,
}: {
  readonly what: string;
  readonly rows?: number;
}): VNode {
  const [isShown, setShown] = useState(false);
  useEffect(() => browserTimer.after(LOADING_AFTER, () => setShown(true)), []);
  return (
    <div class={`state loading ${isShown ? "" : "early"}`} aria-busy="true">
      <p>{isShown ? what : "\u00a0"}</p>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class={`flat flat${row % 4}`} />
      ))}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** What leads on: a button or a link. */
  readonly action?: ComponentChildren;
}

export function Empty({ title, children, action }: EmptyProps): VNode {
  return (
    <div class="state">
      <p>
        <strong>{title}</strong> {children}
      </p>
      {action === undefined ? null : <p>{action}</p>}
    </div>
  );
}

export function NoData({ children }: { readonly children: ComponentChildren }): VNode {
  return (
    <div class="state">
      <p>
        <Tag tone="none" word="no data" /> {children}
      </p>
    </div>
  );
}

export function Partial({ children }: { readonly children: ComponentChildren }): VNode {
  return (
    <p class="state small">
      <Tag tone="warn" word="partial" /> {children}
    </p>
  );
}

const WORDS: Readonly<Record<AskFailure["kind"], string>> = {
  unreachable: "no answer",
  signedOut: "signed out",
  notAllowed: "not allowed",
  absent: "not there",
  throttled: "throttled",
  refused: "refused",
  cancelled: "cancelled",
};

interface FailedProps {
  readonly failure: AskFailure;
  readonly onRetry?: (() => void) | undefined;
}

export function Failed({ failure, onRetry }: FailedProps): VNode {
  const { kind, message, charge } = failure;
  const isAllowed = kind !== "notAllowed" && kind !== "signedOut";
  return (
    <div class="state" role="alert">
      <p>
        <Tag tone={isAllowed ? "bad" : "none"} word={WORDS[kind]} /> {message}
        {charge === undefined || charge === 0 ? null : ` It cost ${charge} RU.`}
      </p>
      {onRetry === undefined ? null : (
        <p>
          <Button onPress={onRetry}>Ask again</Button>
        </p>
      )}
    </div>
  );
}

interface AnsweredProps<T> {
  readonly of: Watched<T>;
  /** A sentence for the time until the first answer is there. */
  readonly loading: string;
  readonly rows?: number | undefined;
  readonly onRetry?: (() => void) | undefined;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows an answer; until it is there, and when none comes, says so. An old answer is marked. */
export function Answered<T>({ of, loading, rows, onRetry, children }: AnsweredProps<T>): VNode {
  const { value, failure } = of;
  if (value !== undefined) {
    return (
      <>
        {failure === undefined ? null : <Old of={of} onRetry={onRetry} />}
        {children(value)}
      </>
    );
  }
  if (failure !== undefined) return <Failed failure={failure} onRetry={onRetry} />;
  return <Loading what={loading} rows={rows ?? 4} />;
}

interface OldProps {
  readonly of: Watched<unknown>;
  readonly onRetry?: (() => void) | undefined;
}

/** Says that the server does not answer, and from when what is shown is. */
export function Old({ of: { at, failure }, onRetry }: OldProps): VNode {
  const { clock } = usePage();
  const { timeText } = useTimes();
  return (
    <div class="state old" role="status">
      <Tag tone="warn" word={`from ${timeText(at ?? clock.wallNow())}`} /> {failure?.message} You
      see what it last said.{" "}
      {onRetry === undefined ? null : (
        <Button kind="quiet" onPress={onRetry}>
          Ask again
        </Button>
      )}
    </div>
  );
}
