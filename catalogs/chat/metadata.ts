// The name of the toolkit, the grant that its tools need, and their metadata.
import { metadataOf } from "../../src/tools";
import { slackPreset } from "../presets/slack";

/** The first part of the tools' names. */
export const TOOLKIT = "Chat";

/** The user's grant with these scopes. */
export const grantWith = (scopes: readonly string[]) => ({ provider: slackPreset.id, scopes });

const kind = metadataOf("messaging");

export const READS = kind("read", { read_only: true, idempotent: true });
/** Creates something new with every call. */
export const CREATES = kind("create");
