// Records of stored secrets: values that tools need, set by an administrator.
import { type Static, Type } from "typebox";
import { BindingResponse } from "../identity/schema";

export const SecretKey = Type.String({ minLength: 1, maxLength: 100, pattern: "^[A-Za-z0-9_]+$" });

export const UpsertStoredSecretRequest = Type.Object({
  value: Type.String({ minLength: 1, maxLength: 5000 }),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
});

const time = Type.String({ format: "date-time" });

export const StoredSecretResponse = Type.Object({
  id: Type.String(),
  key: SecretKey,
  description: Type.Optional(Type.String()),
  binding: BindingResponse,
  created_at: time,
  updated_at: time,
  last_accessed_at: Type.Optional(time),
});

export type UpsertStoredSecret = Static<typeof UpsertStoredSecretRequest>;
export type StoredSecret = Static<typeof StoredSecretResponse>;
