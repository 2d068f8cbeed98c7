// The grant that the tools need, and their metadata.
import { metadataOf } from "../../src/tools";
import { googlePreset } from "../presets/google";
import { DRIVE_FILE } from "./platform";

/** The user's grant with access to single files and with these additional scopes. */
export const fileGrant = (...more: string[]) => ({
  provider: googlePreset.id,
  scopes: [DRIVE_FILE, ...more],
});

const kind = metadataOf("spreadsheets");

export const READS = kind("read", { read_only: true, idempotent: true });
/** Creates a file with every call. */
export const CREATES = kind("create");
/** Replaces content: repeating the call leaves the same sheet. */
export const OVERWRITES = kind("update", { destructive: true, idempotent: true });
