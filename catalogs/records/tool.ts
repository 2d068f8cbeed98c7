// Creates a tool from a row of the operation tables.
import { type TObject, type TSchema, Type } from "typebox";
import {
  badInput,
  type JsonObject,
  retryableInput,
  type ToolContext,
  type ToolDefinition,
} from "../../src/tools";
import { checkBody } from "./body/check";
import { publishedSchema, type RequestBody } from "./body/schemas";
import { withWords } from "./legend";
import { type Operation, pathParameters, privateLinkParameter, type QueryName, scopesOf } from "./operation";
import { addressParameter, MODE, queryParameter, REQUEST_BODY } from "./parameters";
import { zohoPreset } from "../presets/zoho";
import { addressOf, addressProblems } from "./upstream/address";
import { withAlternatives } from "./upstream/alternatives";
import { BASE_SECRET, requireBase } from "./upstream/base";
import { failedItems } from "./upstream/failure";
import { send } from "./upstream/send";

type Input = Readonly<Record<string, unknown>>;

export function toolOf(operation: Operation): ToolDefinition {
  const { name, description, kind, body } = operation;
  const definition: ToolDefinition = {
    name,
    description,
    input: inputOf(operation),
    output: outputOf(operation),
    authorization: { provider: zohoPreset.id, scopes: scopesOf(operation) },
    secrets: [BASE_SECRET],
    metadata: kind,
    // Longer integers arrive as text.
    ids: ["record_id", "job_id"],
    judge: (input) =>
      body === undefined ? judgeRead(operation, input) : judgeExecute(operation, body, input),
    run: (input, context) =>
      body === undefined
        ? perform(operation, input, undefined, context)
        : byMode(operation, body, input, context),
  };
  return body === undefined
    ? definition
    : {
        ...definition,
        waivesRequirements: requestsSchema,
        // The error for an object instead of its text contains the schema and how to send it.
        checksItself: ["request_body"],
        documents: ["request_body"],
      };
}

/** The parameters. In a tool with a mode, all others are optional in the schema: only `execute` requires them. */
function inputOf(operation: Operation): TObject {
  const { body, query = {} } = operation;
  const required = (schema: TSchema): TSchema => (body === undefined ? schema : Type.Optional(schema));
  const parameters: Record<string, TSchema> = body === undefined ? {} : { mode: MODE };
  const key = privateLinkParameter(operation);
  if (key !== undefined) parameters[key] = required(queryParameter("privatelink"));
  for (const name of pathParameters(operation)) parameters[name] = required(addressParameter(name));
  for (const sent of ["from", "limit", "criteria", "process_until_limit"] satisfies QueryName[]) {
    const name = query[sent];
    if (name !== undefined) parameters[name] = Type.Optional(queryParameter(sent));
  }
  if (body !== undefined) parameters["request_body"] = Type.Optional(REQUEST_BODY);
  return Type.Object(parameters);
}

function outputOf(operation: Operation): TObject {
  const answer = answerOf(operation);
  if (operation.body === undefined) {
    return Type.Object({
      response_json: answer,
      ...(operation.instructions === undefined ? {} : { instructions: Type.Optional(INSTRUCTIONS) }),
    });
  }
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
      Type.String({ description: "Mode get_request_schema: how to use the schema" }),
    ),
  });
}

const INSTRUCTIONS = Type.String({ description: "What to do with the answer" });

/** The fields of an answer have descriptions but no types: their types are up to the platform. */
function answerOf({ answer }: Operation): TSchema {
  const members = Object.entries(answer).map(([name, description]): [string, TSchema] => [
    name,
    Type.Optional(Type.Unknown({ description })),
  ]);
  return Type.Object(
    { code: Type.Integer({ description: "3000: success" }), ...Object.fromEntries(members) },
    {
      additionalProperties: true,
      description:
        "The platform's answer. Ids, and numbers with more digits than a JSON number keeps, are text.",
    },
  );
}

function requestsSchema(input: Input): boolean {
  return input["mode"] === "get_request_schema";
}

function judgeRead(operation: Operation, input: Input): void {
  const problems = addressProblems(operation, input);
  if (problems.length > 0) throw badInput(`${problems.join("; ")}.`);
}

/** Is not asked about a request for a schema, which needs no other parameters. */
function judgeExecute(operation: Operation, body: RequestBody, input: Input): void {
  const problems = addressProblems(operation, input);
  if (problems.length > 0) {
    throw retryableInput(`Mode execute needs other parameters: ${problems.join("; ")}.`, {
      additionalPromptContent: instructionsFor(operation),
    });
  }
  checkBody(body, input["request_body"]);
}

async function byMode(operation: Operation, body: RequestBody, input: Input, context: ToolContext) {
  if (requestsSchema(input)) {
    return { request_body_schema: publishedSchema(body), instructions: instructionsFor(operation) };
  }
  // The caller's text is sent unchanged: parsing and serializing it would lose digits of long ids.
  return perform(operation, input, String(input["request_body"]), context);
}

async function perform(operation: Operation, input: Input, body: string | undefined, context: ToolContext) {
  requireBase(context.secrets);
  const key = privateLinkParameter(operation);
  const call = {
    operation,
    body,
    address: addressOf(operation, input),
    privateLink: key === undefined ? undefined : String(input[key]),
  };
  const answer = await send(context, call).catch(async (error: unknown) => {
    throw await withAlternatives(error, operation, input, context);
  });
  reportFailedItems(answer, context);
  const { legend } = operation;
  const instructions = operation.instructions?.(answer);
  return {
    response_json: legend === undefined ? answer : withWords(answer, legend),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** Logs a warning, because the answer as a whole is a success. */
function reportFailedItems(answer: JsonObject, context: ToolContext): void {
  const { total, failed } = failedItems(answer["result"]);
  if (failed > 0) context.log("warning", `${failed} of ${total} records were not accepted. See \`result\`.`);
}

/** Instructions for the model: build the object, then call again with these parameters. */
function instructionsFor(operation: Operation): string {
  const key = privateLinkParameter(operation);
  const needed = [...(key === undefined ? [] : [key]), ...pathParameters(operation)];
  const flag = operation.query?.process_until_limit;
  return (
    "Build an object that matches `request_body_schema`. Then call this tool again with `mode` set to `execute`, the " +
    `object as JSON text (a string, encoded once) in \`request_body\`, and ${listed(needed)}.` +
    (flag === undefined ? "" : ` \`${flag}\` is optional.`)
  );
}

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}
