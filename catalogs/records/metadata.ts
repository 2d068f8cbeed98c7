// What the tools do to the world, for listings and hints.
import { metadataOf } from "../../src/tools";

// None of the service domains that clients know fits.
const kind = metadataOf();

export const READS = kind("read", { read_only: true, idempotent: true });
/** Something new each time: records, or a job. */
export const CREATES = kind("create");
/** Whatever matches at the time: a repeat may meet other records. */
export const UPDATES_MATCHING = kind("update");
export const UPDATES_ONE = kind("update", { idempotent: true });
export const DELETES_MATCHING = kind("delete", { destructive: true });
export const DELETES_ONE = kind("delete", { destructive: true, idempotent: true });
