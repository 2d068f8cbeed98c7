// The self-check of the chat platform: whether a real workspace behaves as the tables of this catalog say.
import { defineSelfCheck, judged, type PlatformCheck, withoutExample } from "../../../src/tools";
import { slackPreset } from "../../presets/slack";
import { IDENTITY } from "./identity";
import { LISTINGS } from "./listings";
import { MESSAGES } from "./messages";
import { ChatProbe } from "./probe";

const TOKENS: readonly PlatformCheck<ChatProbe>[] = [
  {
    name: "token-refresh",
    expects: "Not settled: refreshes also work where the app may be used only from some addresses",
    tool: "WhoAmI",
    async run(probe) {
      if (!(await probe.context.renew())) return withoutExample();
      const asked = await probe.ask("auth.test");
      return judged(asked.ok, { status: asked.status });
    },
  },
  {
    name: "limits-of-other-users",
    expects: "Not settled: limits count per app and workspace, not per user",
    tool: "WhoAmI",
  },
];

export const chatSelfCheck = defineSelfCheck<ChatProbe>({
  platform: slackPreset.id,
  tool: "WhoAmI",
  open: (context, record) => new ChatProbe(context, record),
  checks: [...IDENTITY, ...LISTINGS, ...MESSAGES, ...TOKENS],
});
