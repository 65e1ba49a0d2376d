/**
 * The throughput of a container: another rate, tried on the load of the last day before it is
 * asked for, or the other kind of throughput.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { DAY_MS } from "../../../base/units.ts";
import type { HistoryReport, OverviewRow } from "../../../protocol/admin.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import { useAnswer, usePage } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { rateText } from "../../parts/numbers.ts";
import { Panel } from "../../parts/panel.tsx";
import { containerRoute } from "../../session/containerRoute.ts";
import type { Definition } from "./definitionDraft.ts";
import { replayOf, replayText } from "./replay.ts";

interface RateProps {
  readonly row: OverviewRow;
  readonly offer: Definition | undefined;
  readonly onSaved: () => void;
}

export function Rate({ row, offer, onSaved }: RateProps): VNode {
  if (offer === undefined) {
    return (
      <Panel title="Throughput">
        <p>The container shares the throughput of its database, or the account is serverless.</p>
      </Panel>
    );
  }
  const held = heldIn(offer);
  // Another rate that was saved, here or elsewhere, is begun with.
  const key = `${held.kind} ${held.ratePerSecond}`;
  return <OwnRate key={key} row={row} offer={offer} held={held} onSaved={onSaved} />;
}

interface HeldRate {
  readonly kind: "manual" | "autoscale";
  /** Of autoscale, the most. */
  readonly ratePerSecond: number;
}

function heldIn(offer: Definition): HeldRate {
  const content = (offer["content"] ?? {}) as Definition;
  const settings = content["offerAutopilotSettings"] as Definition | undefined;
  return settings === undefined
    ? { kind: "manual", ratePerSecond: Number(content["offerThroughput"] ?? 0) }
    : { kind: "autoscale", ratePerSecond: Number(settings["maxThroughput"] ?? 0) };
}

interface OwnRateProps extends RateProps {
  readonly offer: Definition;
  readonly held: HeldRate;
}

function OwnRate({ row, offer, held, onSaved }: OwnRateProps): VNode {
  const { clock, server } = usePage();
  const { kind, ratePerSecond } = held;
  const [typed, setTyped] = useState(String(ratePerSecond));
  const [isAsked, setAsked] = useState(false);
  const { problem, setRate, changeKind } = useRateChanges(offer, held, onSaved);
  const history = useAnswer<HistoryReport>(`replay ${containerRoute(row)}`, () =>
    server.admin(`${containerRoute(row)}history?from=${clock.wallNow() - DAY_MS}&slotSeconds=60`),
  ).value;
  const wanted = Number(typed);
  const replay = history && replayOf(history, ratePerSecond, wanted);
  return (
    <Panel title={`Throughput, ${kind}`}>
      <div class="stack tight">
        <TextField
          label={kind === "manual" ? "RU/s" : "RU/s at most"}
          type="number"
          value={typed}
          onInput={setTyped}
          problem={problem}
        />
        {replay === undefined || replay.countedMinutes === 0 ? (
          <p class="small">Nobody counted load in the last day: nothing to try the rate on.</p>
        ) : (
          <p class="small">
            At {rateText(wanted)}, {replayText(replay)} Counted by the busiest second of each
            minute, with today's partitions.
          </p>
        )}
        <div class="tools">
          <Button
            whyNot={wanted > 0 && wanted !== ratePerSecond ? undefined : "Type another rate."}
            onPress={() => void setRate(wanted)}
          >
            Change the rate
          </Button>
          <Button onPress={() => setAsked(true)}>Change to {otherThan(kind)}…</Button>
        </div>
      </div>
      {isAsked ? (
        <KindAsked
          kind={kind}
          onConfirm={() => {
            setAsked(false);
            void changeKind();
          }}
          onClose={() => setAsked(false)}
        />
      ) : null}
    </Panel>
  );
}

function otherThan(kind: HeldRate["kind"]): string {
  return kind === "manual" ? "autoscale" : "manual throughput";
}

/** What each kind means for the load and for the bill. */
const MEANINGS: Readonly<Record<HeldRate["kind"], string>> = {
  autoscale:
    "The rate then follows the load, between a tenth of the most and the most, and each hour is " +
    "paid by its highest rate.",
  manual:
    "The rate then stays where it is set, whatever the load, and is paid whether it is used or " +
    "not.",
};

interface KindAskedProps {
  readonly kind: HeldRate["kind"];
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

function KindAsked({ kind, onConfirm, onClose }: KindAskedProps): VNode {
  const change = `Change to ${otherThan(kind)}`;
  return (
    <Confirm title={`${change}?`} action={change} onConfirm={onConfirm} onClose={onClose}>
      <p>
        {MEANINGS[kind === "manual" ? "autoscale" : "manual"]} The server chooses the first rate, as
        the service does; change it afterwards.
      </p>
    </Confirm>
  );
}

interface RateChanges {
  readonly problem: string | undefined;
  readonly setRate: (ratePerSecond: number) => Promise<void>;
  readonly changeKind: () => Promise<void>;
}

function useRateChanges(offer: Definition, { kind }: HeldRate, onSaved: () => void): RateChanges {
  const { server, announcer } = usePage();
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const content = (offer["content"] ?? {}) as Definition;
  const save = async (
    after: Definition,
    headers: Readonly<Record<string, string>>,
    said: string,
  ): Promise<void> => {
    const path = `/offers/${encodeURIComponent(String(offer["_rid"]))}`;
    const body = { ...offer, content: after };
    const answer = await server.data({ method: "PUT", path, headers, body });
    setProblem(answer.ok ? undefined : answer.error.message);
    if (answer.ok) announcer.say(said);
    onSaved();
  };
  return {
    problem,
    setRate: (rate) =>
      save(
        kind === "manual"
          ? { ...content, offerThroughput: rate }
          : { ...content, offerAutopilotSettings: { maxThroughput: rate } },
        {},
        `The rate is ${rateText(rate)} now.`,
      ),
    changeKind: () =>
      kind === "manual"
        ? save(content, { [HEADER.toAutoscale]: "true" }, "The throughput is autoscale now.")
        : save(content, { [HEADER.toManual]: "true" }, "The throughput is manual now."),
  };
}
