// The settings of the audit trail.
import { address, path } from "./types";

export const AUDIT_KEYS = {
  "audit.required": {
    schema: { type: "boolean", description: "true or false" },
    default: false,
    meaning:
      "exports and tests of plugins, which change nothing, also fail if their audit entry cannot be written; changes always do",
  },
  "audit.keep_days": {
    schema: { type: "integer", minimum: 0, maximum: 36_500, description: "days, 0 to 36500" },
    default: 0,
    meaning: "days to keep the audit trail; 0: forever",
  },
  "audit.key_file": {
    schema: path,
    meaning:
      "file with the Ed25519 key that signs the audit trail (PEM), created if it does not exist; default: audit.key " +
      "next to the root key file, or derived from RUNTIME_ROOT_KEY",
  },
  "audit.heads_minutes": {
    schema: { type: "integer", minimum: 1, maximum: 1440, description: "minutes, 1 to 1440" },
    default: 60,
    meaning: "minutes between two signed heads of the audit trail in the log, the file and at the address",
  },
  "audit.heads_file": {
    schema: path,
    meaning: "file to which signed heads of the audit trail are appended, outside of the data folder",
  },
  "audit.heads_url": {
    schema: address,
    meaning: "address to which signed heads of the audit trail are posted",
  },
} as const;
