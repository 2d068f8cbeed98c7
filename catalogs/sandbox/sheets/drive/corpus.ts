// The files of a list: the corpora parameters, which the platform accepts only in these combinations.
import type { Caller } from "../oauth/tokens";
import { invalidParameter, PlatformError } from "../platform-error";
import type { File, Library } from "./library";

/** Throws 400 for a combination that is refused, 404 for an unknown shared drive. */
export function corpusOf(query: URLSearchParams, library: Library, caller: Caller): (file: File) => boolean {
  const corpora = query.get("corpora") ?? "user";
  const driveId = query.get("driveId");
  if (driveId !== null && corpora !== "drive") {
    throw invalidParameter("driveId", "The driveId parameter requires corpora=drive.");
  }
  if (corpora === "user") return (file) => file.driveId === null;
  requireFlags(query, corpora);
  if (corpora === "domain") return (file) => file.driveId === null && file.domainShared;
  if (corpora === "allDrives") return () => true;
  if (corpora !== "drive") throw invalidParameter("corpora");
  if (driveId === null) throw invalidParameter("driveId", "corpora=drive requires driveId.", "required");
  if (library.drives.get(driveId)?.members.has(caller.person.name) !== true) throw noDrive(driveId);
  return (file) => file.driveId === driveId;
}

function requireFlags(query: URLSearchParams, corpora: string): void {
  for (const flag of ["includeItemsFromAllDrives", "supportsAllDrives"]) {
    if (query.get(flag) !== "true") {
      throw invalidParameter(flag, `The ${flag} parameter must be set to true when corpora=${corpora}.`);
    }
  }
}

function noDrive(driveId: string): PlatformError {
  return new PlatformError(404, `Shared drive not found: ${driveId}`, {
    errors: [{ reason: "notFound", location: "driveId", locationType: "parameter" }],
  });
}
