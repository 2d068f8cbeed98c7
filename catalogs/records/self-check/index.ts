// The self-check of the records platform: whether a real account behaves as the tables of this catalog say. It never writes:
// the applications belong to the user, and there is nothing of one's own.
import { defineSelfCheck, judged, type PlatformCheck, withoutExample } from "../../../src/tools";
import { zohoPreset } from "../../presets/zoho";
import { APPLICATION_CHECKS } from "./applications";
import { DATA_CENTER } from "./data-center";
import { RecordsProbe } from "./probe";
import { RECORDS_CHECKS } from "./records";

const TOOL = "GetApplicationMetaInfo";

/** What needs another account, another client, or more requests than are harmless. */
const OTHERS: readonly PlatformCheck<RecordsProbe>[] = [
  {
    name: "token-refresh",
    expects: "an access token can be renewed, and the new one works",
    tool: TOOL,
    async run(probe) {
      if (!(await probe.context.renew())) return withoutExample();
      const asked = await probe.ask(TOOL);
      return judged(asked.ok, { status: asked.status });
    },
  },
  {
    name: "address-of-the-application",
    expects: "Not settled: creator.zoho.eu serves the API, or redirects to it",
    tool: TOOL,
  },
  {
    name: "consents-of-canada-and-saudi-arabia",
    expects: "Not settled: users of Canada and Saudi Arabia start at accounts.zoho.com",
    tool: TOOL,
  },
  {
    name: "listed-address",
    expects: "Not settled: an address in records.server_urls leads to the user's data center",
    tool: TOOL,
  },
  { name: "access-denied", expects: "Not settled: Access Denied lasts ten minutes", tool: TOOL },
  {
    name: "secret-of-another-data-center",
    expects: "Not settled: the status with which the secret of another data center is refused",
    tool: TOOL,
  },
];

export const recordsSelfCheck = defineSelfCheck<RecordsProbe>({
  platform: zohoPreset.id,
  tool: TOOL,
  open: (context, record) => new RecordsProbe(context, record),
  checks: [...DATA_CENTER, ...APPLICATION_CHECKS, ...RECORDS_CHECKS, ...OTHERS],
});
