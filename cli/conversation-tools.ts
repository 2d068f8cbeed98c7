// A call of a conversation: shown, asked about when it writes, run with the person's consent, and answered.
import { RuntimeError } from "../src/errors";
import { isConsentOwed, runWithConsent } from "./tool-run";
import type { Talk } from "./conversation";
import { printable } from "./printable";

interface Call {
  id: string;
  name: string;
  arguments: string;
}

/** The largest result that the model is given, in bytes. */
const LIMIT = 65_536;

export async function answerCall(
  talk: Talk,
  call: Call,
): Promise<{ role: string; [field: string]: unknown }> {
  return { role: "tool", tool_call_id: call.id, content: await contentOf(talk, call) };
}

async function contentOf(talk: Talk, call: Call): Promise<string> {
  const { io, client, offered, options, user } = talk;
  const { inputOf, messageOf, notRun } = await import("../src/llm");
  const tool = offered.find(call.name);
  const input = inputOf(call.arguments);
  if (tool === undefined) return notRun("TOOL_RUNTIME_BAD_INPUT_VALUE", "There is no tool of this name.");
  if (input === undefined)
    return notRun("TOOL_RUNTIME_BAD_INPUT_VALUE", "The arguments are not a JSON object.");
  const { qualified_name: name } = tool;
  io.note(io.notePaint.dim(printable(`→ ${name} ${JSON.stringify(input)}`)));
  if (tool.metadata?.behavior?.read_only !== true && !(await allowed(talk, name))) {
    io.note(io.notePaint.dim("  not run"));
    return notRun("CONTEXT_DENIED", "The person did not allow this call.");
  }
  const request = { tool_name: name, input, ...(user === undefined ? {} : { user_id: user }) };
  try {
    const execution = await runWithConsent(io, client, request, options.browser);
    const error = execution.output?.error;
    io.note(
      error === undefined
        ? io.notePaint.dim("  done")
        : `  ${io.notePaint.red("failed:")} ${printable(error.message)}`,
    );
    return messageOf(execution, LIMIT);
  } catch (error) {
    // What an administrator must mend the model can at least say; a consent that nobody gives ends the command.
    if (!(error instanceof RuntimeError) || error.status >= 500 || isConsentOwed(error)) throw error;
    io.note(`  ${io.notePaint.red("failed:")} ${printable(error.message)}`);
    return notRun("TOOL_REQUIREMENTS_NOT_MET", error.message);
  }
}

async function allowed({ io, options }: Talk, name: string): Promise<boolean> {
  if (options.yes) return true;
  if (io.interactive) return io.prompts.confirm(`Run ${name}?`, false);
  io.note("  It writes, and there is no terminal to ask at: --yes runs it.");
  return false;
}
