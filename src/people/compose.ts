// The services of this area, which share their parts.
import type { Audit } from "../audit";
import type { Core } from "../core";
import type { Identity, OpenIdIssuer } from "../identity";
import { Groups } from "./groups";
import { Invitations } from "./invitations";
import { Methods } from "./methods";
import { OpenIdClient } from "./openid";
import { Passkeys } from "./passkeys/service";
import { People } from "./service";
import { Sessions } from "./sessions";
import { SignIn } from "./sign-in";

export interface PeopleServices {
  /** Browsers in which people are signed in. */
  readonly sessions: Sessions;
  /** Who people are in a project: role and groups. */
  readonly people: People;
  /** How browsers become those of people. */
  readonly signIn: SignIn;
  /** People of projects, and their one-time links. */
  readonly invitations: Invitations;
  readonly passkeys: Passkeys;
}

/** `issuer`: the OpenID provider of `auth.url`. */
export function peopleServices(
  core: Core,
  audit: Audit,
  identity: Identity,
  issuer: OpenIdIssuer,
): PeopleServices {
  const { suspensions } = identity;
  const sessions = new Sessions(core, suspensions, audit);
  const methods = new Methods(core, identity.projects);
  const client = new OpenIdClient(core, issuer);
  const groups = new Groups(core, client);
  const invitations = new Invitations(core, { audit, sessions, suspensions, methods });
  return {
    sessions,
    invitations,
    passkeys: new Passkeys(core, { audit, sessions, suspensions, methods }, invitations),
    people: new People(core, { methods, groups, sessions }),
    signIn: new SignIn(core, { client, groups, methods, sessions, suspensions }),
  };
}
