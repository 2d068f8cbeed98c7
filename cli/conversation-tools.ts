// A tool call in a conversation: shows it, requests approval if it writes, runs it, and returns the result to the model.
import { RuntimeError } from "../src/errors";
import { defined } from "./command";
import { isConsentRequired, runWithConsent } from "./tool-run";
import type { Conversation } from "./conversation";
import { printable } from "./printable";

interface Call {
  id: string;
  name: string;
  arguments: string;
}

/** The limit of a result for the model, in bytes. */
const LIMIT = 65_536;

export async function answerCall(
  conversation: Conversation,
  call: Call,
): Promise<{ role: string; [field: string]: unknown }> {
  return { role: "tool", tool_call_id: call.id, content: await contentOf(conversation, call) };
}

async function contentOf(conversation: Conversation, call: Call): Promise<string> {
  const { io, client, offered, options, user } = conversation;
  const { inputOf, messageOf, notRun } = await import("../src/llm");
  const tool = offered.find(call.name);
  const input = inputOf(call.arguments);
  if (tool === undefined) return notRun("TOOL_RUNTIME_BAD_INPUT_VALUE", "There is no tool of this name.");
  if (input === undefined)
    return notRun("TOOL_RUNTIME_BAD_INPUT_VALUE", "The arguments are not a JSON object.");
  const { qualified_name: name } = tool;
  io.note(io.notePaint.dim(printable(`→ ${name} ${JSON.stringify(input)}`)));
  if (tool.metadata?.behavior?.read_only !== true && !(await isApproved(conversation, name))) {
    io.note(io.notePaint.dim("  not run"));
    return notRun("CONTEXT_DENIED", "The user did not approve this call.");
  }
  const request = { tool_name: name, input, ...defined({ user_id: user }) };
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
    // The model can report a missing configuration; a missing consent or a server error ends the command.
    if (!(error instanceof RuntimeError) || error.status >= 500 || isConsentRequired(error)) throw error;
    io.note(`  ${io.notePaint.red("failed:")} ${printable(error.message)}`);
    return notRun("TOOL_REQUIREMENTS_NOT_MET", error.message);
  }
}

async function isApproved({ io, options }: Conversation, name: string): Promise<boolean> {
  if (options.yes) return true;
  if (io.interactive) return io.prompts.confirm(`Run ${name}?`, false);
  io.note("  It writes, and approval needs a terminal. To run it without approval, use --yes.");
  return false;
}
