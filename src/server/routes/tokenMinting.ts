/** Who makes the tokens that the holders of permissions show instead of a key. */
export interface TokenMint {
  /** Good for that version of the permission, for so many seconds from now. */
  mint(permissionRid: string, etag: string, expirySeconds: number): string;
}
