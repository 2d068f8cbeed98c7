// What the parameters in the addresses name. Several names have the same role.
/** What a parameter in the address names. */
export type Role = "owner" | "application" | "form" | "report" | "record" | "job";

const ROLES: Readonly<Record<string, Role>> = {
  account_owner_name: "owner",
  account_owner_identifier: "owner",
  vendor_account_owner_name: "owner",
  workspace_account_owner_name: "owner",
  application_link_name: "application",
  application_identifier: "application",
  vendor_application_link_name: "application",
  vendor_app_link_name: "application",
  form_identifier: "form",
  form_link_name: "form",
  vendor_form_link_name: "form",
  report_link_name: "report",
  report_identifier: "report",
  report_reference_name: "report",
  record_id: "record",
  job_id: "job",
};

/** Throws for a parameter that no row of the table above names. */
export function roleOf(parameter: string): Role {
  const role = ROLES[parameter];
  if (role === undefined) throw new Error(`The parameter ${parameter} has no description.`);
  return role;
}
