// The tools' parameters. Several names have the same meaning; the schema of a parameter follows from its name.
import { type TSchema, Type } from "typebox";
import { MAX_RECORDS } from "./limits";
import { TOOLKIT } from "./metadata";
import type { QueryName } from "./operation";
import { type Role, roleOf } from "./roles";

const PRIVATE_LINK =
  "Key of the published component: the last part of its public address (…/report-perma/All_Orders/KEY or " +
  "…/form-perma/Order/KEY), which its owner sees where the component is published. Not the whole address.";

/** Says where the value is found, in the same words for all parameters with the role. */
const DESCRIPTIONS: Readonly<Record<Role, string>> = {
  owner: `Name of the account that owns the application: \`workspace_name\` in the answer of ${TOOLKIT}.GetApplicationMetaInfo.`,
  application: `Link name of the application: \`link_name\` in the answer of ${TOOLKIT}.GetApplicationMetaInfo.`,
  form: `Link name of the form: \`link_name\` in the answer of ${TOOLKIT}.FetchVendorFormMetaInformation.`,
  report: `Link name of the report: \`link_name\` in the answer of ${TOOLKIT}.FetchVendorReportsMeta.`,
  record: `Id of the record with all its digits: \`ID\` in the answer of ${TOOLKIT}.FetchVendorRecords.`,
  job: `Id of the bulk read job: \`id\` in the answer of ${TOOLKIT}.CreateBulkReadJob.`,
};

/** The schema of a parameter in the address. */
export function addressParameter(name: string): TSchema {
  const more = name === "report_reference_name" ? ` ${TOOLKIT}.GetBulkReadJobDetails needs the same.` : "";
  return Type.String({ description: `${DESCRIPTIONS[roleOf(name)]}${more}` });
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
