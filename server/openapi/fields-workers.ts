// What the fields of the records of workers mean (`fields.ts`).
import type { Field } from "./fields";

const uri = (description: string): Field => ({ description, format: "uri" });

const HTTP = "Settings of a worker that speaks the protocol of workers over HTTP.";
const MCP = "Settings of an MCP server.";
const AUTHORIZATION_URL = uri("The authorization server, if the MCP server does not name it.");

const ISSUER = uri(
  "The issuer that the metadata of its authorization server may name, if that differs from its address.",
);

export const WORKER_FIELDS: Readonly<Record<string, Field>> = {
  "CreateWorkerRequest.id": "Chosen by you; part of commands.",
  "CreateWorkerRequest.enabled": "Whether its tools are offered.",
  "CreateWorkerRequest.http": HTTP,
  "CreateWorkerRequest.mcp": MCP,
  "CreateWorkerRequest.updates":
    "Whether changes of its catalog take effect at once (auto), or when an administrator accepts them (review).",
  "CreateWorkerRequest.mcp.oauth2.authorization_url": AUTHORIZATION_URL,
  "CreateWorkerRequest.mcp.oauth2.issuer": ISSUER,
  "UpdateWorkerRequest.mcp.oauth2.issuer": ISSUER,
  "WorkerResponse.mcp.oauth2.issuer": uri("The issuer that users consent at."),
  "WorkerResponse.mcp.oauth2.resource": "Sent as resource in requests for tokens; empty: none is sent.",
  "UpdateWorkerRequest.enabled": "Whether its tools are offered.",
  "UpdateWorkerRequest.http": HTTP,
  "UpdateWorkerRequest.mcp": MCP,
  "UpdateWorkerRequest.mcp.oauth2.authorization_url": AUTHORIZATION_URL,
  "WorkerResponse.enabled": "Whether its tools are offered.",
  "WorkerResponse.http": HTTP,
  "WorkerResponse.http.secret": "Whether the secret that signs calls is set.",
  "WorkerResponse.managed": "Always false: the server runs no workers itself.",
  "WorkerResponse.mcp": MCP,
  "WorkerResponse.mcp.external_id": "Part of the redirect address of its consents.",
  "WorkerResponse.mcp.redirect_uri": uri("The redirect address of its consents."),
  "WorkerResponse.mcp.oauth2.authorization_url": AUTHORIZATION_URL,
  "WorkerResponse.mcp.oauth2.client_secret": "Whether the secret of the client is set.",
  "WorkerResponse.mcp.oauth2.redirect_uri": uri("The redirect address of its consents."),
  "WorkerResponse.mcp.oauth2.supported_scopes": "The scopes that the server lists.",
  "catalog.fetched_at": "When its catalog was read last.",
  "WorkerTestRequest.http": HTTP,
  "WorkerTestRequest.mcp": MCP,
  "WorkerTestResponse.message": "What it answered, or why it did not.",
  "WorkerTestResponse.serverInfo": "What the server says about itself.",
  "WorkerHealthResponse.enabled": "Whether its tools are offered.",
  "WorkerHealthResponse.message": "What is wrong, and what of its catalog is left out.",
  worker_id: "Id of the worker.",
  "WorkerAuthorizeResponse.url": uri("Where to send the administrator; only while pending."),
};
