// What only creating and changing a record needs: schemas, rules, discovery. It is loaded with the first of these, so that
// no start waits for it.
import { knownFields } from "./patch";
import { type AuthProviderCreate, OAuth2Create, type OAuth2Config } from "./schema";

export { discovered } from "./discovery";
export { patched } from "./patch";
export { checkOAuth2 } from "./rules";

/** The record's `oauth2` as it may be stored, and beside it what is sealed. */
export function givenOAuth2({ oauth2 }: AuthProviderCreate): {
  given: OAuth2Config;
  clientSecret: string | undefined;
  privateKey: string | undefined;
} {
  const { client_secret, private_key, ...given } = knownFields(OAuth2Create, oauth2);
  return { given, clientSecret: client_secret, privateKey: private_key };
}
