// The manifest: the configuration of a project as one document, which `export` writes and `apply` reads.
import { type Static, Type } from "typebox";
import { CreateGatewayRequest } from "../gateways/schema";
import { ConfiguredPluginRequest, CreateHookRequest } from "../hooks/schema";
import { ModelEntryCreateRequest } from "../llm/model-schema";
import { AuthProviderCreateRequest } from "../providers/schema";
import { SecretKey } from "../secrets/schema";
import { UpdateSessionVerificationSettingsRequest } from "../settings/schema";
import { TerminalWorkerRequest } from "../workers/schema";

const most = { maxItems: 1000 };

const fromEnvironment = Type.Object({ env: Type.String() });
const sourceRecord = Type.Object(
  { env: Type.Optional(Type.String()), file: Type.Optional(Type.String()) },
  { description: "Where the client looked for the value in vain." },
);
const source = Type.Optional(sourceRecord);

export const ManifestSecret = Type.Object({
  key: SecretKey,
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  value: Type.Optional(Type.String({ minLength: 1, maxLength: 5000 })),
  value_from: source,
});

/** A plugin without its hooks. `_from` remains if the client did not find the credential. */
export const ManifestPlugin = Type.Intersect([
  ConfiguredPluginRequest,
  Type.Object({
    webhook_config: Type.Object({
      auth: Type.Optional(
        Type.Object({ token_from: source, client_cert_from: source, client_key_from: source }),
      ),
      signing_secret_from: source,
    }),
  }),
]);

export const ManifestProvider = Type.Intersect([
  AuthProviderCreateRequest,
  Type.Object({
    oauth2: Type.Optional(Type.Object({ client_secret_from: source, private_key_from: source })),
  }),
]);

const { openai, anthropic, ...entry } = ModelEntryCreateRequest.properties;
const closed = { additionalProperties: false };

export const ManifestModel = Type.Object({
  ...entry,
  openai: Type.Optional(Type.Object({ ...openai.properties, api_key_from: source }, closed)),
  anthropic: Type.Optional(Type.Object({ ...anthropic.properties, api_key_from: source }, closed)),
});

const { http, mcp, ...worker } = TerminalWorkerRequest.properties;
const { secrets: _secrets, oauth2, ...server } = mcp.properties;

/** In `secrets`, `NAME_from` remains if the client did not find the value. */
export const ManifestWorker = Type.Object({
  ...worker,
  http: Type.Optional(
    Type.Object({
      ...http.properties,
      secret: Type.Optional(http.properties.secret),
      secret_from: source,
    }),
  ),
  mcp: Type.Optional(
    Type.Object({
      ...server,
      secrets: Type.Optional(
        Type.Record(
          Type.String({ pattern: "^[A-Za-z0-9_]{1,105}$" }),
          Type.Union([Type.String({ minLength: 1, maxLength: 5000 }), sourceRecord]),
          { maxProperties: 50 },
        ),
      ),
      oauth2: Type.Optional(Type.Object({ ...oauth2.properties, client_secret_from: source })),
    }),
  ),
});

const { plugin_id: _id, name: hookName, phase, ...hookFields } = CreateHookRequest.properties;

/** A hook, by the name of its plugin. Without a name: the hook of the plugin at this point. */
export const ManifestHook = Type.Object({
  plugin: ConfiguredPluginRequest.properties.name,
  name: Type.Optional(hookName),
  ...hookFields,
  phase: Type.Optional(phase),
});

/** `export` writes no values, but the names of the environment variables from which `apply` can read them. */
export const ManifestRequest = Type.Object({
  session_verification: Type.Optional(UpdateSessionVerificationSettingsRequest),
  providers: Type.Optional(Type.Array(ManifestProvider, most)),
  secrets: Type.Optional(Type.Array(ManifestSecret, most)),
  gateways: Type.Optional(Type.Array(CreateGatewayRequest, most)),
  plugins: Type.Optional(Type.Array(ManifestPlugin, most)),
  hooks: Type.Optional(Type.Array(ManifestHook, { maxItems: 3003 })),
  models: Type.Optional(Type.Array(ManifestModel, most)),
  workers: Type.Optional(Type.Array(ManifestWorker, most)),
});

export const ManifestResponse = Type.Object({
  session_verification: UpdateSessionVerificationSettingsRequest,
  providers: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  secrets: Type.Array(
    Type.Object({
      key: SecretKey,
      description: Type.Optional(Type.String()),
      value_from: fromEnvironment,
    }),
  ),
  gateways: Type.Array(CreateGatewayRequest),
  plugins: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  hooks: Type.Array(ManifestHook),
  models: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  workers: Type.Array(Type.Record(Type.String(), Type.Unknown())),
});

export const ChangeRecord = Type.Object({
  kind: Type.Enum([
    "session_verification",
    "provider",
    "secret",
    "gateway",
    "plugin",
    "hook",
    "model",
    "worker",
  ]),
  name: Type.String(),
  action: Type.Enum(["create", "update", "unchanged", "delete"]),
  fields: Type.Optional(Type.Array(Type.String(), { description: "What an update changes." })),
  differences: Type.Optional(
    Type.Array(
      Type.Object({
        field: Type.String(),
        before: Type.Optional(Type.Unknown()),
        after: Type.Optional(Type.Unknown()),
      }),
      { description: "The changed fields with their values; those of secrets without." },
    ),
  ),
});

export const ApplyQuery = Type.Object({
  dry_run: Type.Optional(Type.Boolean({ default: false, description: "Only return what would change." })),
  prune: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Delete the records of the project that the lists of the document do not contain.",
    }),
  ),
});
export const ApplyResponse = Type.Object({
  applied: Type.Boolean(),
  changes: Type.Array(ChangeRecord),
  missing: Type.Optional(
    Type.Array(Type.String(), { description: "Values that have to be provided first." }),
  ),
  warnings: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
      description: "What the document contains without effect.",
    }),
  ),
});

export type Manifest = Static<typeof ManifestRequest>;
export type ExportedManifest = Static<typeof ManifestResponse>;
export type Change = Static<typeof ChangeRecord>;
export type Applied = Static<typeof ApplyResponse>;
export type ManifestProvider = Static<typeof ManifestProvider>;
export type ManifestModel = Static<typeof ManifestModel>;
export type ManifestPlugin = Static<typeof ManifestPlugin>;
export type ManifestWorker = Static<typeof ManifestWorker>;
export type ManifestHook = Static<typeof ManifestHook>;
