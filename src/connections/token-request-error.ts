// Why there is no grant.
export class TokenRequestError extends Error {
  override readonly name = "TokenRequestError";
  /** The OAuth error of the provider, or undefined when it did not answer as one. */
  readonly code: string | undefined;
  /** Nothing is known about the grant: try again later. */
  readonly transient: boolean;

  constructor(message: string, options: { code?: string; transient: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.transient = options.transient;
  }
}
