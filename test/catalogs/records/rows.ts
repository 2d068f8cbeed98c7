// The nineteen tools as the platform's pages have their routes, written by hand: what each is called with in these
// tests, and what must then arrive.
import type { Input } from "./run";

export interface Row {
  tool: string;
  /** Without what is known only at run time. */
  input: Input;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The raw path that must arrive. */
  path: string;
  /** The sandbox's name of the route. */
  route: string;
  /** Without prefix; undefined: none. */
  scope: string | undefined;
}

const M = "/creator/v2/meta";
const D = "/creator/v2/data/acme/inventory";
const P = "/creator/v2/publish/acme/inventory";
const K = "/creator/v2/bulk/acme/inventory";
const PLACE = { account_owner_name: "acme", application_link_name: "inventory" };
const VENDOR_PLACE = { vendor_account_owner_name: "acme", application_link_name: "inventory" };
const ID = "3888833000000114027";

/** Tools that only read. */
export const READS: readonly Row[] = [
  row("GetApplicationMetaInfo", {}, "GET", `${M}/applications`, "meta.applications", "dashboard.READ"),
  row(
    "FetchWorkspaceAppMeta",
    { workspace_account_owner_name: "acme" },
    "GET",
    `${M}/acme/applications`,
    "meta.workspace",
    "dashboard.READ",
  ),
  row(
    "FetchVendorAppSections",
    { vendor_account_owner_name: "acme", vendor_application_link_name: "inventory" },
    "GET",
    `${M}/acme/inventory/sections`,
    "meta.sections",
    "meta.application.READ",
  ),
  row(
    "FetchVendorFormMetaInformation",
    { vendor_account_owner_name: "acme", vendor_app_link_name: "inventory" },
    "GET",
    `${M}/acme/inventory/forms`,
    "meta.forms",
    "meta.application.READ",
  ),
  row(
    "FetchVendorReportsMeta",
    { vendor_account_owner_name: "acme", vendor_app_link_name: "inventory" },
    "GET",
    `${M}/acme/inventory/reports`,
    "meta.reports",
    "meta.application.READ",
  ),
  row(
    "FetchVendorCreatorPagesMeta",
    { account_owner_name: "acme", vendor_app_link_name: "inventory" },
    "GET",
    `${M}/acme/inventory/pages`,
    "meta.pages",
    "meta.application.READ",
  ),
  row(
    "FetchVendorFormFieldsMetadata",
    { ...PLACE, form_identifier: "Products" },
    "GET",
    `${M}/acme/inventory/form/Products/fields`,
    "meta.fields",
    "meta.form.READ",
  ),
  row(
    "FetchVendorRecords",
    {
      account_owner_identifier: "acme",
      application_link_name: "inventory",
      report_link_name: "All_Products",
    },
    "GET",
    `${D}/report/All_Products`,
    "data.list",
    "report.READ",
  ),
  row(
    "FetchVendorRecordDetail",
    {
      account_owner_name: "acme",
      application_identifier: "inventory",
      report_link_name: "All_Products",
      record_id: ID,
    },
    "GET",
    `${D}/report/All_Products/${ID}`,
    "data.get",
    "report.READ",
  ),
  row(
    "GetBulkReadJobDetails",
    { ...PLACE, report_link_name: "All_Products", job_id: ID },
    "GET",
    `${K}/report/All_Products/read/${ID}`,
    "bulk.get",
    "bulk.READ",
  ),
];

/** Tools that need a private link; `KEY` stands for it. */
export const KEY = "f0eD9cB8a7";
export const PUBLISHED_READS: readonly Row[] = [
  row(
    "FetchVendorReportRecords",
    {
      vendor_private_link: KEY,
      account_owner_name: "acme",
      vendor_application_link_name: "inventory",
      report_link_name: "All_Products",
    },
    "GET",
    `${P}/report/All_Products`,
    "publish.list",
    undefined,
  ),
  row(
    "FetchRecordDetail",
    { application_private_link: KEY, ...PLACE, report_link_name: "All_Products", record_id: ID },
    "GET",
    `${P}/report/All_Products/${ID}`,
    "publish.get",
    undefined,
  ),
];

/** Tools with a mode, each with a request body that does something. */
export const MODES: readonly Row[] = [
  row(
    "AddRecordsToVendorForm",
    {
      form_private_link: KEY,
      ...VENDOR_PLACE,
      vendor_form_link_name: "Products",
      ...body({ data: [{ Name: "Desk" }] }),
    },
    "POST",
    `${P}/form/Products`,
    "publish.add",
    undefined,
  ),
  row(
    "InsertRecordsInVendorForm",
    { ...VENDOR_PLACE, form_link_name: "Products", ...body({ data: [{ Name: "Desk" }] }) },
    "POST",
    `${D}/form/Products`,
    "data.add",
    "form.CREATE",
  ),
  row(
    "UpdateVendorCreatorReportRecords",
    {
      ...PLACE,
      report_link_name: "All_Products",
      ...body({ criteria: "Quantity < 5", data: { Note: "low" } }),
    },
    "PATCH",
    `${D}/report/All_Products`,
    "data.update_many",
    "report.UPDATE",
  ),
  row(
    "UpdateVendorRecord",
    { ...VENDOR_PLACE, report_link_name: "All_Products", record_id: ID, ...body({ data: { Note: "one" } }) },
    "PATCH",
    `${D}/report/All_Products/${ID}`,
    "data.update",
    "report.UPDATE",
  ),
  row(
    "DeleteReportRecords",
    { ...PLACE, report_identifier: "All_Products", ...body({ criteria: "Quantity < 5" }) },
    "DELETE",
    `${D}/report/All_Products`,
    "data.delete_many",
    "report.DELETE",
  ),
  row(
    "DeleteVendorRecord",
    { ...VENDOR_PLACE, report_link_name: "All_Products", record_id: ID, ...body({}) },
    "DELETE",
    `${D}/report/All_Products/${ID}`,
    "data.delete",
    "report.DELETE",
  ),
  row(
    "CreateBulkReadJob",
    { ...PLACE, report_reference_name: "All_Products", ...body({ query: { fields: ["Name"] } }) },
    "POST",
    `${K}/report/All_Products/read`,
    "bulk.create",
    "bulk.CREATE",
  ),
];

export const ALL: readonly Row[] = [...READS, ...PUBLISHED_READS, ...MODES];

/** Rows for `test.each`: the name first. */
export function named(rows: readonly Row[]): [string, Row][] {
  return rows.map((each) => [each.tool, each]);
}

export function rowOf(name: string): Row {
  const found = ALL.find((each) => each.tool === name);
  if (found === undefined) throw new Error(`There is no row of ${name}.`);
  return found;
}

function row(
  name: string,
  input: Input,
  method: Row["method"],
  path: string,
  route: string,
  scope: string | undefined,
): Row {
  return { tool: name, input, method, path, route, scope };
}

function body(value: object): Input {
  return { mode: "execute", request_body: JSON.stringify(value) };
}
