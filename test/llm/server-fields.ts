// Fields of requests that servers of models know, besides those of the OpenAI package: from the reference pages and the
// sources of the servers. None of them may be taken for a mistyped field.

const words = (text: string): string[] => text.trim().split(/\s+/);

export const CHAT_FIELDS: Readonly<Record<string, string[]>> = {
  vLLM: words(`
    best_of use_beam_search top_k min_p repetition_penalty length_penalty stop_token_ids include_stop_str_in_output
    ignore_eos min_tokens skip_special_tokens spaces_between_special_tokens truncate_prompt_tokens prompt_logprobs
    allowed_token_ids bad_words echo add_generation_prompt continue_final_message add_special_tokens documents
    chat_template chat_template_kwargs mm_processor_kwargs guided_json guided_regex guided_choice guided_grammar
    structural_tag guided_decoding_backend guided_whitespace_pattern structured_outputs priority request_id
    logits_processors return_tokens_as_token_ids return_token_ids cache_salt kv_transfer_params vllm_xargs
    include_reasoning thinking_token_budget media_io_kwargs`),
  SGLang: words(`
    top_k min_p min_tokens regex ebnf repetition_penalty stop_token_ids stop_regex no_stop_trim ignore_eos
    continue_final_message skip_special_tokens lora_path session_params separate_reasoning stream_reasoning
    chat_template_kwargs return_hidden_states return_routed_experts return_cached_tokens_details rid extra_key cache_salt
    priority bootstrap_host bootstrap_port bootstrap_room data_parallel_rank custom_logit_processor custom_params input_ids`),
  "llama.cpp": words(`
    cache_prompt dynatemp_range dynatemp_exponent top_k min_p top_n_sigma typical_p xtc_probability xtc_threshold
    repeat_last_n repeat_penalty dry_multiplier dry_base dry_allowed_length dry_penalty_last_n dry_sequence_breakers
    mirostat mirostat_tau mirostat_eta n_predict n_indent n_keep n_cmpl n_discard n_probs min_keep samplers grammar
    grammar_lazy grammar_triggers json_schema lora id_slot t_max_predict_ms post_sampling_probs return_tokens
    response_fields return_progress timings_per_token reasoning_format reasoning_in_content thinking_forced_open
    parse_tool_calls chat_template_kwargs add_generation_prompt ignore_eos`),
  Ollama: words("options format keep_alive think raw template system images suffix truncate shift"),
  "LM Studio": words("ttl top_k repeat_penalty draft_model context_length integrations"),
  TGI: words("guideline tool_prompt adapter_id watermark decoder_input_details"),
  OpenRouter: words(`
    models route provider plugins transforms usage reasoning top_k top_a min_p repetition_penalty session_id trace
    image_config debug cache_control stop_server_tools_when prompt`),
  Anthropic: words(`
    system thinking output_config output_format stop_sequences top_k container context_management mcp_servers betas
    inference_geo speed cache_control anthropic_version`),
  Mistral: words("random_seed safe_prompt prompt_mode guardrails"),
  DeepSeek: words("thinking user_id prefix"),
  Qwen: words(`
    enable_thinking thinking_budget preserve_thinking enable_search search_options result_format incremental_output
    vl_high_resolution_images translation_options top_k repetition_penalty enable_code_interpreter tool_stream
    skill asr_options max_input_tokens`),
  Zhipu: words("do_sample request_id user_id tool_stream thinking watermark_enabled"),
  MiniMax: words("mask_sensitive_info tokens_to_generate reasoning_split bot_setting reply_constraints"),
  Moonshot: words("partial thinking"),
  xAI: words("deferred search_parameters"),
  Groq: words(`
    reasoning_format include_reasoning documents citation_options compound_custom exclude_domains include_domains
    search_settings disable_tool_validation`),
  Cerebras: words("disable_reasoning clear_thinking min_completion_tokens min_tokens queue_threshold"),
  Fireworks: words(`
    top_k min_p typical_p mirostat_lr mirostat_target repetition_penalty context_length_exceeded_behavior
    prompt_truncate_len ignore_eos raw_output perf_metrics_in_response speculation echo echo_last reasoning_history
    prompt_cache_isolation_key prompt_cache_max_len return_token_ids sampling_mask`),
  Together: words(`
    top_k min_p repetition_penalty echo safety_model context_length_exceeded_behavior compliance reasoning
    chat_template_kwargs`),
  Perplexity: words(`
    search_mode search_domain_filter search_recency_filter search_after_date_filter search_before_date_filter
    last_updated_after_filter last_updated_before_filter return_images return_related_questions image_domain_filter
    image_format_filter disable_search enable_search_classifier media_response stream_mode web_search_options top_k
    language_preference`),
  Cohere: words(
    "documents citation_options safety_mode k p preamble connectors strict_tools thinking raw_prompting",
  ),
  Azure: words("data_sources dataSources enhancements user_security_context"),
  NVIDIA: words("nvext ignore_eos stop_token_ids guided_json"),
  LiteLLM: words(`
    fallbacks drop_params allowed_openai_params num_retries mock_response guardrails tags caching cache model_list
    custom_llm_provider base_model context_window_fallback_dict additional_drop_params prompt_id prompt_variables
    extra_headers extra_body enable_json_schema_validation modify_params`),
  Gemini: words("extra_body thinking_config safety_settings cached_content google system_instruction"),
};

