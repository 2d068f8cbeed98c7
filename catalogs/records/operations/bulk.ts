// Bulk exports: one tool starts a job, one returns its status; the caller downloads the file.
import { CREATES, READS } from "../metadata";
import type { Operation } from "../operation";

export const BULK: readonly Operation[] = [
  {
    name: "CreateBulkReadJob",
    description:
      "Starts a job that exports 100,000 or more records of a report to a file. GetBulkReadJobDetails returns its status. " +
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
      "the address of the file (a ZIP with one CSV, stored for a day), relative to the API's base. No tool downloads it.",
    request:
      "GET /creator/v2/bulk/{account_owner_name}/{application_link_name}/report/{report_link_name}/read/{job_id}",
    scope: "bulk.READ",
    kind: READS,
    answer: {
      details:
        "The job with its `status` (scheduled, in progress, completed or failed, in several spellings) and, once " +
        "completed, `result`: `count`, `download_url`, and `record_cursor` when more records remain",
    },
  },
];
