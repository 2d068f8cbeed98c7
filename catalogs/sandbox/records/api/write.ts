// Adding and changing records. Each record of a request has its own result with HTTP 200.
import { isWireObject, type WireObject } from "../exact-json";
import type { Application, Form } from "../world/model";
import type { Row } from "../world/table";
import { validated } from "../world/validate";
import { objectIn, type Wishes, wishesOf } from "./body";
import {
  authorOf,
  type Call,
  formOf,
  type Members,
  type Operation,
  reportOf,
  requirePrivateLink,
} from "./call";
import { badAddress, badBody, noMatch, Refusal } from "./refusal";
import { matching, shown } from "./rows";

export const MOST = 200;

export const addRecords: Operation = (call) => {
  const { application, form } = formOf(call);
  const { data } = call.body;
  if (!Array.isArray(data) || data.length === 0) throw badBody();
  if (data.length > MOST) throw new Refusal(200, 3950, "Too many records in one request.");
  const wishes = wishesOf(call.body);
  const items = data.map((item) => {
    if (!isWireObject(item)) throw badBody();
    return item;
  });
  return { result: items.map((item) => addOne(call, application, form, item, wishes)) };
};

export const addPublished: Operation = (call) => {
  const { application, form } = formOf(call);
  requirePrivateLink(call, "form", application, form.link);
  return addRecords(call);
};

export const updateMatching: Operation = (call) => {
  const { application, form } = reportOf(call);
  const change = objectIn(call.body, "data");
  const wishes = wishesOf(call.body);
  const { rows, more } = chosen(call, application, form);
  return { result: rows.map((row) => updateOne(call, application, form, row, change, wishes)), ...more };
};

export const updateRecord: Operation = (call) => {
  const { application, form } = reportOf(call);
  const change = objectIn(call.body, "data");
  const row = call.world.table(application, form.link).find(call.path["id"] ?? "");
  if (row === undefined) throw new Refusal(200, 3190, "There is no record with this id.");
  return updateOne(call, application, form, row, change, wishesOf(call.body));
};

/**
 * The records of a request by criteria, and `more_records` if the flag was sent. Throws 404/1000 without
 * criteria, 404/3100 without a match, 200/3960 for too many without the flag.
 */
export function chosen(
  call: Call,
  application: Application,
  form: Form,
): { rows: Row[]; more: { more_records?: boolean } } {
  const { criteria } = call.body;
  if (typeof criteria !== "string" || criteria.trim() === "") throw badAddress();
  const rows = matching(call.world.table(application, form.link), form, criteria);
  const flag = call.query.flag("process_until_limit");
  if (rows.length === 0) throw noMatch();
  if (flag === true) return { rows: rows.slice(0, MOST), more: { more_records: rows.length > MOST } };
  if (rows.length > MOST) throw new Refusal(200, 3960, "Too many records match.");
  return { rows, more: {} };
}

function addOne(call: Call, application: Application, form: Form, item: WireObject, wishes: Wishes): Members {
  const table = call.world.table(application, form.link);
  const tableOf = (target: string) => call.world.table(application, target);
  const outcome = validated(form, item, undefined, { table, tableOf });
  if ("code" in outcome) return { code: outcome.code, error: outcome.error };
  const row = table.add(outcome.values, authorOf(call));
  return done(call, application, form, row, wishes, "Added.");
}

function updateOne(
  call: Call,
  application: Application,
  form: Form,
  row: Row,
  change: WireObject,
  wishes: Wishes,
): Members {
  const table = call.world.table(application, form.link);
  const tableOf = (target: string) => call.world.table(application, target);
  const outcome = validated(form, change, row, { table, tableOf });
  if ("code" in outcome) return { code: outcome.code, error: outcome.error };
  table.change(row, outcome.values, authorOf(call));
  return done(call, application, form, row, wishes, "Changed.");
}

function done(
  call: Call,
  application: Application,
  form: Form,
  row: Row,
  wishes: Wishes,
  message: string,
): Members {
  return {
    code: 3000,
    data: shown(call, application, form, row, wishes.fields),
    ...(wishes.message ? { message } : {}),
    ...(wishes.tasks && form.opens !== undefined ? { tasks: { openurl: { ...form.opens } } } : {}),
  };
}
