// Bulk exports: one tool starts a job, one returns its status; the caller downloads the file.
import { nonEmptyTextIn, objectIn } from "../../upstream/json";
import { CREATES, READS, TOOLKIT } from "../metadata";
import type { Operation } from "../operation";

const DOWNLOAD =
  "`download_url` opens only with the user's token, which tools never return: do not give the address to the user or open it. " +
  `Read the records with ${TOOLKIT}.FetchVendorRecords, 200 at once, or ask the user to export the report in the application.`;

export const BULK: readonly Operation[] = [
  {
    name: "CreateBulkReadJob",
    description:
      "Starts a job that exports the records of a report, by default up to 100,000 of them, at most 200,000, to a file for the " +
      "user. GetBulkReadJobDetails returns its status. To read records here, use FetchVendorRecords. " +
      "Request the schema first (mode get_request_schema), then execute.",
    request:
      "POST /creator/v2/bulk/{account_owner_name}/{application_link_name}/report/{report_reference_name}/read",
    scope: "bulk.CREATE",
    kind: CREATES,
    body: "exporting",
    answer: {
      details:
        "The job: `id` (for GetBulkReadJobDetails), `operation`, `status`, `created_by`, `created_time`",
    },
  },
  {
    name: "GetBulkReadJobDetails",
    description:
      "Returns the status of a bulk read job. Once it is completed, `details.result` contains the number of records and " +
      "the address of the file (a ZIP with one CSV, stored for a day), relative to the API's base. The file can be " +
      "downloaded only with the user's token, which tools never return; read the records with FetchVendorRecords.",
    request:
      "GET /creator/v2/bulk/{account_owner_name}/{application_link_name}/report/{report_link_name}/read/{job_id}",
    scope: "bulk.READ",
    kind: READS,
    answer: {
      details:
        "The job with its `status` (scheduled, in progress, completed or failed, in several spellings) and, once " +
        "completed, `result`: `count`, `download_url`, and `record_cursor` when more records remain",
    },
    instructions: (answer) =>
      nonEmptyTextIn(objectIn(objectIn(answer, "details"), "result"), "download_url") === undefined
        ? undefined
        : DOWNLOAD,
  },
];
