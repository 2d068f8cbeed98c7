// The applications of an account and their components.
import { READS } from "../metadata";
import { CATEGORIES, COMPONENT_TYPES, FIELD_TYPES, FORM_TYPES, legendText } from "../legend";
import type { Operation } from "../operation";

const APPLICATIONS =
  "One object each: `application_name`, `link_name`, `workspace_name` (the account owner), `date_format`, `time_zone`, " +
  `\`creation_date\`, \`created_by\`, \`category\` (${legendText(CATEGORIES)}) with \`category_name\``;

export const META: readonly Operation[] = [
  {
    name: "GetApplicationMetaInfo",
    description:
      "Lists all records applications that the user can access, with the names that the other tools need: " +
      "`workspace_name` is the account owner, `link_name` the application.",
    request: "GET /creator/v2/meta/applications",
    scope: "dashboard.READ",
    kind: READS,
    legend: { path: ["applications"], key: "category", words: CATEGORIES },
    answer: { applications: APPLICATIONS },
  },
  {
    name: "FetchWorkspaceAppMeta",
    description: "Lists the records applications of one account (workspace) that the user can access.",
    request: "GET /creator/v2/meta/{workspace_account_owner_name}/applications",
    scope: "dashboard.READ",
    kind: READS,
    legend: { path: ["applications"], key: "category", words: CATEGORIES },
    answer: { applications: APPLICATIONS },
  },
  {
    name: "FetchVendorAppSections",
    description: "Lists the sections of an application, each with its forms, reports and pages.",
    request: "GET /creator/v2/meta/{vendor_account_owner_name}/{vendor_application_link_name}/sections",
    scope: "meta.application.READ",
    kind: READS,
    legend: { path: ["sections", "components"], key: "type", words: COMPONENT_TYPES },
    answer: {
      sections:
        "One object each: `display_name`, `link_name`, `components` with " +
        `\`type\` (${legendText(COMPONENT_TYPES)}) and \`type_name\`, ` +
        "`display_name`, `link_name`, and `view_type` or `page_type`",
    },
  },
  {
    name: "FetchVendorFormMetaInformation",
    description: "Lists the forms of an application with their link names.",
    request: "GET /creator/v2/meta/{vendor_account_owner_name}/{vendor_app_link_name}/forms",
    scope: "meta.application.READ",
    kind: READS,
    legend: { path: ["forms"], key: "type", words: FORM_TYPES },
    answer: {
      forms:
        `One object each: \`display_name\`, \`link_name\`, \`type\` (${legendText(FORM_TYPES)}) and \`type_name\`. ` +
        "Stateless forms store no records",
    },
  },
  {
    name: "FetchVendorReportsMeta",
    description:
      "Lists the reports of an application with their link names. Records are read through reports.",
    request: "GET /creator/v2/meta/{vendor_account_owner_name}/{vendor_app_link_name}/reports",
    scope: "meta.application.READ",
    kind: READS,
    answer: { reports: "One object each: `display_name`, `link_name`, `type` (kind of report)" },
  },
  {
    name: "FetchVendorCreatorPagesMeta",
    description: "Lists the pages of an application with their link names.",
    request: "GET /creator/v2/meta/{account_owner_name}/{vendor_app_link_name}/pages",
    scope: "meta.application.READ",
    kind: READS,
    answer: { pages: "One object each: `display_name`, `link_name`" },
  },
  {
    name: "FetchVendorFormFieldsMetadata",
    description:
      "Lists the fields of a form: link names (used in criteria and records), types, and the rules for values.",
    request:
      "GET /creator/v2/meta/{account_owner_name}/{application_link_name}/form/{form_identifier}/fields",
    scope: "meta.form.READ",
    kind: READS,
    legend: { path: ["fields"], key: "type", words: FIELD_TYPES },
    answer: {
      fields:
        "One object each: `display_name`, `link_name`, `mandatory`, `unique`, `max_char`, choices or subform fields if the " +
        `type has them, and \`type\` with \`type_name\`: ${legendText(FIELD_TYPES)}; others have only the number`,
    },
  },
];
