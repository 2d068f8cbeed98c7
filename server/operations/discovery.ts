// Discovery: the configuration for clients, and the API description.
import { Type } from "typebox";
import { operation } from "./operation";

const tag = "Operations";

export const EngineConfigResponse = Type.Object({
  dashboard: Type.Object({
    authority: Type.String({ description: "OpenID provider of user tokens; empty: none." }),
    clientId: Type.String(),
    coordinatorUri: Type.String(),
  }),
  oauth2: Type.Object({
    callback_url_template: Type.String({
      description: "Redirect addresses of auth providers, with the placeholder `{external_id}`.",
    }),
  }),
  servers: Type.Object({
    timeout_max_seconds: Type.Integer({ description: "Longest time that a request may wait." }),
  }),
});

/** An OpenAPI document, which has a schema of its own. */
export const OpenApiDocument = Type.Object({
  openapi: Type.String(),
  info: Type.Object({ title: Type.String(), version: Type.String() }),
  paths: Type.Record(Type.String(), Type.Unknown()),
});

/** Seconds that `wait` of auth-status may last. */
const LONGEST_WAIT = 59;

export const discoveryOperations = [
  operation("GET", "/v1/config", {
    id: "engine-config",
    credential: "public",
    tag,
    summary: "Get the configuration of this deployment for clients",
    success: { status: 200, schema: EngineConfigResponse },
    errors: [],
    handle: ({ runtime }) => {
      const { settings, publicUrl } = runtime.core;
      return {
        dashboard: {
          authority: settings["auth.url"] ?? "",
          clientId: settings["auth.client_id"] ?? "",
          coordinatorUri: "",
        },
        oauth2: { callback_url_template: `${publicUrl()}/api/v1/oauth/{external_id}/callback` },
        servers: { timeout_max_seconds: Math.max(LONGEST_WAIT, settings["tools.timeout"]) },
      };
    },
  }),
  operation("GET", "/v1/swagger", {
    id: "swagger",
    credential: "public",
    tag,
    summary: "Get this description; browsers are redirected to its page",
    success: { status: 200, schema: OpenApiDocument },
    errors: [],
    others: { 303: null },
    etag: "text",
    // Served by the swagger plugin (openapi/plugin.ts).
  }),
];
