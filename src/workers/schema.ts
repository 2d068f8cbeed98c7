// Records of workers: servers whose tools a project offers. Fields that are not in the published contract are marked.
import { type Static, Type } from "typebox";
import { externalId, oauth2Fields, shownOAuth2, WorkerAuthorizeResponse } from "./schema-oauth";
import { ChangedStdio, GivenStdio, StdioRecord } from "./stdio/schema";
import { BindingResponse, ChosenId, SecretResponse } from "../identity/schema";
import { ToolName } from "../tools/schema";

const time = Type.String({ format: "date-time" });
const closed = { additionalProperties: false };

export const WORKER_TYPES = ["http", "mcp"] as const;
export const UPDATES = ["review", "auto"] as const;

export const uri = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    "Its address. Of a worker of the type http, without /worker. In the path and the query of another one, ${secret:NAME} is " +
    "replaced by that entry of secrets.",
});
const timeout = Type.Integer({
  minimum: 1,
  maximum: 3600,
  description: "Whole seconds that a call may take. The setting tools.timeout limits it.",
});
const retry = Type.Integer({
  minimum: 0,
  maximum: 10,
  description: "How often a request that may be repeated is repeated.",
});
export const secret = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "The secret that signs calls.",
});
export const headers = Type.Record(
  Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$" }),
  Type.String({ maxLength: 4096 }),
  {
    maxProperties: 50,
    description: "Sent with each request. ${secret:NAME} is replaced by that entry of secrets.",
  },
);
export const secrets = Type.Record(
  Type.String({ pattern: "^[A-Za-z0-9_]{1,100}$" }),
  Type.String({ minLength: 1, maxLength: 5000 }),
  { maxProperties: 50, description: "Values for its headers and its address, by name." },
);
const toolkit = Type.String({
  pattern: "^[A-Za-z0-9]{1,40}$",
  description: "The first part of the names of its tools. Default: its id in PascalCase.",
});
const updates = Type.Enum([...UPDATES], {
  description: "Whether changes of its catalog take effect at once, or when an administrator accepts them.",
});
const trust = Type.Boolean({
  description: "Whether the hints of its tools decide which calls may be repeated.",
});
const strict = Type.Boolean({
  description: "Whether a result that does not match its schema is a failure.",
});
const sendTokens = Type.Boolean({
  description: "Whether it gets the users' tokens that its tools ask for.",
});
const limits = Type.Object(
  {
    concurrency: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: "Calls at the same time, of each process." }),
    ),
    per_minute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000, description: "Calls in a minute, of each process." }),
    ),
  },
  { ...closed, description: "Limits of its calls." },
);
const identity = Type.Enum(["none", "jwt"], {
  description:
    "Whether each request has a signed token that says on whose behalf it is called. Default: none.",
});
const identityHeader = Type.String({
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$",
  description: "The header of that token. Default: X-Runtime-Identity.",
});
/** Fields of ours. */
export const own = {
  toolkit: Type.Optional(toolkit),
  trust_annotations: Type.Optional(trust),
  strict_results: Type.Optional(strict),
  send_tokens: Type.Optional(sendTokens),
  limits: Type.Optional(limits),
  identity: Type.Optional(identity),
  identity_header: Type.Optional(identityHeader),
};

export const CreateWorkerRequest = Type.Object({
  id: ChosenId,
  enabled: Type.Optional(Type.Boolean({ default: true })),
  type: Type.Optional(
    Type.Enum([...WORKER_TYPES], { description: "Default: which of http and mcp is given." }),
  ),
  http: Type.Optional(Type.Object({ uri, secret, timeout, retry })),
  mcp: Type.Optional(
    Type.Object({
      uri,
      timeout,
      retry,
      headers: Type.Optional(headers),
      secrets: Type.Optional(secrets),
      oauth2: Type.Optional(Type.Object({ ...oauth2Fields, external_id: Type.Optional(externalId) })),
    }),
  ),
  ...own,
  updates: Type.Optional(Type.Enum([...UPDATES], { default: "review" })),
});

/** Given fields replace the old values. `secrets` is merged by name, and an empty value removes an entry. */
export const UpdateWorkerRequest = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  http: Type.Optional(
    Type.Object({
      uri: Type.Optional(uri),
      secret: Type.Optional(secret),
      timeout: Type.Optional(timeout),
      retry: Type.Optional(retry),
    }),
  ),
  mcp: Type.Optional(
    Type.Object({
      uri: Type.Optional(uri),
      timeout: Type.Optional(timeout),
      retry: Type.Optional(retry),
      headers: Type.Optional(headers),
      secrets: Type.Optional(
        Type.Record(Type.String({ pattern: "^[A-Za-z0-9_]{1,100}$" }), Type.String({ maxLength: 5000 }), {
          maxProperties: 50,
          description: "Merged by name; an empty value removes an entry.",
        }),
      ),
      oauth2: Type.Optional(Type.Object(oauth2Fields)),
    }),
  ),
  ...own,
  updates: Type.Optional(updates),
});

const { uri: _uri, ...mcpFields } = CreateWorkerRequest.properties.mcp.properties;

/** At the terminal of the data folder: an MCP server may also be a program. */
export const TerminalWorkerRequest = Type.Object({
  ...CreateWorkerRequest.properties,
  mcp: Type.Optional(
    Type.Object({ uri: Type.Optional(uri), stdio: Type.Optional(GivenStdio), ...mcpFields }),
  ),
});

