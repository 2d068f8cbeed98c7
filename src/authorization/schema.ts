// Records of consent flows.
import { type Static, Type } from "typebox";

const scopes = Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 200 });
export const UserId = Type.String({ minLength: 1, maxLength: 256 });
export const NextUri = Type.String({ maxLength: 2000, description: "Where the browser goes at the end." });

export const AuthorizationInitiationRequest = Type.Object({
  auth_requirement: Type.Object({
    id: Type.Optional(Type.String({ description: "One exact auth provider record." })),
    provider_id: Type.Optional(Type.String({ description: "A well-known provider, or a record's id." })),
    provider_type: Type.Optional(Type.Enum(["oauth2"])),
    oauth2: Type.Optional(Type.Object({ scopes: Type.Optional(scopes) })),
  }),
  user_id: Type.Optional(UserId),
  next_uri: Type.Optional(NextUri),
});

export const AUTHORIZATION_STATUSES = ["not_started", "pending", "completed", "failed"] as const;

export const AuthorizationResponse = Type.Object({
  id: Type.String(),
  status: Type.Enum([...AUTHORIZATION_STATUSES]),
  /** Why it failed, or what to know about a pending one. */
  status_reason: Type.Optional(Type.String()),
  url: Type.Optional(Type.String({ description: "Where to send the user; only while pending." })),
  user_id: Type.String(),
  provider_id: Type.Optional(Type.String()),
  scopes: Type.Array(Type.String()),
  context: Type.Object({ user_info: Type.Optional(Type.Unknown()) }),
});

export const AuthStatusQuery = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100, description: "Authorization id." }),
  wait: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 59, description: "Seconds to wait for the end of the flow." }),
  ),
});

export type AuthorizationInitiation = Static<typeof AuthorizationInitiationRequest>;
export type Authorization = Static<typeof AuthorizationResponse>;
