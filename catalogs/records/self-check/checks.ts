// The applications of the account, and records of a report.
import {
  type JsonObject,
  judged,
  kindOf,
  type PlatformCheck,
  type Verdict,
  withoutExample,
} from "../../../src/tools";
import { objectsIn } from "../../upstream/json";
import { CATEGORIES, FIELD_TYPES, FORM_TYPES } from "../legend";
import { CODES, matchesNothing } from "../upstream/codes";
import {
  applications,
  type Asked,
  codeSeen,
  type Example,
  example,
  formsOf,
  type RecordsProbe,
  recordsOf,
  reportsOf,
} from "./probe";

const APPLICATIONS = "GetApplicationMetaInfo";
const FORMS = "FetchVendorFormMetaInformation";
const FIELDS = "FetchVendorFormFieldsMetadata";
const RECORDS = "FetchVendorRecords";

const UNKNOWN = "self-check-does-not-exist";
const MOST = 200;

export const CHECKS: readonly PlatformCheck<RecordsProbe>[] = [
  {
    name: "applications",
    expects: "applications have workspace_name and link_name, and a category of the table",
    tool: APPLICATIONS,
    async run(probe) {
      const asked = await applications(probe);
      const items = objectsIn(asked.body, "applications");
      const unnamed = items.filter((item) => !hasTexts(item, "workspace_name", "link_name")).length;
      const others = withOtherNumbers(items, "category", CATEGORIES);
      const isList = kindOf(asked.body["applications"]) === "list";
      return judged(asked.ok && isList && unnamed === 0 && others === 0, {
        ...codeSeen(asked),
        applications: items.length,
        without_names: unnamed,
        with_other_category: others,
      });
    },
  },
  {
    name: "unknown-owner",
    expects: "an unknown account owner is refused with a code of the table that says so",
    tool: "FetchWorkspaceAppMeta",
    async run(probe) {
      const asked = await probe.ask("FetchWorkspaceAppMeta", { workspace_account_owner_name: UNKNOWN });
      return refusedAs(asked, "missing", "input", "refused");
    },
  },
  {
    name: "unknown-application",
    expects: "an unknown application is refused with a code of the table that says so",
    tool: FORMS,
    run: (probe) =>
      withPlace(probe, async ({ owner }) =>
        refusedAs(await formsOf(probe, owner, UNKNOWN), "missing", "input"),
      ),
  },
  {
    name: "forms",
    expects: "forms have link_name and a type of the table, or the application has none (3910)",
    tool: FORMS,
    run: (probe) =>
      withPlace(probe, async ({ owner, application }) => {
        const asked = await formsOf(probe, owner, application);
        const items = objectsIn(asked.body, "forms");
        const unnamed = items.filter((item) => !hasTexts(item, "link_name")).length;
        const others = withOtherNumbers(items, "type", FORM_TYPES);
        return judged((asked.ok || asked.code === 3910) && unnamed === 0 && others === 0, {
          ...codeSeen(asked),
          forms: items.length,
          without_names: unnamed,
          of_other_types: others,
        });
      }),
  },
  {
    name: "reports",
    expects: "reports have link_name, or the application has none (3930)",
    tool: "FetchVendorReportsMeta",
    run: (probe) =>
      withPlace(probe, async ({ owner, application }) => {
        const asked = await reportsOf(probe, owner, application);
        const items = objectsIn(asked.body, "reports");
        const unnamed = items.filter((item) => !hasTexts(item, "link_name")).length;
        return judged((asked.ok || asked.code === 3930) && unnamed === 0, {
          ...codeSeen(asked),
          reports: items.length,
          without_names: unnamed,
        });
      }),
  },
  {
    name: "fields",
    expects: "fields have link_name, a number as type, and booleans for mandatory and unique",
    tool: FIELDS,
    run: (probe) =>
      withPlace(probe, async ({ owner, application, form }) => {
        if (form === undefined) return withoutExample();
        const asked = await probe.ask(FIELDS, {
          account_owner_name: owner,
          application_link_name: application,
          form_identifier: form,
        });
        const items = objectsIn(asked.body, "fields");
        const others = items.filter((item) => !isField(item)).length;
        const unknown = withOtherNumbers(items, "type", FIELD_TYPES);
        return judged(asked.ok && others === 0, {
          ...codeSeen(asked),
          fields: items.length,
          of_another_form: others,
          // The table of types is known to lack some.
          of_types_without_a_word: unknown,
        });
      }),
  },
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
    name: "unknown-record",
    expects: "an unknown id is refused with a code of the table that says so",
    tool: "FetchVendorRecordDetail",
    run: (probe) =>
      withReport(probe, async ({ owner, application, report = "" }) =>
        refusedAs(
          await probe.ask("FetchVendorRecordDetail", {
            account_owner_name: owner,
            application_identifier: application,
            report_link_name: report,
            record_id: "1",
          }),
          "missing",
        ),
      ),
  },
];

async function withPlace(probe: RecordsProbe, check: (place: Example) => Promise<Verdict>): Promise<Verdict> {
  const place = await example(probe);
  return place === undefined ? withoutExample() : check(place);
}

function withReport(probe: RecordsProbe, check: (place: Example) => Promise<Verdict>): Promise<Verdict> {
  return withPlace(probe, async (place) => (place.report === undefined ? withoutExample() : check(place)));
}

/** A refusal whose code has one of these meanings in the table. */
function refusedAs(asked: Asked, ...meanings: string[]): Verdict {
  const meaning = asked.code === undefined ? undefined : CODES[asked.code]?.meaning;
  const fits = !asked.ok && meaning !== undefined && meanings.includes(meaning);
  return judged(fits, codeSeen(asked));
}

function refusedWith(asked: Asked, code: number): Verdict {
  return judged(asked.code === code, codeSeen(asked));
}

function noMatch(asked: Asked): Verdict {
  return judged(matchesNothing(asked.code), codeSeen(asked));
}

function idsIn({ body }: Asked): string[] {
  return objectsIn(body, "data").flatMap(({ ID: id }) =>
    typeof id === "string" || typeof id === "number" ? String(id) : [],
  );
}

function hasTexts(item: JsonObject, ...fields: string[]): boolean {
  return fields.every((field) => kindOf(item[field]) === "text");
}

function withOtherNumbers(
  items: readonly JsonObject[],
  key: string,
  words: Readonly<Record<number, string>>,
): number {
  return items.filter((item) => typeof item[key] !== "number" || words[item[key]] === undefined).length;
}

function isField(item: JsonObject): boolean {
  const flags = [kindOf(item["mandatory"]), kindOf(item["unique"])];
  return (
    hasTexts(item, "link_name") &&
    typeof item["type"] === "number" &&
    flags.every((kind) => kind === "boolean")
  );
}
