// Records of the clients that people have allowed something. Not in the published contract.
import { type Static, Type } from "typebox";

const time = Type.String({ format: "date-time", description: "RFC 3339, UTC." });

const AllowedResponse = Type.Object({
  user_id: Type.String(),
  gateway: Type.Optional(
    Type.String({ description: "The slug of the gateway; absent: the API of the project." }),
  ),
  since: time,
  last_used_at: Type.Optional(time),
});

export const ClientResponse = Type.Object({
  id: Type.String({ description: "To revoke it: a short name, or the address of its metadata document." }),
  name: Type.Optional(Type.String({ description: "As the client calls itself." })),
  origin: Type.Enum(["built_in", "document", "registered"], {
    description: "How it came: with the product, with a metadata document, or by registering itself.",
  }),
  allowed: Type.Array(AllowedResponse, { description: "By whom, and for which gateway." }),
  last_used_at: Type.Optional(time),
});

export const ClientsResponse = Type.Object({ items: Type.Array(ClientResponse) });

export const RevokeClientRequest = Type.Object({ id: Type.String({ minLength: 1, maxLength: 2048 }) });

export const RevokedClientResponse = Type.Object({
  id: Type.String(),
  grants: Type.Integer({ minimum: 0, description: "How many of what people had allowed it has ended." }),
  registration: Type.Boolean({ description: "Whether its registration has ended, in all projects." }),
});

export type ClientRecord = Static<typeof ClientResponse>;
export type ClientList = Static<typeof ClientsResponse>;
export type RevokedClient = Static<typeof RevokedClientResponse>;
