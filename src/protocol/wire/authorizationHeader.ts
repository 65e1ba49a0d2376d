/** What the header of a credential tells by its first letters. */

/**
 * Whether it may be a resource token: it is plainly neither an account key nor a bearer token,
 * however its escapes are chosen.
 */
export function mayBeToken(authorization = ""): boolean {
  return !/^type(=|%3d)(master|aad)/i.test(authorization);
}
