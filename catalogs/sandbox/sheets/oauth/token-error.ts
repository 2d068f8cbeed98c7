// A refusal of the token endpoint (RFC 6749 section 5.2).

export class TokenError extends Error {
  readonly error: string;
  readonly status: number;

  constructor(error: string, description: string, status: number) {
    super(description);
    this.error = error;
    this.status = status;
  }
}

/** HTTP 400, and 401 for an unknown client. */
export function tokenError(error: string, description: string): TokenError {
  return new TokenError(error, description, error === "invalid_client" ? 401 : 400);
}
