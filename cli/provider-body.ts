// The record of an auth provider from flags and a file. The client's secret comes from standard input, a file or a
// hidden prompt, never from an argument.
import { given } from "./command";
import { UsageError } from "./errors";
import type { Io } from "./io";

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

/** Flags win over the file. The caller checks the result against its schema. Throws `usage`, `malformed_request`. */
export async function bodyOf(
  io: Io,
  fields: ProviderFields,
  purpose: "create" | "update",
): Promise<{ [key: string]: unknown }> {
  const { id, file, secretFrom } = fields;
  if (file === "-" && secretFrom === "-") {
    throw new UsageError(
      "Standard input cannot be both the record and the secret. Give one of them as a file.",
    );
  }
  const record = file === undefined ? {} : await recordIn(io, file);
  if (id !== undefined && record["id"] !== undefined && record["id"] !== id) {
    throw new UsageError("The id on the command line differs from the one in --file.");
  }
  if (purpose === "create" && id === undefined && record["id"] === undefined) {
    throw new UsageError("Name the auth provider: runtime providers create ID.");
  }
  const oauth2 = { ...objectOr(record["oauth2"]), ...given(await clientOf(io, fields, purpose)) };
  const { providerId: provider_id, description, status, externalId: external_id } = fields;
  return {
    ...record,
    ...given({ id, provider_id, description, status, external_id }),
    ...(Object.keys(oauth2).length === 0 ? {} : { oauth2 }),
  };
}

async function clientOf(
  io: Io,
  { clientId: client_id, secretFrom, file }: ProviderFields,
  purpose: "create" | "update",
): Promise<{ client_id: string | undefined; client_secret: string | undefined }> {
  if (secretFrom !== undefined) return { client_id, client_secret: await secretIn(io, secretFrom) };
  if (purpose === "update" || file !== undefined || !io.interactive)
    return { client_id, client_secret: undefined };
  if (client_id === undefined) throw new UsageError("Name your OAuth client: --client-id ID.");
  const secret = await io.prompts.secret("Client secret (Enter: the client has none)");
  return { client_id, client_secret: secret === "" ? undefined : secret };
}

async function secretIn(io: Io, source: string): Promise<string> {
  const { readText, withoutLineEnd } = await import("./input");
  const secret = withoutLineEnd(await readText(io, source, "The client's secret"));
  if (secret !== "") return secret;
  throw new UsageError("The client's secret is empty.");
}

async function recordIn(io: Io, file: string): Promise<{ [key: string]: unknown }> {
  const { isObject } = await import("../src/base");
  const { readJson } = await import("./input");
  const record = await readJson(io, file, "--file");
  if (isObject(record)) return record;
  throw new UsageError("--file must hold one JSON object.");
}

function objectOr(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
