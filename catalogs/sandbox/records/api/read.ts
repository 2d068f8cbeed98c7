// Records of a report, in pages and one by one, also by private link.
import { type Call, type Operation, reportOf, requirePrivateLink } from "./call";
import { noMatch, Refusal } from "./refusal";
import { matching, shown } from "./rows";

const MOST = 200;

export const listRecords: Operation = (call) => {
  const { application, report, form } = reportOf(call);
  const from = call.query.position("from") ?? 1;
  const limit = call.query.position("limit") ?? MOST;
  if (limit > MOST) throw new Refusal(200, 3970, "Too many records are requested.");
  const rows = matching(call.world.table(application, form.link), form, call.query.text("criteria"));
  const page = rows.slice(from - 1, from - 1 + limit);
  // Past the end it is an error, not an empty list.
  if (page.length === 0) throw noMatch();
  return { data: page.map((row) => shown(call, application, form, row, report.columns)) };
};

export const getRecord: Operation = (call) => {
  const { application, form } = reportOf(call);
  const row = call.world.table(application, form.link).find(call.path["id"] ?? "");
  if (row === undefined) throw new Refusal(200, 3190, "There is no record with this id.");
  const columns = form.fields.map(({ link }) => link);
  return { data: shown(call, application, form, row, columns) };
};

export const listPublished: Operation = (call) => published(call, listRecords);
export const getPublished: Operation = (call) => published(call, getRecord);

function published(call: Call, operation: Operation) {
  const { application, report } = reportOf(call);
  requirePrivateLink(call, "report", application, report.link);
  return operation(call);
}
