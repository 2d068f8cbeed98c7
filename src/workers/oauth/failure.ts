// Why a worker's users cannot consent.

export type OAuthFailureReason =
  /** Its metadata, or that of its authorization server, cannot be read. */
  | "unreachable"
  | "no_metadata"
  | "invalid_metadata"
  /** The metadata is that of another resource, or of another issuer. */
  | "other_resource"
  | "other_issuer"
  | "no_s256"
  /** There is no client, and none may be registered. */
  | "no_client"
  | "registration_refused";

/** The message is for the administrator: what is wrong, then what to do. It names no secret. */
export class OAuthFailure extends Error {
  override readonly name = "OAuthFailure";
  readonly reason: OAuthFailureReason;

  constructor(reason: OAuthFailureReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
