// Examples of the records of chat completions.

export const LLM_EXAMPLES: Readonly<Record<string, unknown>> = {
  ChatMessage: { role: "user", content: "What is new in #general?" },
  ChatRequest: {
    model: "gpt-4o",
    messages: [{ role: "user", content: "What is new in #general?" }],
    user: "alice@example.com",
    tools: ["Chat.GetMessages"],
    tool_choice: "generate",
  },
  ChatResponse: {
    id: "chatcmpl-7f3a",
    object: "chat.completion",
    created: 1769851800,
    model: "gpt-4o",
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        message: { role: "assistant", content: "Nothing since yesterday." },
      },
    ],
    usage: { prompt_tokens: 412, completion_tokens: 9, total_tokens: 421 },
  },
  ModelList: {
    object: "list",
    data: [{ id: "gpt-4o", object: "model", created: 1769851800, owned_by: "openai" }],
  },
};
