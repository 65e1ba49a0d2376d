/** Scripts for shells, from commands and their options. */
import type { HelpOption } from "../terminal/helpOptions.ts";

export interface KnownCommand {
  /** Two words for a command of a family. */
  readonly name: string;
  readonly about: string;
  /** What may come first after it, besides files and options. */
  readonly words: readonly string[];
  readonly options: readonly HelpOption[];
}

/** Values that are names of files or folders. */
const FILE_VALUES = /^(file|path|directory|folder|json|pem|where|workload)$/;

function topOf(commands: readonly KnownCommand[]): readonly KnownCommand[] {
  return commands.filter(({ name }) => !name.includes(" "));
}

/**
 * The first words that are no options are the command. What follows an option that takes a file is
 * completed as one, and so is what is neither an option nor a word of the command.
 */
export function bashScript(commands: readonly KnownCommand[]): string {
  const families = new Set(
    commands.flatMap(({ name }) => (name.includes(" ") ? [name.split(" ")[0]!] : [])),
  );
  const cases = commands.map(({ name, words, options }) => {
    const names = options.map((option) => option.name);
    const valued = options.filter(({ value }) => value !== undefined);
    const files = valued
      .filter(({ value }) => FILE_VALUES.test(value!))
      .map((option) => option.name);
    const others = valued.map((option) => option.name).filter((each) => !files.includes(each));
    return `    "${name}") words="${words.join(" ")}" options="${names.join(" ")}"
      files=" ${files.join(" ")} " values=" ${others.join(" ")} " ;;`;
  });
  return `# Completion of orrery in bash. Load it with: eval "$(orrery completion bash)"
_orrery() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" word words="" options="" files="" values="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    [[ "$word" == -* ]] && continue
    if [[ -z "$command" ]]; then
      command="$word"
    elif [[ " ${[...families].join(" ")} " == *" $command "* ]]; then
      command="$command $word"
      break
    else
      break
    fi
  done
  case "$command" in
    "") words="${topOf(commands)
      .map(({ name }) => name)
      .join(" ")}" options="--help --version" ;;
${cases.join("\n")}
  esac
  COMPREPLY=()
  if [[ "$files" == *" $previous "* ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
  elif [[ "$values" == *" $previous "* ]]; then
    return
  elif [[ "$current" == -* ]]; then
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$options" -- "$current")
  else
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
    if [[ \${#COMPREPLY[@]} -eq 0 && -n "$command" ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
    fi
  fi
}
complete -F _orrery orrery
`;
}

/** Zsh reads the completions of bash, once it has been told to. */
export function zshScript(commands: readonly KnownCommand[]): string {
  return `# Completion of orrery in zsh. Load it with: eval "$(orrery completion zsh)"
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands).split("\n").slice(1).join("\n")}`;
}

export function fishScript(commands: readonly KnownCommand[]): string {
  const lines = commands.flatMap(({ name, about, words, options }) => {
    const [first = "", second] = name.split(" ");
    const here =
      second === undefined ? first : `${first}; and __fish_seen_subcommand_from ${second}`;
    const condition = `-n '__fish_seen_subcommand_from ${here}'`;
    const own =
      second === undefined
        ? [`complete -c orrery -n __fish_use_subcommand -f -a ${first} -d ${quoted(about)}`]
        : [];
    return [
      ...own,
      ...words.map((word) => `complete -c orrery ${condition} -a ${word}`),
      ...options.map((option) => fishOption(condition, option)),
    ];
  });
  return `# Completion of orrery in fish.\n${lines.join("\n")}\n`;
}

function fishOption(condition: string, { name, short, value, about }: HelpOption): string {
  const letter = short === undefined ? "" : ` -s ${short.slice(1)}`;
  const file = value !== undefined && FILE_VALUES.test(value);
  const takes = value === undefined ? "" : file ? " -r -F" : " -x";
  return `complete -c orrery ${condition} -l ${name.slice(2)}${letter}${takes} -d ${quoted(about)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
