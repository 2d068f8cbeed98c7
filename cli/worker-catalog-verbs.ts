// The verbs of `runtime workers` that show and accept changes of a catalog.
import type { Worker } from "../src/workers/schema";
import { type Client, clientVerb } from "./client/client";
import { acceptWorker, workerDiff } from "./client/workers";
import { printList, printRecord, type Shape } from "./output";
import { noteState } from "./worker-create";

const CHANGE_SHAPE: Shape<Awaited<ReturnType<typeof changesOf>>[number]> = {
  name: ({ name }) => name,
  optional: [],
  columns: [
    { title: "tool", keep: "always", value: ({ name }) => name },
    { title: "change", keep: "whole", value: ({ change }) => change },
    { title: "parts", value: ({ fields = [] }) => fields.join(", ") },
  ],
};

/** `shape`: of a worker. */
export function catalogVerbs(shape: Shape<Worker>) {
  return [
    clientVerb({
      usage: "diff <id>",
      summary: "Show what the worker has changed since its tools were accepted.",
      examples: ["runtime workers diff files"],
      read: (line) => ({ id: line.word(0) }),
      run: async ({ io, common, client }, { id }) => {
        const changes = await changesOf(client, id);
        printList(io, common, changes, CHANGE_SHAPE, "Nothing has changed.");
        if (changes.length > 0) io.note(`To accept: runtime workers accept ${id} [TOOL…]`);
      },
    }),
    clientVerb({
      usage: "accept <id> [tools...]",
      summary: "Accept new, changed and missing tools of a worker: all of them, or the named ones.",
      examples: ["runtime workers accept files", "runtime workers accept files Files.read_file"],
      read: (line) => ({ id: line.word(0), tools: [line.optionalWord(1), ...line.rest].flatMap(wordOf) }),
      run: async ({ io, common, client }, { id, tools }) => {
        const worker = await acceptWorker(client, id, tools.length === 0 ? {} : { tools });
        printRecord(io, common, worker, shape);
        noteState(io, worker);
      },
    }),
  ];
}

async function changesOf(client: Client, id: string) {
  return (await workerDiff(client, id)).tools;
}

function wordOf(word: string | undefined): string[] {
  return word === undefined ? [] : [word];
}
