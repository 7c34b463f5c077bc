/** Quotes one word for a POSIX shell. */
export function shellQuote(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/**
 * Returns a POSIX shell script that execs QEMU: same pid, no wrapper. `before` are commands that
 * run first, each a list of words; when one fails QEMU is not started.
 */
export function launchScript(binary: string, args: readonly string[], before: readonly (readonly string[])[] = []): string {
  const first = before.map((words) => `${words.map(shellQuote).join(' ')} || exit 1\n`)
  return `${first.join('')}exec ${[binary, ...args].map(shellQuote).join(' \\\n  ')}\n`
}
