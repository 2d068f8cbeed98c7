// Records of consent flows.
import { type Static, Type } from "typebox";
import { PROVIDER_TYPES } from "../providers/schema";

const scopes = Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 200 });
export const UserId = Type.String({ minLength: 1, maxLength: 256 });
export const NextUri = Type.String({
  maxLength: 2000,
  description: "Where the browser is redirected at the end.",
});

export const AuthorizationInitiationRequest = Type.Object({
  auth_requirement: Type.Object({
    id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "Id of an auth provider record." }),
    ),
    provider_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: "A well-known provider, or the id of a record.",
      }),
    ),
    provider_type: Type.Optional(Type.Enum([...PROVIDER_TYPES])),
    oauth2: Type.Optional(Type.Object({ scopes: Type.Optional(scopes) })),
  }),
  user_id: Type.Optional(UserId),
  next_uri: Type.Optional(NextUri),
});

export const AUTHORIZATION_STATUSES = ["not_started", "pending", "completed", "failed"] as const;

export const AuthorizationResponse = Type.Object({
  id: Type.String(),
  status: Type.Enum([...AUTHORIZATION_STATUSES]),
  /** Why it failed, or a warning about a successful one. */
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

const FlowId = Type.String({ minLength: 1, maxLength: 200 });

export const AuthorizationConfirmUserRequest = Type.Object({ flow_id: FlowId, user_id: UserId });
export const AuthorizationConfirmUserResponse = Type.Object({
  auth_id: Type.String(),
  next_uri: Type.Optional(Type.String({ description: "Where to send the browser." })),
});

export const ValidateCustomVerifierRequest = Type.Object({
  verifier_url: Type.String({ minLength: 1, maxLength: 2000 }),
  user_id: UserId,
});
export const ValidateCustomVerifierResponse = Type.Object({
  flow_id: FlowId,
  next_uri: Type.String({ description: "The verifier's address; open it in a browser." }),
});

export type ConfirmUser = Static<typeof AuthorizationConfirmUserRequest>;
export type ConfirmedUser = Static<typeof AuthorizationConfirmUserResponse>;
export type TestVerifier = Static<typeof ValidateCustomVerifierRequest>;
export type VerifierTest = Static<typeof ValidateCustomVerifierResponse>;
export type AuthorizationInitiation = Static<typeof AuthorizationInitiationRequest>;
export type Authorization = Static<typeof AuthorizationResponse>;
