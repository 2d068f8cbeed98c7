// A refusal of the token endpoint in the platform's form: HTTP 200 and `{"error": …}`.

/** Thrown by the token endpoint; the server converts it to the answer. */
export class OAuthRefusal extends Error {
  readonly code: string;
  readonly description: string | undefined;

  constructor(code: string, description?: string) {
    super(code);
    this.code = code;
    this.description = description;
  }
}
