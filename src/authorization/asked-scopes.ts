// Rules for the scopes of a request.
import { invalidParameter } from "../errors";
import type { Provider } from "../providers";

/** All scopes of a request together. They become part of an address, and each pending consent stores them. */
const MAX_SCOPE_CHARACTERS = 8000;

/** Throws `invalid_parameter` for too many scopes, and for any if the provider takes keys. */
export function checkScopes({ id, apiKey }: Provider, scopes: readonly string[]): void {
  if (apiKey !== undefined && scopes.length > 0)
    throw invalidParameter(
      `The auth provider ${id} takes keys of users, which have no scopes. Leave out oauth2.scopes.`,
    );
  const characters = scopes.reduce((sum, scope) => sum + scope.length, 0);
  if (characters <= MAX_SCOPE_CHARACTERS) return;
  throw invalidParameter(
    `The scopes have more than ${MAX_SCOPE_CHARACTERS} characters together. Request fewer.`,
  );
}
