// What is stored about users. Their ids are in bodies, because addresses are logged. Not part of the published contract.
import {
  ErasedUserResponse,
  UserExportResponse,
  UserRequest,
  UsersQuery,
  UserStateResponse,
  UsersResponse,
} from "../../src/users/schema";
import { operation } from "./operation";

const tag = "Administration";

export const userOperations = [
  operation("GET", "/v1/admin/users", {
    id: "users-list",
    extension: true,
    credential: ["admin", "audit"],
    tag,
    summary: "List the users of whom something is stored",
    query: UsersQuery,
    success: { status: 200, schema: UsersResponse },
    errors: [400, 401, 403, 500],
    handle: ({ runtime, principal, query }) => runtime.users.list(principal, query),
  }),
  operation("POST", "/v1/admin/users/export", {
    id: "users-export",
    extension: true,
    credential: ["admin"],
    tag,
    summary: "Get everything that is stored about a user",
    body: UserRequest,
    success: { status: 200, schema: UserExportResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.users.export(principal, body.user_id),
  }),
  operation("POST", "/v1/admin/users/erase", {
    id: "users-erase",
    extension: true,
    credential: ["admin"],
    tag,
    summary: "Revoke the grants of a user and delete everything that is stored about the user",
    body: UserRequest,
    success: { status: 200, schema: ErasedUserResponse },
    errors: [400, 401, 403, 413, 415, 500],
    slow: true,
    handle: ({ runtime, principal, body }) => runtime.users.erase(principal, body.user_id),
  }),
  operation("POST", "/v1/admin/users/suspend", {
    id: "users-suspend",
    extension: true,
    credential: ["admin"],
    tag,
    summary: "Stop everything that is done for a user, from the next request on",
    body: UserRequest,
    success: { status: 200, schema: UserStateResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.users.suspend(principal, body.user_id),
  }),
  operation("POST", "/v1/admin/users/resume", {
    id: "users-resume",
    extension: true,
    credential: ["admin"],
    tag,
    summary: "End the suspension of a user",
    body: UserRequest,
    success: { status: 200, schema: UserStateResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.users.resume(principal, body.user_id),
  }),
];
