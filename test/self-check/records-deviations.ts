// What the records platform might do otherwise.
import { type Deviation, eachOf, instead, withFields, withoutFields } from "./deviating";

const RECORDS = /creator\/v2\/data\/[^/]+\/[^/]+\/report\/[^/]+$/;
const FORMS = /\/forms$/;
const refused = (status: number, code: number) => instead(status, { code, message: "Refused." });
const empty = instead(200, { code: 3000, data: [] });

export const RECORDS_DEVIATIONS: readonly Deviation[] = [
  {
    behaviour: "applications do not name their owner",
    check: "applications",
    at: "creator/v2/meta/applications",
    answers: eachOf("applications", (item) => ({ ...item, workspace_name: null })),
  },
  {
    behaviour: "applications have another category",
    check: "applications",
    at: "creator/v2/meta/applications",
    answers: eachOf("applications", (item) => ({ ...item, category: 9 })),
  },
  {
    behaviour: "the list of applications has another name",
    check: "applications",
    at: "creator/v2/meta/applications",
    answers: withoutFields("applications"),
  },
  {
    behaviour: "an unknown owner has no applications",
    check: "unknown-owner",
    at: /self-check-does-not-exist\/applications$/,
    answers: instead(200, { code: 3000, applications: [] }),
  },
  {
    behaviour: "an unknown application is refused with an unknown code",
    check: "unknown-application",
    at: /self-check-does-not-exist\/forms$/,
    answers: refused(404, 2999),
  },
  {
    behaviour: "forms have words as types",
    check: "forms",
    at: FORMS,
    answers: eachOf("forms", (item) => ({ ...item, type: "form" })),
  },
  {
    behaviour: "reports have no link names",
    check: "reports",
    at: /\/reports$/,
    answers: withFields({ reports: [{ display_name: "Report" }] }),
  },
  {
    behaviour: "components have another type",
    check: "sections",
    at: /\/sections$/,
    answers: withFields({ sections: [{ link_name: "Main", components: [{ link_name: "x", type: 7 }] }] }),
  },
  {
    behaviour: "pages have no link names",
    check: "pages",
    at: /\/pages$/,
    answers: withFields({ pages: [{ display_name: "Page" }] }),
  },
  {
    behaviour: "one record is a list",
    check: "record-detail",
    at: /\/report\/[^/]+\/\d{5,}$/,
    answers: (answer) => ({ ...answer, body: { ...answer.body, data: [answer.body["data"] ?? null] } }),
  },
  {
    behaviour: "an unknown job is a new one",
    check: "unknown-job",
    at: /\/read\/1$/,
    answers: instead(200, { code: 3000, details: { status: "Scheduled" } }),
  },
  {
    behaviour: "types of fields are words",
    check: "fields",
    at: /\/fields$/,
    answers: eachOf("fields", (item) => ({ ...item, type: "text" })),
  },
  {
    behaviour: "mandatory is text",
    check: "fields",
    at: /\/fields$/,
    answers: eachOf("fields", (item) => ({ ...item, mandatory: "true" })),
  },
  {
    behaviour: "the limit is ignored",
    check: "records-limit",
    at: RECORDS,
    sends: ({ params }) => (params["limit"] === "1" ? { limit: undefined } : {}),
  },
  {
    behaviour: "records have no ID",
    check: "records-limit",
    at: RECORDS,
    answers: eachOf("data", () => ({ Name: "x" })),
  },
  {
    behaviour: "the start index is ignored",
    check: "records-pages",
    at: RECORDS,
    sends: () => ({ from: undefined }),
  },
  {
    behaviour: "a page past the end is an empty list",
    check: "page-past-the-end",
    at: RECORDS,
    when: ({ params }) => params["from"] === "900000000",
    answers: empty,
  },
  {
    behaviour: "no match is an empty list",
    check: "no-match",
    at: RECORDS,
    when: ({ params }) => params["criteria"] === "ID == 1",
    answers: empty,
  },
  {
    behaviour: "no match is another code",
    check: "no-match",
    at: RECORDS,
    when: ({ params }) => params["criteria"] === "ID == 1",
    answers: refused(404, 9999),
  },
  {
    behaviour: "invalid criteria are ignored",
    check: "invalid-criteria",
    at: RECORDS,
    sends: ({ params }) => (params["criteria"]?.startsWith("((") === true ? { criteria: undefined } : {}),
  },
  {
    behaviour: "larger pages are accepted",
    check: "largest-page",
    at: RECORDS,
    sends: ({ params }) => (params["limit"] === "201" ? { limit: "200" } : {}),
  },
  {
    behaviour: "an unknown record is an empty one",
    check: "unknown-record",
    at: /\/report\/[^/]+\/1$/,
    answers: instead(200, { code: 3000, data: {} }),
  },
];
