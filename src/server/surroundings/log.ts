/**
 * Log lines: a constant event name and fields, one JSON object a line, so that lines can be counted
 * and grouped. They go to standard error; standard output belongs to whoever started the server.
 */
export type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

export function jsonLog(write: (line: string) => void, wallNow: () => number): Log {
  return (event, fields) => {
    write(`${JSON.stringify({ at: new Date(wallNow()).toISOString(), event, ...fields })}\n`);
  };
}
