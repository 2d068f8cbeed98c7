// Exports of many records: a job is started, asked for until it is done, and its file fetched by the caller.
import { CREATES, READS } from "../metadata";
import type { Operation } from "../operation";

export const BULK: readonly Operation[] = [
  {
    name: "CreateBulkReadJob",
    description:
      "Starts a job that exports 100,000 and more records of a report to a file; GetBulkReadJobDetails follows it. " +
      "Ask for the request schema first (mode get_request_schema), then execute.",
    request:
      "POST /creator/v2/bulk/{account_owner_name}/{application_link_name}/report/{report_reference_name}/read",
    scope: "bulk.CREATE",
    kind: CREATES,
    body: "exporting",
    answer: {
      details: "The job: `id` (needed to follow it), `operation`, `status`, `created_by`, `created_time`",
    },
  },
  {
    name: "GetBulkReadJobDetails",
    description:
      "Tells how far a bulk read job is. When it is completed, `details.result` holds the number of records and the " +
      "address of the file (a ZIP with one CSV, kept for a day), below the API's base; no tool downloads it.",
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
