// The services of this area, which share their parts.
import type { Audit } from "../audit";
import type { Core } from "../core";
import type { Identity, OpenIdIssuer } from "../identity";
import { Groups } from "./groups";
import { Methods } from "./methods";
import { OpenIdClient } from "./openid";
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
  return {
    sessions,
    people: new People(core, { methods, groups, sessions }),
    signIn: new SignIn(core, { client, groups, methods, sessions, suspensions }),
  };
}
