// Adding, changing and deleting records.
import { CREATES, DELETES_MATCHING, DELETES_ONE, UPDATES_MATCHING, UPDATES_ONE } from "../metadata";
import type { Operation } from "../operation";

const RESULT =
  "One object per record, in order: `code` (3000: success; 3001: refused by a script, `error` is a list of texts; " +
  "3002: refused by fields, `error` names them), `data` with `ID`, and `message` or `tasks` if requested";
const MORE = "Only with the flag: whether more matching records remain; then call again";
const TWO_STEPS = "Request the schema first (mode get_request_schema), then execute.";

export const CHANGES: readonly Operation[] = [
  {
    name: "AddRecordsToVendorForm",
    description: `Adds up to 200 records to a published form by its private link, without the user's grant. ${TWO_STEPS}`,
    request:
      "POST /creator/v2/publish/{vendor_account_owner_name}/{application_link_name}/form/{vendor_form_link_name}",
    query: { privatelink: "form_private_link" },
    scope: "none",
    kind: CREATES,
    body: "adding",
    answer: { result: RESULT },
  },
  {
    name: "InsertRecordsInVendorForm",
    description: `Adds up to 200 records to a form. ${TWO_STEPS}`,
    request:
      "POST /creator/v2/data/{vendor_account_owner_name}/{application_link_name}/form/{form_link_name}",
    scope: "form.CREATE",
    kind: CREATES,
    body: "adding",
    answer: { result: RESULT },
  },
  {
    name: "UpdateVendorCreatorReportRecords",
    description: `Changes all records of a report that match criteria, up to 200 in one call. ${TWO_STEPS}`,
    request: "PATCH /creator/v2/data/{account_owner_name}/{application_link_name}/report/{report_link_name}",
    query: { process_until_limit: "process_until_limit_enabled" },
    scope: "report.UPDATE",
    kind: UPDATES_MATCHING,
    body: "updatingMatching",
    emptyWithoutMatch: "result",
    answer: { result: RESULT, more_records: MORE },
  },
  {
    name: "UpdateVendorRecord",
    description: `Changes one record by its id. ${TWO_STEPS}`,
    request:
      "PATCH /creator/v2/data/{vendor_account_owner_name}/{application_link_name}/report/{report_link_name}/{record_id}",
    scope: "report.UPDATE",
    kind: UPDATES_ONE,
    body: "updatingOne",
    answer: {
      data: "`ID` and the requested fields",
      message: "If requested",
      tasks: "If requested and there are any",
    },
  },
  {
    name: "DeleteReportRecords",
    description:
      "Deletes all records of a report that match criteria, up to 200 in one call. It cannot be undone. " +
      TWO_STEPS,
    request:
      "DELETE /creator/v2/data/{account_owner_name}/{application_link_name}/report/{report_identifier}",
    query: { process_until_limit: "process_records_up_to_limit" },
    scope: "report.DELETE",
    kind: DELETES_MATCHING,
    body: "deletingMatching",
    emptyWithoutMatch: "result",
    answer: { result: RESULT, more_records: MORE },
  },
  {
    name: "DeleteVendorRecord",
    description: `Deletes one record by its id. It cannot be undone. ${TWO_STEPS}`,
    request:
      "DELETE /creator/v2/data/{vendor_account_owner_name}/{application_link_name}/report/{report_link_name}/{record_id}",
    scope: "report.DELETE",
    kind: DELETES_ONE,
    body: "deletingOne",
    answer: { data: "`ID` of the deleted record", message: "If requested" },
  },
];