export const MESSAGE_FIELDS = words(`
  audio function_call annotations reasoning reasoning_details reasoning_text thinking thinking_blocks signature
  refusal prefix partial weight name tool_name images index id parsed cache_control provider_specific_fields
  extra_content encrypted_content phase tool_plan citations executed_tools recipient channel timestamp user_id
  finish_reason stop_reason matched_stop tool_authorizations tool_messages mm_content status metadata task`);

export const PART_FIELDS = words(`
  video_url audio_url input_video image video audio cache_control citations prompt_cache_breakpoint thinking signature
  data source title context image_embeds audio_embeds uuid min_pixels max_pixels fps total_pixels media_type mime_type
  document_url document_image_limit document_page_limit reference_ids image_pil filename file_id file_data file_url
  detail annotations logprobs`);

export const TOOL_FIELDS = words(`
  custom web_search cache_control input_schema name description defer_loading allowed_callers input_examples
  eager_input_streaming display_width_px max_uses allowed_domains blocked_domains user_location search_parameters
  google_search retrieval builtin_function file_search code_interpreter mcp server_label server_url headers
  require_approval allowed_tools connector_id authorization server_description vector_store_ids filters
  ranking_options max_num_results container format environment tools output_schema x_search sources engine
  search_context_size external_web_access background quality size input_fidelity moderation partial_images
  action execution namespace parallel returns responses parameters_json_schema mode search_content_types`);

export const RESPONSES_FIELDS: Readonly<Record<string, string[]>> = {
  OpenRouter: words(
    "models route provider plugins session_id trace top_k min_output_tokens modalities image_config",
  ),
  vLLM: words(
    "top_k repetition_penalty mm_processor_kwargs priority request_id cache_salt enable_response_messages",
  ),
  Codex: words("client_metadata prompt_cache_key service_tier include"),
  "LM Studio": words("context_length draft_model ttl integrations"),
  xAI: words("search_parameters deferred max_turns"),
};

export const EMBEDDING_FIELDS = words(`
  input_type truncate truncation output_dimension output_dtype embedding_types embedding_type task late_chunking
  normalized normalize return_multivector truncate_prompt_tokens add_special_tokens additional_data priority instruction
  prompt prompt_name images inputs texts dimension text_type output_type provider max_tokens_per_doc request_id
  mm_processor_kwargs cache_salt embed_dtype endianness extra_body task_type title outputDimensionality
  autoTruncate models keep_alive options metadata late_interaction`);
