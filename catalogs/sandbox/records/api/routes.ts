// The routes of the API: method, address, query parameters, scope, body, and what they do.
import { createJob, getJob } from "./bulk";
import type { Operation } from "./call";
import {
  listApplications,
  listFields,
  listForms,
  listPages,
  listReports,
  listSections,
  listWorkspace,
} from "./meta";
import { getPublished, getRecord, listPublished, listRecords } from "./read";
import { deleteMatching, deleteRecord } from "./remove";
import { addPublished, addRecords, updateMatching, updateRecord } from "./write";

export interface Route {
  readonly name: string;
  readonly method: string;
  readonly family: string;
  /** Literal segments, or `:name` for any segment. */
  readonly pattern: readonly string[];
  /** Null: a private-link route, where a key in the query is the credential. */
  readonly scope: string | null;
  readonly query: readonly string[];
  readonly body: "none" | "needed" | "optional";
  readonly run: Operation;
}

const PAGE = ["from", "limit", "criteria"];
const KEY = "privatelink";
const UNTIL = ["process_until_limit"];

type More = { query?: readonly string[]; body?: "needed" | "optional" };

function route(name: string, address: string, scope: string | null, run: Operation, more: More = {}): Route {
  const [method = "", path = ""] = address.split(" ");
  const [family = "", ...pattern] = path.split("/");
  return { name, method, family, pattern, scope, query: more.query ?? [], body: more.body ?? "none", run };
}

const REPORT = ":owner/:app/report/:report";
const FORM = ":owner/:app/form/:form";

export const ROUTES: readonly Route[] = [
  route("meta.applications", "GET meta/applications", "dashboard.READ", listApplications),
  route("meta.workspace", "GET meta/:owner/applications", "dashboard.READ", listWorkspace),
  route("meta.sections", "GET meta/:owner/:app/sections", "meta.application.READ", listSections),
  route("meta.forms", "GET meta/:owner/:app/forms", "meta.application.READ", listForms),
  route("meta.reports", "GET meta/:owner/:app/reports", "meta.application.READ", listReports),
  route("meta.pages", "GET meta/:owner/:app/pages", "meta.application.READ", listPages),
  route("meta.fields", `GET meta/${FORM}/fields`, "meta.form.READ", listFields),
  route("data.list", `GET data/${REPORT}`, "report.READ", listRecords, { query: PAGE }),
  route("data.get", `GET data/${REPORT}/:id`, "report.READ", getRecord),
  route("data.add", `POST data/${FORM}`, "form.CREATE", addRecords, { body: "needed" }),
  route("data.update_many", `PATCH data/${REPORT}`, "report.UPDATE", updateMatching, {
    query: UNTIL,
    body: "needed",
  }),
  route("data.update", `PATCH data/${REPORT}/:id`, "report.UPDATE", updateRecord, { body: "needed" }),
  route("data.delete_many", `DELETE data/${REPORT}`, "report.DELETE", deleteMatching, {
    query: UNTIL,
    body: "needed",
  }),
  route("data.delete", `DELETE data/${REPORT}/:id`, "report.DELETE", deleteRecord, { body: "optional" }),
  route("publish.list", `GET publish/${REPORT}`, null, listPublished, { query: [KEY, ...PAGE] }),
  route("publish.get", `GET publish/${REPORT}/:id`, null, getPublished, { query: [KEY] }),
  route("publish.add", `POST publish/${FORM}`, null, addPublished, { query: [KEY], body: "needed" }),
  route("bulk.create", `POST bulk/${REPORT}/read`, "bulk.CREATE", createJob, { body: "needed" }),
  route("bulk.get", `GET bulk/${REPORT}/read/:job`, "bulk.READ", getJob),
];

/** The segments by name, or undefined for another address. */
export function pathOf(
  { family, pattern }: Route,
  target: { readonly family: string; readonly segments: readonly string[] },
): Record<string, string> | undefined {
  if (target.family !== family || target.segments.length !== pattern.length) return undefined;
  const path: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = target.segments[index] ?? "";
    if (part.startsWith(":")) path[part.slice(1)] = segment;
    else if (part !== segment) return undefined;
  }
  return path;
}
