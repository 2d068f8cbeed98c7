// The record of every refusal.
import { Type } from "typebox";

const FieldError = Type.Object({
  field: Type.String({ description: "Path of the field, with dots." }),
  rule: Type.String({ description: "The rule that it breaks." }),
  message: Type.String(),
});

export const ErrorRecord = Type.Object({
  name: Type.String({ pattern: "^[a-z_]+$", description: "Stable code, for programs." }),
  message: Type.String({ description: "One sentence for the developer: what to do next." }),
  field_errors: Type.Optional(
    Type.Array(FieldError, { description: "What is wrong with the request, field by field." }),
  ),
  type: Type.Optional(Type.String({ description: "RFC 9457: `about:blank`, the status says it all." })),
  title: Type.Optional(Type.String({ description: "RFC 9457: the status in words." })),
  status: Type.Optional(Type.Integer({ description: "RFC 9457: the status of the answer." })),
  detail: Type.Optional(Type.String({ description: "RFC 9457: the same as `message`." })),
  error: Type.Optional(
    Type.Object(
      { message: Type.String(), type: Type.String(), code: Type.String() },
      { description: "Of chat completions: the same, as clients of language models read it." },
    ),
  ),
});
