// Why a consent failed, as the person in front of the page reads it. The same reasons in `status_reason` are for
// the caller who started the consent.
import { DECLINED_AT_PROVIDER, EXPIRED, NO_KEY_GIVEN, NOT_GRANTED, OTHER_ACCOUNT, OTHER_USER } from "./flow";

export interface PersonWords {
  /** The provider, as people call it. */
  provider: string;
  /** A scope in words. */
  scope: (scope: string) => string;
}

/** The sentence for a reason. Reasons of the provider and of its administrator are shown unchanged. */
export function reasonForPerson(reason: string, { provider, scope }: PersonWords): string {
  switch (reason) {
    case OTHER_ACCOUNT:
      return "You said that this is not you. Your account was not linked.";
    case DECLINED_AT_PROVIDER:
      return `You declined at ${provider}. Your account was not linked.`;
    case NO_KEY_GIVEN:
      return "You did not give a key. Nothing was stored.";
    case OTHER_USER:
      return "You are signed in as another user than the one for whom this link was made. Your account was not linked.";
    case EXPIRED:
      return "You did not finish in time, so this link has expired.";
  }
  if (!reason.startsWith(NOT_GRANTED))
    return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${reason.endsWith(".") ? "" : "."}`;
  const missing = reason.slice(NOT_GRANTED.length).split(", ").map(scope);
  return `You did not grant everything that is needed. Missing: ${missing.join("; ")}.`;
}
