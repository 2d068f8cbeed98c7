// Records of a report, and what is refused about them.
import { judged, type PlatformCheck, withoutExample } from "../../../src/tools";
import { objectIn, objectsIn } from "../../upstream/json";
import { matchesNothing } from "../upstream/codes";
import { type Asked, codeSeen, type Example, type RecordsProbe, recordsOf } from "./probe";
import { noMatch, refusedAs, refusedWith, withReport } from "./verdicts";

const RECORDS = "FetchVendorRecords";
const MOST = 200;

export const RECORDS_CHECKS: readonly PlatformCheck<RecordsProbe>[] = [
  {
    name: "records-limit",
    expects: "a page of records keeps to its limit, and every record has an ID of digits",
    tool: RECORDS,
    run: (probe) =>
      withReport(probe, async (place) => {
        const asked = await recordsOf(probe, place, { record_limit: 1 });
        const ids = idsIn(asked);
        const count = objectsIn(asked.body, "data").length;
        const fit = ids.length === count && ids.every((id) => /^\d+$/.test(id));
        return judged(asked.ok && count === 1 && fit, { ...codeSeen(asked), records: count, ids_fit: fit });
      }),
  },
  {
    name: "records-pages",
    expects: "the next start index leads to other records",
    tool: RECORDS,
    run: (probe) =>
      withReport(probe, async (place) => {
        const first = idsIn(await recordsOf(probe, place, { record_limit: 1 }));
        const next = await recordsOf(probe, place, { record_limit: 1, start_record_index: 2 });
        if (matchesNothing(next.code)) return withoutExample({ records: first.length });
        const repeated = idsIn(next).filter((id) => first.includes(id)).length;
        return judged(next.ok && repeated === 0, { ...codeSeen(next), repeated });
      }),
  },
  {
    name: "page-past-the-end",
    expects: "a page past the end is 3100 or 9280, not an empty list",
    tool: RECORDS,
    run: (probe) =>
      withReport(probe, async (place) =>
        noMatch(await recordsOf(probe, place, { record_limit: 1, start_record_index: 900_000_000 })),
      ),
  },
  {
    name: "no-match",
    expects:
      "criteria that match nothing are 3100, or 9280 as in the list of another version; which is not settled",
    tool: RECORDS,
    run: (probe) =>
      withReport(probe, async (place) =>
        noMatch(await recordsOf(probe, place, { filter_criteria: "ID == 1" })),
      ),
  },
  {
    name: "invalid-criteria",
    expects: "criteria that cannot be read are refused with 3090",
    tool: RECORDS,
    run: (probe) =>
      withReport(probe, async (place) =>
        refusedWith(await recordsOf(probe, place, { filter_criteria: "((self check" }), 3090),
      ),
  },
  {
    name: "largest-page",
    expects: "more than 200 records at once are refused with 3970",
    tool: RECORDS,
    run: (probe) =>
      withReport(probe, async (place) =>
        refusedWith(await recordsOf(probe, place, { record_limit: MOST + 1 }), 3970),
      ),
  },
  {
    name: "record-detail",
    expects: "one record by its id is an object with this ID",
    tool: "FetchVendorRecordDetail",
    run: (probe) =>
      withReport(probe, async (place) => {
        const [id] = idsIn(await recordsOf(probe, place, { record_limit: 1 }));
        if (id === undefined) return withoutExample();
        const asked = await detailOf(probe, place, id);
        const isSame = String(objectIn(asked.body, "data")["ID"]) === id;
        return judged(asked.ok && isSame, { ...codeSeen(asked), same_id: isSame });
      }),
  },
  {
    name: "unknown-job",
    expects: "an unknown job is refused with a code of the table that says so",
    tool: "GetBulkReadJobDetails",
    run: (probe) =>
      withReport(probe, async ({ owner, application, report = "" }) => {
        const asked = await probe.ask("GetBulkReadJobDetails", {
          account_owner_name: owner,
          application_link_name: application,
          report_link_name: report,
          job_id: "1",
        });
        return refusedAs(asked, "missing");
      }),
  },
  {
    name: "unknown-record",
    expects: "an unknown id is refused with a code of the table that says so",
    tool: "FetchVendorRecordDetail",
    run: (probe) =>
      withReport(probe, async (place) => refusedAs(await detailOf(probe, place, "1"), "missing")),
  },
];

function detailOf(
  probe: RecordsProbe,
  { owner, application, report = "" }: Example,
  id: string,
): Promise<Asked> {
  return probe.ask("FetchVendorRecordDetail", {
    account_owner_name: owner,
    application_identifier: application,
    report_link_name: report,
    record_id: id,
  });
}

function idsIn({ body }: Asked): string[] {
  return objectsIn(body, "data").flatMap(({ ID: id }) =>
    typeof id === "string" || typeof id === "number" ? String(id) : [],
  );
}
