// The services of people who sign in, as the composition root creates them.
import type { Audit } from "../audit";
import type { Core } from "../core";
import type { Suspensions } from "../identity";
import { Invitations } from "./invitations";
import { Passkeys } from "./passkeys/service";
import { Sessions } from "./sessions";
import type { SignInMethod } from "./terms";

export interface PeopleServices {
  /** Browsers in which people are signed in. */
  readonly sessions: Sessions;
  /** People of projects, and their one-time links. */
  readonly invitations: Invitations;
  readonly passkeys: Passkeys;
}

interface Parts {
  audit: Audit;
  suspensions: Suspensions;
}

export function peopleServices(core: Core, parts: Parts): PeopleServices {
  const sessions = new Sessions(core, parts.suspensions);
  const ofPeople = { ...parts, sessions, methodOf: async () => methodOf(core) };
  const invitations = new Invitations(core, ofPeople);
  return { sessions, invitations, passkeys: new Passkeys(core, ofPeople, invitations) };
}

/** How people sign in. */
function methodOf({ settings }: Core): SignInMethod {
  const isOidc = settings["auth.url"] !== undefined && settings["auth.client_id"] !== undefined;
  return settings.sign_in ?? (isOidc ? "oidc" : "none");
}
