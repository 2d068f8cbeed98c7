// A project's configuration as one document: what `export` writes and `apply` reads.
import { type Static, Type } from "typebox";
import { CreateGatewayRequest } from "../gateways";
import { AuthProviderCreateRequest } from "../providers";
import { SecretKey } from "../secrets";
import { UpdateSessionVerificationSettingsRequest } from "../settings";

const most = { maxItems: 1000 };

export const ManifestSecret = Type.Object({
  key: SecretKey,
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  value: Type.Optional(Type.String({ minLength: 1, maxLength: 5000 })),
});

/** Values never come out: `export` says from which variable of the environment `apply` may take them. */
export const ManifestRequest = Type.Object({
  session_verification: Type.Optional(UpdateSessionVerificationSettingsRequest),
  providers: Type.Optional(Type.Array(AuthProviderCreateRequest, most)),
  secrets: Type.Optional(Type.Array(ManifestSecret, most)),
  gateways: Type.Optional(Type.Array(CreateGatewayRequest, most)),
});

const fromEnvironment = Type.Object({ env: Type.String() });

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
});

export const ChangeRecord = Type.Object({
  kind: Type.Enum(["session_verification", "provider", "secret", "gateway"]),
  name: Type.String(),
  action: Type.Enum(["create", "update", "unchanged"]),
  fields: Type.Optional(Type.Array(Type.String(), { description: "What an update changes." })),
});

export const ApplyQuery = Type.Object({
  dry_run: Type.Optional(Type.Boolean({ default: false, description: "Only say what would change." })),
});
export const ApplyResponse = Type.Object({ applied: Type.Boolean(), changes: Type.Array(ChangeRecord) });

export type Manifest = Static<typeof ManifestRequest>;
export type ExportedManifest = Static<typeof ManifestResponse>;
export type Change = Static<typeof ChangeRecord>;
export type Applied = Static<typeof ApplyResponse>;
