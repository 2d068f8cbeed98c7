// A grant that the provider gave, and that must not be used: the caller revokes it.
import { TokenRequestError } from "./token-answer";
import type { TokenGrant } from "./token-request";

export class RefusedGrantError extends TokenRequestError {
  readonly grant: TokenGrant;

  constructor(message: string, grant: TokenGrant) {
    super(message, { transient: false });
    this.grant = grant;
  }
}
