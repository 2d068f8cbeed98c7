// People who sign in: invitations, roles, and the end of a person's access. Ids of users are in bodies, because addresses are
// logged. Not part of the published contract.
import {
  InvitationRequest,
  InvitationResponse,
  PersonChangeRequest,
  PersonRequest,
  PersonStateResponse,
  RemovedPersonResponse,
} from "../../src/people/schema";
import { operation } from "./operation";

const tag = "Administration";
const errors = [400, 401, 403, 413, 415, 500];

export const peopleOperations = [
  operation("POST", "/v1/admin/users/invite", {
    id: "users-invite",
    extension: true,
    credential: ["admin"],
    tag,
    summary: "Invite a person, or give a known one a new link; only this answer contains the link",
    body: InvitationRequest,
    success: { status: 200, schema: InvitationResponse },
    errors,
    handle: ({ runtime, principal, body }) => runtime.invitations.invite(principal, body),
  }),
  operation("POST", "/v1/admin/users/update", {
    id: "users-update",
    extension: true,
    credential: ["admin"],
    tag,
    summary: "Change role or name of an invited person, from the next request on",
    body: PersonChangeRequest,
    success: { status: 200, schema: PersonStateResponse },
    errors: [...errors, 404],
    handle: ({ runtime, principal, body }) => runtime.invitations.update(principal, body),
  }),
  operation("POST", "/v1/admin/users/remove", {
    id: "users-remove",
    extension: true,
    credential: ["admin"],
    tag,
    summary: "End the access of a person: sessions, clients, links and passkeys stop working",
    body: PersonRequest,
    success: { status: 200, schema: RemovedPersonResponse },
    errors: [...errors, 404],
    handle: ({ runtime, principal, body }) => runtime.invitations.remove(principal, body.user_id),
  }),
];
