// The record of an auth provider from flags and a file. The client's secret comes from standard input, a file or a
// hidden prompt, never from an argument.
import { presets } from "../catalogs/presets";
import { defined } from "./command";
import { UsageError } from "./errors";
import { objectOr, readObject } from "./input";
import type { Io } from "./io";
import { secretFrom } from "./secret-value";

export interface ProviderFields {
  id: string | undefined;
  providerId: string | undefined;
  clientId: string | undefined;
  /** A file, or `-`. */
  secretFrom: string | undefined;
  description: string | undefined;
  status: string | undefined;
  externalId: string | undefined;
  /** The whole record as JSON: a file, or `-`. */
  file: string | undefined;
}

const presetIds = presets.map(({ id }) => id);

type Purpose = "create" | "update";

/** Flags override the file. The result is not yet checked against its schema. Throws `usage`, `malformed_request`. */
export async function providerBody(
  io: Io,
  fields: ProviderFields,
  purpose: Purpose,
): Promise<{ [key: string]: unknown }> {
  const { id, file } = fields;
  if (file === "-" && fields.secretFrom === "-") {
    throw new UsageError(
      "Standard input cannot be both the record and the secret. Use a file for one of them.",
    );
  }
  const record = file === undefined ? {} : await readObject(io, file);
  if (id !== undefined && record["id"] !== undefined && record["id"] !== id) {
    throw new UsageError("The id on the command line differs from the one in --file.");
  }
  if (purpose === "create" && id === undefined && record["id"] === undefined) {
    throw new UsageError("The id is missing: runtime providers create ID.");
  }
  if (purpose === "create" && file === undefined && fields.providerId === undefined)
    throw new UsageError(
      `Name a well-known provider (--provider ${presetIds.join(", ")}), or give the record of another one with --file.`,
    );
  const client_secret = await clientSecret(io, fields, purpose);
  const oauth2 = { ...objectOr(record["oauth2"]), ...defined({ client_id: fields.clientId, client_secret }) };
  const { providerId: provider_id, description, status, externalId: external_id } = fields;
  return {
    ...record,
    ...defined({ id, provider_id, description, status, external_id }),
    ...(Object.keys(oauth2).length === 0 ? {} : { oauth2 }),
  };
}

async function clientSecret(
  io: Io,
  { clientId, secretFrom: source, file }: ProviderFields,
  purpose: Purpose,
): Promise<string | undefined> {
  if (source !== undefined) return secretFrom(io, { file: source }, "The client's secret");
  if (purpose === "update" || file !== undefined || !io.interactive) return undefined;
  if (clientId === undefined) throw new UsageError("The id of your OAuth client is missing: --client-id ID.");
  return (await io.prompts.secret("Client secret (Enter: none)")) || undefined;
}
