/** Times as somebody wants to read them: local or UTC, by the appearance that was chosen. */
import { useObserved, usePage } from "../control/page.ts";

interface Times {
  /** `14:10:02` */
  timeText(at: number): string;
  /** `14:10` */
  minuteText(at: number): string;
  /** `18 Nov, 14:10` */
  dayText(at: number): string;
  /** `18 November 2026` */
  dateText(at: number): string;
  /** The name of the zone at that time, such as `UTC+1`. */
  zoneText(at: number): string;
}

export function useTimes(): Times {
  const { zone } = useObserved(usePage().appearance);
  return timesIn(zone === "utc" ? "UTC" : undefined);
}

/** `undefined` is the browser's own zone. */
export function timesIn(timeZone: string | undefined): Times {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const zoned = timeZone === undefined ? options : { ...options, timeZone };
    const formatter = new Intl.DateTimeFormat("en-GB", { ...zoned, hourCycle: "h23" });
    return (at: number): string => formatter.format(at);
  };
  return {
    timeText: format({ hour: "2-digit", minute: "2-digit", second: "2-digit" }),
    minuteText: format({ hour: "2-digit", minute: "2-digit" }),
    dayText: format({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }),
    dateText: format({ day: "numeric", month: "long", year: "numeric" }),
    zoneText: (at) => zoneName(at, timeZone),
  };
}

function zoneName(at: number, timeZone: string | undefined): string {
  const options = { timeZoneName: "shortOffset" as const };
  const formatter = new Intl.DateTimeFormat(
    "en-GB",
    timeZone === undefined ? options : { ...options, timeZone },
  );
  const name = formatter.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value;
  return name?.replace("GMT", "UTC").replace("UTC+0", "UTC") ?? "UTC";
}
