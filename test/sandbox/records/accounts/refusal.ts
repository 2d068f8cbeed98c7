// A refusal of the token endpoint in the platform's way: HTTP 200 and `{"error": …}`.

/** Thrown while a token request is worked on; the front turns it into the answer. */
export class OAuthRefusal extends Error {
  readonly code: string;
  readonly description: string | undefined;

  constructor(code: string, description?: string) {
    super(code);
    this.code = code;
    this.description = description;
  }
}
