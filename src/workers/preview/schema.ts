// What an address turns out to be. Not in the published contract.
import { type Static, Type } from "typebox";
import { headers, own, secret, secrets, SkippedTool, uri, WORKER_TYPES } from "../schema";
import { GivenStdio } from "../stdio/schema";

/** As for creating one; what is left out is found out. */
export const PreviewWorkerRequest = Type.Object({
  type: Type.Optional(
    Type.Enum([...WORKER_TYPES], { description: "Default: what the address turns out to be." }),
  ),
  http: Type.Optional(Type.Object({ uri, secret: Type.Optional(secret) })),
  mcp: Type.Optional(Type.Object({ uri, headers: Type.Optional(headers), secrets: Type.Optional(secrets) })),
  identity: own.identity,
  identity_header: own.identity_header,
});

/** At the terminal of the data folder: an MCP server may also be a program. */
export const TerminalPreviewRequest = Type.Object({
  ...PreviewWorkerRequest.properties,
  mcp: Type.Optional(
    Type.Object({
      ...PreviewWorkerRequest.properties.mcp.properties,
      uri: Type.Optional(uri),
      stdio: Type.Optional(GivenStdio),
    }),
  ),
});

export const WorkerPreviewResponse = Type.Object({
  type: Type.Enum([...WORKER_TYPES]),
  suggested_id: Type.String({ description: "An id for the worker." }),
  server: Type.Optional(
    Type.Object({ name: Type.Optional(Type.String()), version: Type.Optional(Type.String()) }),
  ),
  tools: Type.Array(
    Type.Object({
      name: Type.String({ description: "As it would be named behind the toolkit." }),
      description: Type.String(),
    }),
  ),
  skipped: Type.Array(SkippedTool, { description: "What of its catalog cannot be offered." }),
  sends_tokens: Type.Boolean({ description: "Whether its tools ask for the tokens of users." }),
  authorization: Type.Optional(
    Type.Object(
      { message: Type.String({ description: "What the server asks for." }) },
      { description: "The server wants a consent before it lists its tools." },
    ),
  ),
});

export type PreviewWorker = Static<typeof TerminalPreviewRequest>;
export type WorkerPreview = Static<typeof WorkerPreviewResponse>;
