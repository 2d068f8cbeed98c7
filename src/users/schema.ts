// What is known of users, and what is done with all of it. Not in the published contract.
import { type Static, Type } from "typebox";
import { PERSON_ROLES } from "../identity/schema";

const id = Type.String({ minLength: 1, maxLength: 256, description: "The id of the user." });
const rows = (description: string) => Type.Array(Type.Record(Type.String(), Type.Unknown()), { description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

export const UserRequest = Type.Object({ user_id: id });

export const UsersQuery = Type.Object({
  user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: "Only this user." })),
  after: Type.Optional(Type.String({ maxLength: 256, description: "Only users behind this one." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, default: 100, description: "Page size, at most 100." })),
});

export const UsersResponse = Type.Object({
  items: Type.Array(
    Type.Object({
      user_id: id,
      suspended: Type.Boolean({ description: "Whether nothing is done for the user." }),
      connections: count("Number of grants."),
      scheduled_runs: count("Number of scheduled runs, ended ones included."),
      role: Type.Optional(
        Type.Enum([...PERSON_ROLES], { description: "What an invited person may do in the project." }),
      ),
      name: Type.Optional(Type.String({ description: "How pages call an invited person." })),
      passkeys: count("Number of passkeys."),
      sessions: count("Number of browsers in which the user is signed in."),
      clients: count("Number of clients that the user has allowed to act."),
    }),
  ),
  next: Type.Optional(Type.String({ description: "Value of `after` for the next page." })),
});

/** Each list has what an erasure removes. */
export const UserExportResponse = Type.Object({
  user_id: id,
  project_id: Type.String(),
  exported_at: Type.String({ format: "date-time" }),
  connections: rows("Grants, with what their providers told about the user; never tokens."),
  revocations: rows("Grants that are still to be revoked at their providers."),
  consents: rows("Consent flows."),
  scheduled_runs: rows("Scheduled runs with their inputs, attempts and results."),
  remembered: rows("What tools have kept of listings, without the content."),
  answers: rows("Answers that are kept for repeated requests."),
  keys: rows("API keys that are pinned to the user, among others or alone."),
  workloads: rows("Workloads that are pinned to the user, among others or alone."),
  workers: rows("Workers whose catalogs are read with the consent of the user."),
  suspensions: rows("Since when the user is suspended."),
  people: rows("The role of an invited person."),
  passkeys: rows("Passkeys, without the keys."),
  sign_in_links: rows("One-time links that were not used yet."),
  sessions: rows("Browsers in which the person is signed in."),
  identities: rows("What the identity provider says about the person: groups; never tokens."),
  clients: rows("Clients that the person has allowed to act."),
  client_tokens: rows("Tokens and codes of these clients, without their values."),
  executions: rows("The execution log."),
  audit: rows("Entries of the audit trail that name the user. They stay, under a pseudonym."),
});

export const UserStateResponse = Type.Object({
  user_id: id,
  suspended: Type.Boolean({ description: "Whether nothing is done for the user." }),
});

export const ErasedUserResponse = Type.Object({
  user_id: id,
  erased: Type.Record(Type.String(), Type.Integer(), {
    description: "Number of rows, by the lists of the export.",
  }),
  revoked: count(
    "Grants that were revoked at their providers, or that another connection of the account needs.",
  ),
  to_revoke: count("Grants whose revocation is tried again. They no longer name the user."),
});

export type UsersFilter = Static<typeof UsersQuery>;
export type UsersPage = Static<typeof UsersResponse>;
export type UserExport = Static<typeof UserExportResponse>;
export type UserState = Static<typeof UserStateResponse>;
export type ErasedUser = Static<typeof ErasedUserResponse>;
