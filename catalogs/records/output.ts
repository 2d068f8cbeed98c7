// The tools' results: the platform's answer as it came, with exact digits.
import { type TObject, type TSchema, Type } from "typebox";
import type { Operation } from "./operation";

export function outputOf(operation: Operation): TObject {
  const answer = answerOf(operation);
  if (operation.body === undefined) return Type.Object({ response_json: answer });
  return Type.Object({
    response_json: Type.Optional(answer),
    request_body_schema: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: "Mode get_request_schema: the JSON schema of `request_body`",
        },
      ),
    ),
    instructions: Type.Optional(
      Type.String({ description: "Mode get_request_schema: what to do with the schema" }),
    ),
  });
}

/** Members of an answer are the platform's word: they are described, and not held to a type. */
function answerOf({ answer }: Operation): TSchema {
  const members = Object.entries(answer).map(([name, description]): [string, TSchema] => [
    name,
    Type.Optional(Type.Unknown({ description })),
  ]);
  return Type.Object(
    { code: Type.Integer({ description: "3000: done" }), ...Object.fromEntries(members) },
    {
      additionalProperties: true,
      description: "What the platform answered. Ids are text with all their digits.",
    },
  );
}
