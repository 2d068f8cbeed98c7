// The records of workers about consents. `issuer`, `resource`, `register`, `problem` and `authorization_id` are
// not in the published contract.
import { Type } from "typebox";
import { SecretResponse } from "../identity/schema";

const authorizationUrl = Type.String({
  maxLength: 2048,
  description: "The address of its authorization server, in place of the one that it names.",
});
const clientId = Type.String({ minLength: 1, maxLength: 1000 });
const clientSecret = Type.String({ maxLength: 1000 });
export const externalId = Type.String({ minLength: 1, maxLength: 100 });

const issuer = Type.String({ maxLength: 1000 });
const resource = Type.String({
  maxLength: 2048,
  description: "Sent as resource in place of what its metadata says. Empty: none is sent.",
});
export const oauth2Fields = {
  authorization_url: Type.Optional(authorizationUrl),
  client_id: Type.Optional(clientId),
  client_secret: Type.Optional(clientSecret),
  issuer: Type.Optional(issuer),
  resource: Type.Optional(resource),
  register: Type.Optional(
    Type.Boolean({ description: "Whether to register a new client with its authorization server now." }),
  ),
};

export const shownOAuth2 = Type.Object({
  authorization_url: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String()),
  client_secret: Type.Optional(SecretResponse),
  external_id: Type.Optional(Type.String()),
  redirect_uri: Type.Optional(Type.String()),
  supported_scopes: Type.Optional(Type.Array(Type.String())),
  issuer: Type.Optional(Type.String()),
  resource: Type.Optional(Type.String()),
  problem: Type.Optional(Type.String({ description: "What must be done before users can consent." })),
});

export const WorkerAuthorizeQuery = Type.Object({
  user_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: "The user who consents. Default: one that belongs to the worker.",
    }),
  ),
  next_uri: Type.Optional(
    Type.String({ maxLength: 2000, description: "Where the browser is redirected at the end." }),
  ),
});

export const WorkerAuthorizeResponse = Type.Object({
  worker_id: Type.String(),
  user_id: Type.String(),
  status: Type.String(),
  scopes: Type.Array(Type.String()),
  url: Type.Optional(Type.String()),
  next_uri: Type.Optional(Type.String()),
  authorization_id: Type.Optional(Type.String({ description: "Its id, for auth/status." })),
});
