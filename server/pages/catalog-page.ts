// The context of the pages of catalogs.
import type { PageContext } from "../../src/tools";
import type { Front, Incoming } from "../front";
import { requestUrl } from "../request-url";
import { partiesOf } from "./consent-text";
import { readCookie } from "./cookie";
import { escape, htmlPage, policyOf, redirect } from "./html";

export function pageContext({ runtime, badCredentials }: Front, incoming: Incoming): PageContext {
  const { core, pageAuthorization, providers } = runtime;
  const { request, address } = incoming;
  const publicUrl = core.publicUrl();
  const cookie = readCookie(request, publicUrl);
  const query = requestUrl(request).searchParams;
  return {
    query,
    settings: core.settings,
    findProvider: (wellKnownId, clientId) => providers.findByClient(wellKnownId, clientId),
    applicationOf: async ({ projectId, id: providerId }) =>
      (await partiesOf(runtime, { projectId, providerId })).application,
    authorize: async (provider, authorization) => {
      const sent = await pageAuthorization.start(provider, authorization, cookie);
      return redirect(sent.location, sent.cookie, publicUrl);
    },
    checkCallback: async (externalId, statePrefix) => {
      const check = await pageAuthorization.check(externalId, statePrefix, query, cookie);
      if (check === "unknown") badCredentials.count(address);
      return check;
    },
    exchangeCode: async (externalId, statePrefix) => {
      // Made-up codes would use up the client's limits at the provider.
      badCredentials.require(address);
      const outcome = await pageAuthorization.exchange(externalId, statePrefix, query);
      if (outcome === "refused") badCredentials.count(address);
      return outcome;
    },
    html: (status, title, body, { policy, headers } = {}) =>
      htmlPage(status, title, body, {
        ...(policy === undefined ? {} : { "content-security-policy": policyOf(policy) }),
        ...headers,
      }),
    escape,
  };
}
