// Records of people who sign in. Not in the published contract.
import { type Static, Type } from "typebox";
import { PERSON_ROLES, SIGN_IN_METHODS } from "../identity/schema";

const time = Type.String({ format: "date-time", description: "RFC 3339, UTC." });
const userId = Type.String({ minLength: 1, maxLength: 256, description: "The id of the user." });
const name = Type.String({ minLength: 1, maxLength: 256, description: "How pages call the person." });

export const PersonRole = Type.Enum([...PERSON_ROLES], {
  description: "What the person may do in the project.",
});

export const BrowserSessionResponse = Type.Object({
  id: Type.String(),
  method: Type.Enum([...SIGN_IN_METHODS.filter((method) => method !== "none"), "link"]),
  current: Type.Boolean({ description: "Whether it is the session of the browser that asks." }),
  user_agent: Type.Optional(Type.String()),
  address: Type.Optional(Type.String()),
  created_at: time,
  used_at: time,
});

export const BrowserSessionsQuery = Type.Object({ user_id: userId });
export const BrowserSessionsResponse = Type.Object({ items: Type.Array(BrowserSessionResponse) });
export const EndSessionsRequest = Type.Object({
  user_id: userId,
  id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: "Only this session; absent: all." }),
  ),
});
export const EndedSessionsResponse = Type.Object({
  ended: Type.Integer({ minimum: 0, description: "Number of sessions that were ended." }),
});

export const PersonResponse = Type.Object({
  user_id: userId,
  role: PersonRole,
  name: Type.Optional(name),
  passkeys: Type.Integer({ minimum: 0, description: "Number of passkeys." }),
  sessions: Type.Integer({ minimum: 0, description: "Number of browser sessions." }),
  created_at: time,
});

export const InvitationRequest = Type.Object({
  user_id: userId,
  role: Type.Optional(PersonRole),
  name: Type.Optional(name),
});

/** `link` is shown once. The first who uses it is taken for the person. Without one where people sign in elsewhere. */
export const InvitationResponse = Type.Object({
  user_id: userId,
  role: PersonRole,
  kind: Type.Optional(
    Type.Enum(["passkey", "session"], {
      description: "What the link does: set a passkey, or sign in once.",
    }),
  ),
  link: Type.Optional(Type.String({ description: "A one-time address for the person." })),
  expires_at: Type.Optional(time),
  note: Type.Optional(Type.String({ description: "What is to be known about this way of signing in." })),
});

export const PersonChangeRequest = Type.Object({
  user_id: userId,
  role: Type.Optional(PersonRole),
  name: Type.Optional(name),
});

export const PersonStateResponse = Type.Object({
  user_id: userId,
  role: PersonRole,
  name: Type.Optional(name),
});

export const PersonRequest = Type.Object({ user_id: userId });

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Numbers of what stopped working. */
export const RemovedPersonResponse = Type.Object({
  user_id: userId,
  passkeys: count("Number of passkeys."),
  sessions: count("Number of browser sessions."),
  clients: count("Number of clients that acted for the person."),
});

export type BrowserSession = Static<typeof BrowserSessionResponse>;
export type BrowserSessions = Static<typeof BrowserSessionsResponse>;
export type EndedSessions = Static<typeof EndedSessionsResponse>;
export type PersonRecord = Static<typeof PersonResponse>;
export type Invitation = Static<typeof InvitationRequest>;
export type InvitationLink = Static<typeof InvitationResponse>;
export type PersonChange = Static<typeof PersonChangeRequest>;
export type PersonState = Static<typeof PersonStateResponse>;
export type RemovedPerson = Static<typeof RemovedPersonResponse>;
