// Examples of the records of scheduled runs.

const TIME = "2026-01-31T09:30:00Z";
const SCHEDULED = {
  id: "te_01jb2q8x5t9v7w3y4z6k8m0n1p",
  tool_name: "SendMessage",
  toolkit_name: "Chat",
  toolkit_version: "1.0.0",
  user_id: "alice@example.com",
  execution_type: "scheduled",
  execution_status: "completed",
  created_at: TIME,
  run_at: "2030-01-31T09:30:00Z",
  started_at: "2030-01-31T09:30:00Z",
  finished_at: "2030-01-31T09:30:01Z",
  updated_at: "2030-01-31T09:30:01Z",
};

export const SCHEDULED_EXAMPLES: Readonly<Record<string, unknown>> = {
  ToolExecution: SCHEDULED,
  ToolExecutionDetail: {
    ...SCHEDULED,
    input: { channel_name: "general", message: "Good morning" },
    attempts: [
      {
        id: "ta_01jb2q8x5t9v7w3y4z6k8m0n1p",
        success: true,
        started_at: "2030-01-31T09:30:00Z",
        finished_at: "2030-01-31T09:30:01Z",
        output: { value: { ok: true } },
      },
    ],
  },
};
