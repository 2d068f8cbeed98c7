// The tools' parameters. Several names have the same meaning; the schema of a parameter follows from its name.
import { type TSchema, Type } from "typebox";
import { MAX_RECORDS } from "./limits";
import type { QueryName } from "./operation";

const OWNER =
  "Name of the account that owns the application: `workspace_name` in the answer of GetApplicationMetaInfo.";
const APPLICATION = "Link name of the application: `link_name` in the answer of GetApplicationMetaInfo.";
const FORM = "Link name of the form, as FetchVendorFormMetaInformation lists it.";
const REPORT = "Link name of the report, as FetchVendorReportsMeta lists it.";
const PRIVATE_LINK =
  "Key of the published component: the last part of its public address (…/report-perma/All_Orders/KEY or " +
  "…/form-perma/Order/KEY), which its owner sees where the component is published. Not the whole address.";

const IN_ADDRESS: Readonly<Record<string, string>> = {
  account_owner_name: OWNER,
  account_owner_identifier: OWNER,
  vendor_account_owner_name: OWNER,
  workspace_account_owner_name:
    "Name of the account whose applications are listed: `workspace_name` in the answer of GetApplicationMetaInfo.",
  application_link_name: APPLICATION,
  application_identifier: APPLICATION,
  vendor_application_link_name: APPLICATION,
  vendor_app_link_name: APPLICATION,
  form_identifier: FORM,
  form_link_name: FORM,
  vendor_form_link_name: FORM,
  report_link_name: REPORT,
  report_identifier: REPORT,
  report_reference_name: `${REPORT} GetBulkReadJobDetails needs the same.`,
  record_id: "Id of the record with all its digits: `ID` in the answers that list records.",
  job_id: "Id of the bulk read job: `details.id` in the answer of CreateBulkReadJob.",
};

/** The schema of a parameter in the address. Throws for a name without a description. */
export function addressParameter(name: string): TSchema {
  const description = IN_ADDRESS[name];
  if (description === undefined) throw new Error(`The parameter ${name} has no description.`);
  return Type.String({ description });
}

const IN_QUERY: Readonly<Record<QueryName, TSchema>> = {
  from: Type.Integer({
    minimum: 1,
    description: `Position of the first record. Default: 1. Pages of ${MAX_RECORDS} start at 1, 201, 401.`,
  }),
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_RECORDS,
    description: `Maximum number of records, 1 to ${MAX_RECORDS} (the default); others are refused. A page with fewer records is the last.`,
  }),
  criteria: Type.String({
    description:
      'Which records: `Field_Link_Name operator value`, for example `Status == "Open" && Amount >= 100`. ' +
      'Operators: ==, !=, <, <=, >, >=, && and ||, ! and parentheses; on text also `Name.contains("x")`, ' +
      '`.startsWith("x")`, `.endsWith("x")`. Text in double quotes, dates in single quotes and in the ' +
      "application's date format, numbers and true/false bare; lookups compare with the record id; parts of names and " +
      "addresses follow a dot (`Name.first_name`, `Address.district_city`). " +
      "System fields: ID, Added_Time, Modified_Time, Added_User, Modified_User. Sent unchanged.",
  }),
  privatelink: Type.String({ description: PRIVATE_LINK }),
  process_until_limit: Type.Boolean({
    description:
      `Only in mode execute. true: the first ${MAX_RECORDS} matching records are processed, and \`more_records\` ` +
      "in the answer is true if more remain; then call again. Without it nothing is changed if more than " +
      `${MAX_RECORDS} records match.`,
  }),
};

export function queryParameter(name: QueryName): TSchema {
  return IN_QUERY[name];
}

export const MODE = Type.Enum(["get_request_schema", "execute"], {
  type: "string",
  description:
    "get_request_schema: returns the JSON Schema of `request_body` (not an OpenAPI document) and ignores all other " +
    "parameters. " +
    "execute: performs the operation; requires `request_body` and all parameters that identify the target.",
});

export const REQUEST_BODY = Type.String({
  description:
    "Required in mode execute: an object as JSON text, encoded once. Mode get_request_schema returns its schema.",
});
