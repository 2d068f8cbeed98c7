// The records toolkit: tools over the REST API (version 2) of a records-application platform.
import type { Catalog } from "../../src/tools";
import { API_ALIASES, DATA_CENTERS } from "./data-centers";
import { TOOLKIT } from "./metadata";
import { OPERATIONS } from "./operations";
import { recordsSelfCheck } from "./self-check";
import { toolOf } from "./tool";
import { BASE_SECRET } from "./upstream/base";

export const recordsCatalog: Catalog = {
  toolkit: {
    name: TOOLKIT,
    description:
      "Reads and changes records of the user's applications on a records platform, and exports them.",
    version: "1.0.0",
  },
  bases: {
    api: {
      secret: {
        name: BASE_SECRET,
        origins: DATA_CENTERS.map(({ api }) => api),
        setting: "records.server_urls",
        aliases: API_ALIASES,
        fact: "api_domain",
      },
    },
  },
  selfCheck: recordsSelfCheck,
  tokenScheme: "Zoho-oauthtoken",
  tools: OPERATIONS.map(toolOf),
};
