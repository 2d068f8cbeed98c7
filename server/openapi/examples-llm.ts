// Examples of the records of language models.

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
  ResponsesRequest: {
    model: "gpt-4o",
    input: "What is new in #general?",
    user: "alice@example.com",
    tools: ["Chat.GetMessages"],
    tool_choice: "generate",
  },
  ResponsesResponse: {
    id: "resp_7f3a",
    object: "response",
    created_at: 1769851800,
    model: "gpt-4o",
    status: "completed",
    output: [
      {
        type: "message",
        id: "msg_7f3a",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Nothing since yesterday.", annotations: [] }],
      },
    ],
    usage: { input_tokens: 412, output_tokens: 9, total_tokens: 421 },
  },
  EmbeddingsRequest: { model: "text-embedding-3-small", input: "Nothing since yesterday." },
  EmbeddingsResponse: {
    object: "list",
    model: "text-embedding-3-small",
    data: [{ index: 0, embedding: [0.012, -0.034, 0.056] }],
    usage: { prompt_tokens: 4, total_tokens: 4 },
  },
  ModelList: {
    object: "list",
    data: [{ id: "gpt-4o", object: "model", created: 1769851800, owned_by: "openai" }],
  },
};
