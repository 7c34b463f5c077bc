import { CommandError, type CliContext } from '../context.ts'

/** Each script calls `steadyvm __complete`, so that it needs no update when commands change. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_steadyvm() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(steadyvm __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _steadyvm steadyvm
`,
  zsh: `#compdef steadyvm
_steadyvm() {
  local -a found
  found=("\${(@f)$(steadyvm __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _steadyvm steadyvm
`,
  fish: `complete -c steadyvm -f -a '(steadyvm __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
}

/** Prints the completion script of a shell. */
export function completion(this: CliContext, _flags: object, shell: string): void {
  const script = SCRIPTS[shell]
  if (script === undefined) throw new CommandError(`There is no completion for "${shell}": choose bash, zsh or fish`)
  this.process.stdout.write(script)
}
