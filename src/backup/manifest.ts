// The first file of a backup: what the backup contains, and what is needed to use it.
import { type Static, Type } from "typebox";
import { compileOnce, isObject } from "../base";
import { BackupFault } from "./fault";

const digest = Type.String({ pattern: "^[0-9a-f]{64}$" });
const closed = { additionalProperties: false };

export const FORMAT = "runtime backup 1";

export const BackupManifest = Type.Object(
  {
    format: Type.Literal(FORMAT),
    created_at: Type.String({ format: "date-time" }),
    /** Of the program that made the backup. */
    version: Type.String(),
    /** The newest migration of each database. */
    schema: Type.Object({ runtime: Type.Integer(), executions: Type.Integer() }, closed),
    root_key_id: Type.String({
      description: "The id of the root key that opens it, which it does not contain.",
    }),
    data_keys: Type.Array(Type.String(), { description: "The ids of the data keys." }),
    counts: Type.Record(Type.String(), Type.Integer(), { description: "Number of rows of each table." }),
    audit_heads: Type.Array(
      Type.Object({
        chain: Type.String(),
        number: Type.Integer(),
        hash: Type.String(),
        signed_at: Type.Optional(Type.String()),
        key_id: Type.Optional(Type.String()),
        signature: Type.Optional(Type.String()),
      }),
      { description: "The end of each chain of the audit trail; signed if the root key was at hand." },
    ),
    files: Type.Array(
      Type.Object({ name: Type.String(), size: Type.Integer({ minimum: 0 }), sha256: digest }, closed),
      { description: "The other files, in their order." },
    ),
  },
  closed,
);
export type BackupManifest = Static<typeof BackupManifest>;

/** The text of a manifest; `parseManifest` accepts nothing else for the same value. */
export function manifestText(manifest: BackupManifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Throws `BackupFault`. */
export function parseManifest(text: string): BackupManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BackupFault("Its manifest is not JSON: it was changed, or it is not a backup.");
  }
  if (isManifest(value)) return value;
  throw new BackupFault(
    isObject(value) && typeof value["format"] === "string" && value["format"] !== FORMAT
      ? "A newer version of runtime has made it. Use that version."
      : "Its manifest is not one of a backup.",
  );
}

function isManifest(value: unknown): value is BackupManifest {
  return compileOnce(BackupManifest).Check(value);
}