export const TerminalWorkerUpdate = Type.Object({
  ...UpdateWorkerRequest.properties,
  mcp: Type.Optional(
    Type.Object({
      ...UpdateWorkerRequest.properties.mcp.properties,
      stdio: Type.Optional(ChangedStdio),
    }),
  ),
});

export const SkippedTool = Type.Object({
  name: Type.String({ description: "The tool, or the part of one." }),
  reason: Type.String({ description: "Why it is left out." }),
});

const CatalogSummary = Type.Object(
  {
    fetched_at: Type.Optional(time),
    tools: Type.Integer({ description: "Number of accepted tools, which are offered." }),
    hash: Type.Optional(Type.String({ description: "SHA-256 of the accepted tools." })),
    new: Type.Integer({ description: "Number of tools that are not accepted yet." }),
    changed: Type.Integer({
      description: "Number of accepted tools whose latest definition is not accepted yet.",
    }),
    missing: Type.Integer({ description: "Number of accepted tools that the worker no longer has." }),
    error: Type.Optional(Type.String({ description: "Why its catalog could not be read last time." })),
  },
  { description: "The stored catalog." },
);

const met = Type.Object({ met: Type.Boolean() });

export const WorkerResponse = Type.Object({
  id: ChosenId,
  type: Type.Enum(["http", "mcp", "unknown"]),
  enabled: Type.Boolean(),
  managed: Type.Boolean(),
  binding: BindingResponse,
  http: Type.Optional(Type.Object({ uri, timeout, retry, secret: SecretResponse })),
  mcp: Type.Optional(
    Type.Object({
      uri: Type.Optional(uri),
      stdio: Type.Optional(StdioRecord),
      timeout,
      retry,
      headers: Type.Optional(headers),
      secrets: Type.Optional(Type.Record(Type.String({ pattern: "^[A-Za-z0-9_]{1,100}$" }), SecretResponse)),
      external_id: Type.Optional(Type.String()),
      redirect_uri: Type.Optional(Type.String()),
      oauth2: Type.Optional(shownOAuth2),
    }),
  ),
  requirements: Type.Object({
    met: Type.Boolean(),
    authorization: Type.Optional(Type.Object({ met: Type.Boolean(), oauth2: Type.Optional(met) })),
  }),
  toolkit: Type.Optional(toolkit),
  updates,
  trust_annotations: Type.Optional(trust),
  strict_results: Type.Optional(strict),
  send_tokens: Type.Optional(sendTokens),
  limits: Type.Optional(limits),
  identity: Type.Optional(identity),
  identity_header: Type.Optional(identityHeader),
  skipped: Type.Array(SkippedTool, { description: "What of its catalog cannot be offered." }),
  catalog: CatalogSummary,
  created_at: Type.Optional(time),
  updated_at: Type.Optional(time),
});

export const WorkerTestRequest = Type.Object({
  type: Type.Enum([...WORKER_TYPES]),
  http: Type.Optional(Type.Object({ uri })),
  mcp: Type.Optional(Type.Object({ uri })),
});

export const WorkerTestResponse = Type.Object({
  success: Type.Boolean(),
  message: Type.String(),
  serverInfo: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String()),
      version: Type.Optional(Type.String()),
      description: Type.Optional(Type.String()),
    }),
  ),
});

export const WorkerHealthResponse = Type.Object({
  id: Type.Optional(ChosenId),
  enabled: Type.Optional(Type.Boolean()),
  healthy: Type.Optional(Type.Boolean()),
  message: Type.Optional(Type.String()),
});

const CHANGES = ["new", "changed", "missing"] as const;
const hash = Type.String({ description: "SHA-256 of the definition." });

/** What accepting would change. */
export const WorkerDiffResponse = Type.Object({
  id: ChosenId,
  fetched_at: Type.Optional(time),
  accepted_hash: Type.Optional(Type.String({ description: "SHA-256 of the accepted tools." })),
  latest_hash: Type.Optional(Type.String({ description: "SHA-256 of the tools as the worker has them." })),
  tools: Type.Array(
    Type.Object({
      name: Type.String({ description: "Toolkit.Tool; with @version, if the toolkit has several." }),
      change: Type.Enum([...CHANGES]),
      accepted_hash: Type.Optional(hash),
      latest_hash: Type.Optional(hash),
      fields: Type.Optional(
        Type.Array(Type.String(), { description: "The parts of the definition that differ." }),
      ),
      accepted_description: Type.Optional(Type.String()),
      latest_description: Type.Optional(Type.String()),
    }),
  ),
});

export const AcceptWorkerRequest = Type.Object({
  tools: Type.Optional(
    Type.Array(ToolName, {
      minItems: 1,
      maxItems: 10_000,
      description: "Names as in the diff; absent: all.",
    }),
  ),
  latest_hash: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "That of the diff that was looked at: what the worker has changed since is not accepted.",
    }),
  ),
});

export type WorkerType = (typeof WORKER_TYPES)[number];
export type CreateWorker = Static<typeof TerminalWorkerRequest>;
export type UpdateWorker = Static<typeof TerminalWorkerUpdate>;
export type Worker = Static<typeof WorkerResponse>;
export type WorkerTest = Static<typeof WorkerTestRequest>;
export type WorkerTestResult = Static<typeof WorkerTestResponse>;
export type WorkerHealth = Static<typeof WorkerHealthResponse>;
export type WorkerAuthorization = Static<typeof WorkerAuthorizeResponse>;
export type WorkerDiff = Static<typeof WorkerDiffResponse>;
export type AcceptWorker = Static<typeof AcceptWorkerRequest>;
