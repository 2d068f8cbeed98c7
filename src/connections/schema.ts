// The record of a connection.
import { type Static, Type } from "typebox";
import { pagingQuery } from "../base/schema";
import { PROVIDER_TYPES } from "../providers/schema";

export const UserAuthProviderConnectionResponse = Type.Object({
  id: Type.String(),
  connection_id: Type.String(),
  connection_status: Type.Enum(["active", "expired", "revoked"]),
  provider_id: Type.String(),
  provider_type: Type.Enum([...PROVIDER_TYPES]),
  provider_description: Type.Optional(Type.String()),
  provider_user_info: Type.Optional(Type.Unknown()),
  scopes: Type.Array(Type.String()),
  user_id: Type.String(),
});

export const ConnectionsQuery = Type.Object({
  provider_id: Type.Optional(Type.String({ minLength: 1 })),
  user_id: Type.Optional(Type.String({ minLength: 1 })),
  ...pagingQuery,
});

export type UserConnection = Static<typeof UserAuthProviderConnectionResponse>;
export type ConnectionsFilter = Static<typeof ConnectionsQuery>;
