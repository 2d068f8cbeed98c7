// Reading records, with the user's grant or with a private link.
import { READS } from "../metadata";
import type { Operation } from "../operation";

const LIST =
  "One object per record: link names of the report's columns, and `ID`. Lookups are objects with `ID` and " +
  "`display_value`; multiple values, numbers and checkboxes are text. Empty if nothing matches (`code` is " +
  "then 3100 or 9280)";
const ONE = "The record: link names of all fields of the report's detail view, and `ID`";

export const RECORDS: readonly Operation[] = [
  {
    name: "FetchVendorRecords",
    description:
      "Reads records of a report, up to 200 at once, all of them or those that match criteria. For the next page, add " +
      "the record limit to the start index; a page with fewer records is the last.",
    request:
      "GET /creator/v2/data/{account_owner_identifier}/{application_link_name}/report/{report_link_name}",
    query: { from: "start_record_index", limit: "record_limit", criteria: "filter_criteria" },
    scope: "report.READ",
    kind: READS,
    emptyWithoutMatch: "data",
    answer: { data: LIST },
  },
  {
    name: "FetchVendorRecordDetail",
    description: "Reads one record by its id, with all fields of the report's detail view.",
    request:
      "GET /creator/v2/data/{account_owner_name}/{application_identifier}/report/{report_link_name}/{record_id}",
    scope: "report.READ",
    kind: READS,
    answer: { data: ONE },
  },
  {
    name: "FetchVendorReportRecords",
    description:
      "Reads records of a published report by its private link, up to 200 at once, without the user's grant.",
    request:
      "GET /creator/v2/publish/{account_owner_name}/{vendor_application_link_name}/report/{report_link_name}",
    query: {
      privatelink: "vendor_private_link",
      from: "record_fetch_start_index",
      limit: "record_limit",
      criteria: "filter_criteria",
    },
    scope: "none",
    kind: READS,
    emptyWithoutMatch: "data",
    answer: { data: LIST },
  },
  {
    name: "FetchRecordDetail",
    description:
      "Reads one record of a published report by its id, with the private link and without the user's grant.",
    request:
      "GET /creator/v2/publish/{account_owner_name}/{application_link_name}/report/{report_link_name}/{record_id}",
    query: { privatelink: "application_private_link" },
    scope: "none",
    kind: READS,
    answer: { data: ONE },
  },
];
