/** Quotes one word for a POSIX shell. */
export function shellQuote(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** A POSIX shell script that becomes QEMU: same pid, no wrapper left. */
export function launchScript(binary: string, args: readonly string[]): string {
  return `exec ${[binary, ...args].map(shellQuote).join(' \\\n  ')}\n`
}
