// `runtime completion`: scripts that ask `runtime __complete` what may come next.
import { type Noun, verb } from "../command";
import type { Io } from "../io";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export const completion: Noun = {
  name: "completion",
  summary: "make the shell complete commands, tool names and parameters",
  verbs: [
    verb({
      usage: "completion <shell>",
      summary:
        "Print the script that makes a shell (bash, zsh, fish) complete commands, names and parameters.",
      examples: [
        "source <(runtime completion bash)",
        "runtime completion zsh > ~/.zfunc/_runtime",
        "runtime completion fish > ~/.config/fish/completions/runtime.fish",
      ],
      read: (line) => ({ shell: line.wordOf(0, "The shell", SHELLS) }),
      run: async (io: Io, _common, { shell }: { shell: Shell }) => io.out(SCRIPTS[shell]),
    }),
  ],
};

const SCRIPTS: { readonly [S in Shell]: string } = {
  bash: `# Completion of runtime for bash: source <(runtime completion bash)
_runtime() {
  local IFS=$'\\n' word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=( $("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) )
  [ "\${#COMPREPLY[@]}" -gt 0 ] || compopt -o default 2>/dev/null
}
complete -F _runtime runtime
`,
  zsh: `#compdef runtime
# Completion of runtime for zsh: put it into a folder of $fpath as _runtime
_runtime() {
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=("\${(@)candidates:#}")
  if (( \${#candidates} )); then compadd -- "\${(@)candidates}"; else _files; fi
}
if [ "\${funcstack[1]}" = _runtime ]; then _runtime "$@"; else compdef _runtime runtime; fi
`,
  fish: `# Completion of runtime for fish: put it into ~/.config/fish/completions/runtime.fish
function __runtime_complete
  set -l words (commandline -opc)
  $words[1] __complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c runtime -f -a "(__runtime_complete)"
`,
};
