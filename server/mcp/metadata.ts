// Protected resource metadata of a gateway (RFC 9728).
import { notFound } from "../../src/errors";
import { jsonAnswer } from "../answer";
import type { Answer } from "../route";

/** Says who issues tokens for a gateway. 404 for a gateway that takes API keys, or that is not there. */
export const resourceMetadata: Answer = async (runtime, { params }) => {
  const gateway = await runtime.gateways.serving(params["slug"] ?? "");
  const metadata = gateway === undefined ? undefined : runtime.mcp.access.metadata(gateway);
  if (metadata === undefined) throw notFound("No gateway that takes tokens is at this address.");
  // Pages of any origin may look for where to sign in: nothing here is secret.
  return jsonAnswer(200, metadata, { "access-control-allow-origin": "*" });
};
