// The tools that a worker has because its server offers resources, prompts or completions. They are tools so that access hooks,
// requirements, limits and the log apply to each read.
import type { WorkerTool } from "../tool";
import { COMPLETE, GET_PROMPT, READ_RESOURCE } from "./names";

const METADATA: WorkerTool["metadata"] = {
  behavior: { operations: ["read"], read_only: true, destructive: false, idempotent: true, open_world: true },
};

export const readResource: WorkerTool = {
  upstream: "resources/read",
  name: READ_RESOURCE,
  description: "Reads a resource of the server, by its address.",
  input: {
    type: "object",
    properties: { uri: { type: "string", description: "The address of the resource." } },
    required: ["uri"],
    additionalProperties: false,
  },
  metadata: METADATA,
  reserved: "resource",
};

export const getPrompt: WorkerTool = {
  upstream: "prompts/get",
  name: GET_PROMPT,
  description: "Gets a prompt of the server, with its arguments filled in.",
  input: {
    type: "object",
    properties: {
      name: { type: "string", description: "The name of the prompt." },
      arguments: {
        type: "object",
        description: "The arguments of the prompt, by name.",
        additionalProperties: { type: "string" },
      },
    },
    required: ["name"],
    additionalProperties: false,
  },
  metadata: METADATA,
  reserved: "prompt",
};

export const complete: WorkerTool = {
  upstream: "completion/complete",
  name: COMPLETE,
  description: "Proposes values for an argument of a prompt or of a template of resources of the server.",
  input: {
    type: "object",
    properties: {
      ref: {
        type: "object",
        description: "What has the argument: {type: ref/prompt, name} or {type: ref/resource, uri}.",
      },
      argument: {
        type: "object",
        description: "The name of the argument, and what was typed: {name, value}.",
      },
      context: { type: "object", description: "Other arguments with their values: {arguments}." },
    },
    required: ["ref", "argument"],
    additionalProperties: false,
  },
  metadata: METADATA,
  reserved: "completion",
};
