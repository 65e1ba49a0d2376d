/** An outcome that may be an expected "no". Refusals travel as values, never as exceptions. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });
export const no = <E>(error: E): { readonly ok: false; readonly error: E } => ({
  ok: false,
  error,
});

/** A value that a local store gives at once, and a distant one only later. */
export type MaybePromise<T> = T | Promise<T>;
