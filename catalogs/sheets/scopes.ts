// The scopes that the tools declare. The platform compares and returns them as whole addresses.
import { SCOPE_BASE } from "./platform";

/** Files that the application made, or that the user opened or picked with it. Enough for every call of this catalog. */
export const DRIVE_FILE = `${SCOPE_BASE}/drive.file`;

export const PROFILE = `${SCOPE_BASE}/userinfo.profile`;
export const EMAIL = `${SCOPE_BASE}/userinfo.email`;

/** Wider scopes, of providers that an administrator configured so. No tool declares them. */
export const DRIVE = `${SCOPE_BASE}/drive`;
export const DRIVE_READONLY = `${SCOPE_BASE}/drive.readonly`;
