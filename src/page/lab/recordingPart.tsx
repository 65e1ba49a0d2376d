/** A workload from what is asked of a container right now, recorded by the server. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../base/wording.ts";
import type { RecordingQuestion } from "../../protocol/admin.ts";
import type { RecordedWorkloadAnswer } from "../../protocol/adminLab.ts";
import { useAdmin, usePage } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import { Empty, Failed, Loading } from "../parts/states.tsx";
import { Tag } from "../parts/tag.tsx";
import { containerRoute } from "../session/containerRoute.ts";
import type { AskFailure } from "../session/server.ts";
import { keyLines } from "./labForm.ts";
import type { LabState } from "./labState.ts";

/** What the server says of a recording while it runs. */
interface RecordingAnswer {
  readonly recording: {
    readonly state: string;
    readonly seconds: number;
    readonly operationCount: number;
    readonly ratePerSecond: number;
    readonly shapeCount: number;
    readonly reason?: string;
  };
}

const SECONDS = 2;

export function RecordingPart({ lab }: { readonly lab: LabState }): VNode {
  const { form } = lab;
  if (form.about === undefined) {
    return (
      <Empty title="No container is chosen.">
        Choose one in the step Data; its requests can then be recorded.
      </Empty>
    );
  }
  return <Recorder lab={lab} route={`${containerRoute(form.about)}recordings`} />;
}

interface RecorderProps {
  readonly lab: LabState;
  readonly route: string;
}

function Recorder({ lab, route }: RecorderProps): VNode {
  const { server, answers, announcer } = usePage();
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  const progressRoute = `${route}?part=progress`;
  const answer = useAdmin<RecordingAnswer>(progressRoute, SECONDS);
  const isAbsent = answer.failure?.kind === "absent";
  const recording = isAbsent ? undefined : answer.value?.recording;
  const say = (text: string): void => announcer.say(text);
  const start = async (secretPaths: readonly string[]): Promise<void> => {
    const question: RecordingQuestion = secretPaths.length === 0 ? {} : { secretPaths };
    const started = await server.change<RecordingAnswer>("POST", route, question);
    setFailure(started.ok ? undefined : started.error);
    if (started.ok) say("The recording was started.");
    answers.urge(progressRoute);
  };
  const use = async (): Promise<void> => {
    const read = await server.admin<RecordedWorkloadAnswer>(`${route}?part=workload`);
    setFailure(read.ok ? undefined : read.error);
    if (!read.ok) return;
    lab.setWorkload(read.value.workload);
    say("The recording is the workload now.");
  };
  const discard = async (): Promise<void> => {
    const ended = await server.change("DELETE", route);
    setFailure(ended.ok ? undefined : ended.error);
    if (ended.ok) say("The recording has ended and is forgotten.");
    answers.urge(progressRoute);
  };
  if (recording === undefined && !isAbsent) {
    return answer.failure === undefined ? (
      <Loading what="Asking for recordings." rows={2} />
    ) : (
      <Failed failure={answer.failure} />
    );
  }
  return (
    <div class="stack tight">
      {failure === undefined ? null : <Failed failure={failure} />}
      {recording === undefined ? (
        <RecordingStart onStart={(paths) => void start(paths)} />
      ) : (
        <RecordingState of={recording} onUse={() => void use()} onDiscard={() => void discard()} />
      )}
    </div>
  );
}

interface RecordingStartProps {
  readonly onStart: (secretPaths: readonly string[]) => void;
}

function RecordingStart({ onStart }: RecordingStartProps): VNode {
  const [secrets, setSecrets] = useState("");
  return (
    <>
      <p>
        The server takes down what is asked of the container: operations with their rates and
        charges, which keys, which values. Nothing is copied.
      </p>
      <TextField
        label="Secret paths"
        isMono
        value={secrets}
        onInput={setSecrets}
        placeholder="/customer/email"
        help="Separated by commas; their values are not kept."
      />
      <p>
        <Button onPress={() => onStart(keyLines(secrets.replaceAll(",", "\n")))}>
          Start recording
        </Button>
      </p>
    </>
  );
}

interface RecordingStateProps {
  readonly of: RecordingAnswer["recording"];
  readonly onUse: () => void;
  readonly onDiscard: () => void;
}

function RecordingState({ of, onUse, onDiscard }: RecordingStateProps): VNode {
  const { state, operationCount, seconds, shapeCount, reason } = of;
  const soFar =
    `${counted(operationCount, "operation")} in ${counted(Math.round(seconds), "second")}, ` +
    `${counted(shapeCount, "kind")} of them.`;
  return (
    <>
      <p role="status">
        <Tag tone={state === "running" ? "now" : "none"} word={state} /> {soFar} {reason ?? ""}
      </p>
      <p class="tools">
        <Button onPress={onUse}>Use it as the workload</Button>
        <Button onPress={onDiscard}>Stop and forget it</Button>
      </p>
      <p class="small">
        Rates of ten minutes are not those of a day: let it run for a day if you can. Using it does
        not end it.
      </p>
    </>
  );
}
