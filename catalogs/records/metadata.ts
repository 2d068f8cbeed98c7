// Metadata of the tools, for listings and hints.
import { metadataOf } from "../../src/tools";

// Records of vendors, orders and the like: the nearest of the known service domains.
/** The first part of the tools' names. */
export const TOOLKIT = "VendorCreatorApi";

const kind = metadataOf("crm");

export const READS = kind("read", { read_only: true, idempotent: true });
/** Creates records or a job with every call. */
export const CREATES = kind("create");
/** Changes all matching records: a repeated call may change others. */
export const UPDATES_MATCHING = kind("update", { destructive: true });
/** Replaces values, which cannot be read again: destructive as in the other catalogs. */
export const UPDATES_ONE = kind("update", { destructive: true, idempotent: true });
export const DELETES_MATCHING = kind("delete", { destructive: true });
export const DELETES_ONE = kind("delete", { destructive: true, idempotent: true });
