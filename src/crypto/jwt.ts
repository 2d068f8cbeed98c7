// Signed tokens: JWT (RFC 7519) in the compact form of JWS (RFC 7515). Who signs has the key and the algorithm.

/** What is signed: header and claims. */
export function unsignedToken(header: object, claims: object): string {
  return `${encoded(header)}.${encoded(claims)}`;
}

/** The token, with the signature of its text. */
export function signedToken(unsigned: string, signature: Uint8Array): string {
  return `${unsigned}.${base64Url(signature)}`;
}

export function base64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
