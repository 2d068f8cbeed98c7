// POST /oauth/register: a client registers itself (RFC 7591).
import { isObject, type JsonObject } from "../../src/base";
import { RuntimeError } from "../../src/errors";
import { RegistrationError } from "../../src/people";
import { jsonAnswer } from "../answer";
import { bodyLimits, readJsonBody } from "../body";
import type { Front, Incoming } from "../front";
import { requireServed } from "./served";

const MAX_BODY = 20_000;

export async function register(front: Front, { request }: Incoming): Promise<Response> {
  await requireServed(front);
  try {
    const limits = { ...bodyLimits(front.runtime.core.settings), maxBytes: MAX_BODY };
    const { value } = await readJsonBody(request, limits);
    if (!isObject(value))
      throw new RegistrationError("invalid_client_metadata", "The body must be a JSON object.");
    return jsonAnswer(201, await front.runtime.authorizationServer.register(value as JsonObject));
  } catch (error) {
    if (error instanceof RegistrationError)
      return jsonAnswer(400, { error: error.error, error_description: error.message });
    if (!(error instanceof RuntimeError) || error.status >= 500) throw error;
    return jsonAnswer(error.status, { error: "invalid_client_metadata", error_description: error.message });
  }
}
