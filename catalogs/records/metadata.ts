// Metadata of the tools, for listings and hints.
import { metadataOf } from "../../src/tools";

// None of the known service domains applies.
const kind = metadataOf();

export const READS = kind("read", { read_only: true, idempotent: true });
/** Creates records or a job with every call. */
export const CREATES = kind("create");
/** Changes all matching records: a repeated call may change others. */
export const UPDATES_MATCHING = kind("update");
export const UPDATES_ONE = kind("update", { idempotent: true });
export const DELETES_MATCHING = kind("delete", { destructive: true });
export const DELETES_ONE = kind("delete", { destructive: true, idempotent: true });
