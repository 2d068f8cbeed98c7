// A search among 2,000 tools: questions of users over MCP and over the API, one after the other.
import { client, startMcpSite } from "../../mcp/site";
import { recordedCatalogs } from "../../search/catalog";
import { QUESTIONS } from "../../search/questions";
import type { Bench, Row } from "../bench";
import { atMost } from "../bound";
import { median } from "../figures";

const ROUNDS = 5;
const BOUND = atMost(5, "ms");

export const toolSearch: Bench = {
  name: "tool-search",
  about: "the answer to a search among 2,000 tools, and to the first one, which makes the index",
  run: async () => {
    await using site = await startMcpSite({ catalogs: recordedCatalogs() });
    const key = await site.key();
    const url = await site.gateway("search", { tool_filter: { discovery: { enabled: true } } });
    const own = client(url, { key, user: "alice" });
    const overMcp = async (query: string): Promise<void> => {
      const { text } = await own.legacy("tools/call", { name: "search_tools", arguments: { query } });
      if (!text.includes('"structuredContent"')) throw new Error(`no answer: ${text}`);
    };
    const overApi = async (query: string): Promise<void> => {
      const address = `${site.url}/v1/tools?limit=10&query=${encodeURIComponent(query)}`;
      const response = await fetch(address, { headers: { authorization: `Bearer ${key}` } });
      if (!(await response.text()).includes('"total_count"')) throw new Error(`HTTP ${response.status}`);
    };
    const first = await timeOf(() => overMcp("send a message"));
    return [
      rowOf("tool-search", await timesOf(overMcp), `the first one ${first.toFixed(0)} ms`),
      rowOf("tool-search-api", await timesOf(overApi)),
    ];
  },
};

async function timesOf(ask: (query: string) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { ask: query } of QUESTIONS) {
      const time = await timeOf(() => ask(query));
      // The first round compiles the code.
      if (round > 0) times.push(time);
    }
  }
  return times;
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function rowOf(name: string, times: readonly number[], note?: string): Row {
  const figure = median(times);
  const slow = times.toSorted((left, right) => left - right)[Math.floor(times.length * 0.95)] ?? NaN;
  return {
    name,
    measured: `${figure.toFixed(2)} ms, 95 % within ${slow.toFixed(1)} ms`,
    baseline: "",
    figure,
    bound: BOUND,
    ...(note === undefined ? {} : { note }),
  };
}
