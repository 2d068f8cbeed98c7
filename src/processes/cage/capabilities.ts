// Root's special rights. A server in a container often runs as root; with them, a program could read the memory of the
// whole machine (/proc/kcore) or the files of every user.
import { prctl, ptr, systemCall } from "../libc";

const PR_CAPBSET_DROP = 24;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
/** More than any kernel knows; a number that it does not know is an error without effect. */
const CAPABILITIES = 64;
const CAPSET = process.arch === "arm64" ? 91 : 126;
const VERSION_3 = 0x2008_0522;

/** Gives them up for this thread and for every program that it becomes or starts. */
export function dropCapabilities(): boolean {
  for (let capability = 0; capability < CAPABILITIES; capability++) prctl(PR_CAPBSET_DROP, capability);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  const header = new Uint32Array([VERSION_3, 0]);
  // Twice (effective, permitted, inheritable), for the lower and the upper 32.
  const none = new Uint32Array(6);
  return systemCall(CAPSET, ptr(header), ptr(none)) === 0;
}
