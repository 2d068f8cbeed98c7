// The record of every error answer.
import { Type } from "typebox";

const FieldError = Type.Object({
  field: Type.String({ description: "Path of the field, with dots." }),
  rule: Type.String({ description: "The rule that was broken." }),
  message: Type.String(),
});

export const ErrorRecord = Type.Object({
  name: Type.String({ pattern: "^[a-z_]+$", description: "Stable code, for programs." }),
  message: Type.String({ description: "One sentence for the developer: what is wrong, and what to do." }),
  field_errors: Type.Optional(
    Type.Array(FieldError, { description: "What is wrong with the request, field by field." }),
  ),
  type: Type.Optional(Type.String({ description: "RFC 9457: always `about:blank`." })),
  title: Type.Optional(Type.String({ description: "RFC 9457: the status in words." })),
  status: Type.Optional(Type.Integer({ description: "RFC 9457: the status of the answer." })),
  detail: Type.Optional(Type.String({ description: "RFC 9457: the same as `message`." })),
  error: Type.Optional(
    Type.Object(
      { message: Type.String(), type: Type.String(), code: Type.String() },
      { description: "The same in the format of language model clients." },
    ),
  ),
});
