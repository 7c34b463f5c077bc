/** Quotes one word for a POSIX shell. */
export function shellQuote(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/**
 * A POSIX shell script that becomes QEMU: same pid, no wrapper left. `before` are commands that
 * come first, each a list of words; when one fails there is no guest.
 */
export function launchScript(binary: string, args: readonly string[], before: readonly (readonly string[])[] = []): string {
  const first = before.map((words) => `${words.map(shellQuote).join(' ')} || exit 1\n`)
  return `${first.join('')}exec ${[binary, ...args].map(shellQuote).join(' \\\n  ')}\n`
}
