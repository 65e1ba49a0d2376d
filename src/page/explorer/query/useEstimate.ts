/** Asks for the estimate of a query when somebody has stopped typing; nothing is run for it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { millis } from "../../../base/units.ts";
import type { NamedContainer } from "../../../model/copyJob.ts";
import type {
  EstimateAnswer,
  EstimateQuestion,
  EstimateReply,
} from "../../../protocol/adminQuery.ts";
import { usePage } from "../../control/page.ts";
import type { AskFailure } from "../../session/server.ts";

/** Between two looks; a text that is the same at both is asked for. */
const PAUSE = millis(500);

export interface Estimated {
  readonly answer?: EstimateAnswer | undefined;
  /** Why the query would be refused, as the server words it. */
  readonly refusal?: string | undefined;
  readonly failure?: AskFailure | undefined;
}

/** `undefined` until there is an answer about this very question. */
export function useEstimate(
  { database, container }: NamedContainer,
  question: EstimateQuestion,
): Estimated | undefined {
  const { server, schedule } = usePage();
  const latest = useRef("");
  latest.current = JSON.stringify(question);
  const [told, setTold] = useState<{ readonly of: string; readonly estimated: Estimated }>();
  const names = [database, container].map(encodeURIComponent).join("/");
  useEffect(() => {
    let seen: string | undefined;
    let asked: string | undefined;
    const looking = schedule.repeat(PAUSE, async () => {
      const now = latest.current;
      const isAtRest = now === seen;
      seen = now;
      if (!isAtRest || now === asked) return;
      asked = now;
      const { query } = JSON.parse(now) as EstimateQuestion;
      if (query.trim() === "") return;
      const route = `containers/${names}/estimate`;
      const answer = await server.change<EstimateReply>("POST", route, JSON.parse(now));
      const estimated = answer.ok
        ? { answer: answer.value.estimate, refusal: answer.value.refusal }
        : { failure: answer.error };
      setTold({ of: now, estimated });
    });
    return () => looking.stop();
  }, [schedule, server, names]);
  return told?.of === latest.current ? told.estimated : undefined;
}
