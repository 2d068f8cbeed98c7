// The self-check of the spreadsheet platform: whether a real account behaves as the tables of this catalog say.
import { defineSelfCheck, judged, type PlatformCheck, withoutExample } from "../../../src/tools";
import { googlePreset } from "../../presets/google";
import { getUserInfo } from "../upstream/calls";
import { SheetsProbe } from "./probe";
import { READING } from "./reading";
import { WRITING } from "./writing";

const PICKER = "GenerateGoogleFilePickerUrl";

/** What needs a person, a browser or another file, and stays open. */
const OTHERS: readonly PlatformCheck<SheetsProbe>[] = [
  {
    name: "token-refresh",
    expects: "an access token can be renewed at any time, and the new one works",
    tool: "WhoAmI",
    async run(probe) {
      if (!(await probe.context.renew())) return withoutExample();
      const asked = await probe.ask(getUserInfo());
      return judged(asked.ok, { status: asked.status });
    },
  },
  {
    name: "picked-without-code",
    expects: "Not settled: a file stays picked on the platform's own page if the code is not exchanged",
    tool: PICKER,
  },
  {
    name: "picked-page-again",
    expects: "Not settled: loading the page of a picked file again at another process ends nothing",
    tool: PICKER,
  },
  {
    name: "picker-actions",
    expects: "Not settled: the picker reports only its documented actions",
    tool: PICKER,
  },
  {
    name: "smart-chips",
    expects: "Not settled: smart chips survive a write of the same text",
    tool: "WriteToCell",
  },
  {
    name: "unopened-file-writes",
    expects: "Not settled: with which read-only scopes 403 on a write means an unopened file",
    tool: "WriteToCell",
  },
];

export const sheetsSelfCheck = defineSelfCheck<SheetsProbe>({
  platform: googlePreset.id,
  tool: "WhoAmI",
  open: (context, record) => new SheetsProbe(context, record),
  checks: [...READING, ...WRITING, ...OTHERS],
});
