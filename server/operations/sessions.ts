// Browsers in which people are signed in. Not part of the published contract.
import { checkUserId } from "../../src/base";
import {
  BrowserSessionsQuery,
  BrowserSessionsResponse,
  EndedSessionsResponse,
  EndSessionsRequest,
} from "../../src/people/schema";
import { operation } from "./operation";

const tag = "Administration";

export const sessionOperations = [
  operation("GET", "/v1/admin/users/sessions", {
    id: "sessions-list",
    extension: true,
    credential: ["admin"],
    tag,
    summary: "List the browsers in which a person is signed in",
    query: BrowserSessionsQuery,
    success: { status: 200, schema: BrowserSessionsResponse },
    errors: [400, 401, 403, 500],
    handle: async ({ runtime, principal, query }) => ({
      items: await runtime.sessions.list(principal.projectId, checkUserId(query.user_id)),
    }),
  }),
  operation("POST", "/v1/admin/users/sessions/end", {
    id: "sessions-end",
    extension: true,
    credential: ["admin"],
    tag,
    summary: "Sign a person out of one browser, or of all",
    body: EndSessionsRequest,
    success: { status: 200, schema: EndedSessionsResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: async ({ runtime: { sessions }, principal, body: { user_id, id } }) => {
      const user = checkUserId(user_id);
      const { projectId } = principal;
      if (id === undefined) return { ended: await sessions.endOthers(projectId, user, principal) };
      return { ended: Number(await sessions.end(projectId, user, id, principal)) };
    },
  }),
];
