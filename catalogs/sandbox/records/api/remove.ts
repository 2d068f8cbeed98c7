// Deleting records. Here ids are JSON integers, of 19 digits too.
import { Digits } from "../exact-json";
import type { Application, Form } from "../world/model";
import type { Row } from "../world/table";
import { type Wishes, wishesOf } from "./body";
import { type Call, type Members, type Operation, reportOf } from "./call";
import { Refusal } from "./refusal";
import { chosen } from "./write";

export const deleteMatching: Operation = (call) => {
  const { application, form } = reportOf(call);
  const wishes = wishesOf(call.body);
  const { rows, more } = chosen(call, application, form);
  return { result: rows.map((row) => deleteOne(call, application, form, row, wishes)), ...more };
};

export const deleteRecord: Operation = (call) => {
  const { application, form } = reportOf(call);
  const row = call.world.table(application, form.link).find(call.path["id"] ?? "");
  if (row === undefined) throw new Refusal(200, 3190, "There is no record with this id.");
  return deleteOne(call, application, form, row, wishesOf(call.body));
};

function deleteOne(call: Call, application: Application, form: Form, row: Row, wishes: Wishes): Members {
  if (isReferred(call, application, form, row)) {
    return { code: 3001, error: ["Other records refer to this one."] };
  }
  call.world.table(application, form.link).delete(row.id);
  return { code: 3000, data: { ID: new Digits(row.id) }, ...(wishes.message ? { message: "Deleted." } : {}) };
}

function isReferred({ world }: Call, application: Application, form: Form, row: Row): boolean {
  return application.forms.some((other) =>
    other.fields.some(
      ({ link, kind, target }) =>
        kind === "lookup" &&
        target === form.link &&
        world.table(application, other.link).rows.some(({ values }) => values[link] === row.id),
    ),
  );
}
