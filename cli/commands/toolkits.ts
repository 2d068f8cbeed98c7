// `runtime toolkits`: the groups that tools belong to, one for each platform or purpose.
import { clientVerb } from "../client/client";
import { printRecord, type Shape } from "../output";
import { listVerb } from "../record-verbs";
import { type Toolkit, toolkitsOf } from "../tool-lists";
import { unknownName } from "../unknown-name";

const SHAPE: Shape<Toolkit> = {
  name: ({ name }) => name,
  optional: ["description", "version"],
  columns: [
    { title: "name", keep: "always", value: ({ name }) => name },
    { title: "version", keep: "whole", value: ({ version }) => version },
    { title: "tools", keep: "whole", value: ({ tools }) => String(tools) },
    {
      title: "deprecated",
      keep: "whole",
      value: ({ deprecated_tools }) => (deprecated_tools === 0 ? "" : String(deprecated_tools)),
    },
    { title: "description", value: ({ description }) => description },
  ],
};

export const verbs = [
  listVerb({
    summary: "List the toolkits, with the number of their tools.",
    examples: ["runtime toolkits list", "runtime toolkits list -o name"],
    find: toolkitsOf,
    shape: SHAPE,
    empty: "There are no toolkits.",
  }),
  clientVerb({
    usage: "show <name>",
    summary: "Show one toolkit. For its tools: runtime tools list --toolkit NAME",
    examples: ["runtime toolkits show Chat"],
    read: (line) => ({ name: line.word(0) }),
    run: async ({ io, common, client }, { name }) => {
      const toolkits = await toolkitsOf(client);
      const found = toolkits.find((each) => each.name.toLowerCase() === name.toLowerCase());
      const known = toolkits.map((each) => each.name);
      if (found === undefined) throw unknownName("toolkit", name, known, "runtime toolkits list");
      printRecord(io, common, found, SHAPE);
      if (common.output === "table") io.note(`Its tools: runtime tools list --toolkit ${found.name}`);
    },
  }),
];
