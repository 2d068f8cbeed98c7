// A read of 26,000 cells: the whole tool against bare `fetch` and `JSON.parse` of the same answer.
import { createLog, Redacted, systemClock } from "../../../src/base";
import { startSite } from "../../support/site";
import type { Bench } from "../bench";
import { atMost } from "../bound";
import { median, ratios, spread } from "../figures";

const ROWS = 1000;
const COLUMNS = 26;
const ROUNDS = 201;
/** Rounds before the measured ones: a server runs for weeks, so compiled code is measured. */
const WARM_UP = 40;

export const sheetsRead: Bench = {
  name: "sheets-read",
  about: "Sheets.GetSpreadsheet of 26,000 cells, against bare fetch and JSON.parse of the same answer",
  run: async () => {
    const metadata = JSON.stringify({
      spreadsheetId: "S1",
      spreadsheetUrl: "https://docs.google.com/spreadsheets/d/S1/edit",
      properties: { title: "T" },
      sheets: [{ properties: { title: "Sheet1", gridProperties: { rowCount: ROWS, columnCount: COLUMNS } } }],
    });
    const cells = JSON.stringify({ sheets: [{ properties: {}, data: [{ rowData: rows() }] }] });
    using platform = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => {
        const text = url.includes("ranges=") ? cells : metadata;
        return new Response(text, { headers: { "content-type": "application/json" } });
      },
    });
    const address = `http://127.0.0.1:${platform.port}`;
    // The default log level of a server, not that of the tests.
    const log = createLog({ level: "info", clock: systemClock, write: () => {} });
    const environment = { RUNTIME_SHEETS_API_URL: address };
    await using site = await startSite({ environment, parts: { log } });
    const operator = await site.runtime.identity.operator("default");
    const oauth2 = { client_id: "1-a.apps.googleusercontent.com", client_secret: "secret" };
    await site.runtime.providers.create(operator, { id: "google", provider_id: "google", oauth2 });
    const provider = await site.runtime.providers.find("default", "google");
    if (provider === undefined) throw new Error("no provider");
    const scopes = ["https://www.googleapis.com/auth/drive.file"];
    const grant = {
      accessToken: new Redacted("t"),
      refreshToken: undefined,
      expiresIn: undefined,
      scopes,
      facts: {},
    };

    const tool: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      // A new user each time, because reads per minute are limited per user.
      const user_id = `user ${round}`;
      await site.runtime.connections.store("default", user_id, provider, grant, [], function* () {});
      const ours = () =>
        timed(async () => {
          const request = { tool_name: "Sheets.GetSpreadsheet", user_id, input: { spreadsheet_id: "S1" } };
          const { success, output } = await site.runtime.tools.execute(operator, request);
          if (!success) throw new Error(output?.error?.message);
        });
      const theirs = () =>
        timed(async () => {
          JSON.parse(await (await fetch(`${address}/metadata`)).text());
          JSON.parse(await (await fetch(`${address}/?ranges=`)).text());
        });
      // Alternates the first side, because the second side collects the garbage of the first.
      let one = round % 2 === 0 ? await ours() : NaN;
      const other = await theirs();
      if (round % 2 !== 0) one = await ours();
      if (round >= WARM_UP) [tool, bare].forEach((list, side) => list.push([one, other][side] ?? NaN));
    }
    const figures = ratios(tool, bare);
    return [
      {
        name: "sheets-read",
        measured: `${median(tool).toFixed(1)} ms`,
        baseline: `${median(bare).toFixed(1)} ms`,
        figure: median(figures),
        spread: spread(figures),
        bound: atMost(1.3),
        note: `${(cells.length / 1_000_000).toFixed(1)} MB`,
      },
    ];
  },
};

function rows() {
  return Array.from({ length: ROWS }, (_, row) => ({
    values: Array.from({ length: COLUMNS }, (_cell, column) => ({
      userEnteredValue: { numberValue: row * COLUMNS + column },
      formattedValue: `${row * COLUMNS + column}.00`,
    })),
  }));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
