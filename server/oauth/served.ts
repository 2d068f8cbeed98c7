// Whether this server is an authorization server.
import { notFound } from "../../src/errors";
import type { Front } from "../front";

/** Throws `not_found` where people do not sign in: there is no authorization server then. */
export async function requireServed({ runtime }: Front): Promise<void> {
  if (!(await runtime.authorizationServer.isServed()))
    throw notFound("People do not sign in here, so this server issues no tokens (setting sign_in).");
}
