// The scopes that the platform knows. Names are case-sensitive.

const PREFIX = "ZohoCreator.";

/** Those of the routes, and the one for file upload, which is asked for by nobody here. */
export const KNOWN_SCOPES: ReadonlySet<string> = new Set(
  [
    "bulk.CREATE",
    "bulk.READ",
    "dashboard.READ",
    "form.CREATE",
    "meta.application.READ",
    "meta.form.READ",
    "report.CREATE",
    "report.DELETE",
    "report.READ",
    "report.UPDATE",
  ].map(fullScope),
);

export function fullScope(name: string): string {
  return PREFIX + name;
}
