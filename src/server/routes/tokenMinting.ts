/** Who makes the tokens that the holders of permissions show instead of a key. */
export interface TokenMint {
  /** Makes a token for that version of the permission, good for so many seconds from now. */
  mint(permissionRid: string, etag: string, expirySeconds: number): string;
}
