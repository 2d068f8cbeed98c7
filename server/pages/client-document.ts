// The client metadata document of a project's workers, which authorization servers read.
import { routeNotFound } from "../../src/errors";
import type { Runtime } from "../../src/runtime";
import { clientDocument } from "../../src/workers";

/** GET /.well-known/oauth-client/:project. Throws `route_not_found` if no worker of the project needs it. */
export async function clientMetadata({ core, providers }: Runtime, project: string): Promise<Response> {
  const document = await clientDocument(providers, core.publicUrl(), project);
  if (document === undefined) throw routeNotFound("There is no client metadata document at this address.");
  return Response.json(document, { headers: { "cache-control": "public, max-age=300" } });
}
