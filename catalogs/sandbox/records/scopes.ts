// The platform's scopes. Names are case-sensitive.

const PREFIX = "ZohoCreator.";

/** Scopes of the routes, and the unused one for file upload. */
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
